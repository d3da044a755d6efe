// npm run mutate: changes the authorization of plans in small ways, one at a time and in memory
// only, and runs the checks of tests/personas on each. A change that no check notices is reported,
// and the run fails. `-- --only TEXT` takes those whose file or text has it.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createViteServer } from 'vitest/node';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SEEDS = [1, 2];
const PERSONAS = 120;

/** By file: what stands there, and what stands there instead. */
const MUTATIONS = {
  'src/auto/plan/authorize.ts': [
    ["if (rights === undefined) throw apiError('table_unknown', table.name);", ''],
    ["if (right === undefined) throw apiError('persona_operation', persona, operation);", 'if (right === undefined) return rights.read;'],
    ["if (right.isBroken) throw apiError('persona_broken', persona);", ''],
    ["if (grant === undefined) throw new Error('a plan was made past the rules of its caller');", ''],
    ['if (grant.operation !== operation) throw new Error', 'if (false) throw new Error'],
    ['return authorizePlan(plan, grant, restriction.subject) as Authorized<P>;', 'return plan as Authorized<P>;'],
    [
      "if ('key' in plan) return { ...plan, ...authorizeRows(plan, grant, subject), where };",
      "if ('key' in plan) return { ...plan, ...authorizeRows(plan, grant, subject) };",
    ],
    [
      "if ('key' in plan) return { ...plan, ...authorizeRows(plan, grant, subject), where };",
      "if ('key' in plan) return { ...plan, where };",
    ],
    ['where: where ?? plan.where };', '};'],
    ["if ('set' in plan) return { ...plan, set: authorizeSet(plan, grant, subject), where", "if ('set' in plan) return { ...plan, where"],
    ["if (!('columns' in plan)) return { ...plan, where } as TablePlan;", "if (!('columns' in plan)) return plan;"],
    ['  checkShown(plan);\n', ''],
    [
      'return { ...plan, where, masks: masks?.size === 0 ? undefined : masks };',
      'return { ...plan, masks: masks?.size === 0 ? undefined : masks };',
    ],
    ['return { ...plan, where, masks: masks?.size === 0 ? undefined : masks };', 'return { ...plan, where };'],
    [
      'if (rule === undefined || where === undefined) return rule ?? where;',
      'if (rule === undefined || where === undefined) return where;',
    ],
    ["return { op: 'and', of: [rule, where] };", "return { op: 'or', of: [rule, where] };"],
    ["return { op: 'and', of: [rule, where] };", 'return where;'],
    ["return { op: 'and', of: [rule, where] };", 'return rule;'],
    [
      'memoPair((rule: CallerRule, subject: Subject) => rule(subject));',
      '((known) => (rule: CallerRule, subject: Subject) => known.get(rule) ?? (known.set(rule, rule(subject)), known.get(rule)))(new WeakMap());',
    ],
    ['if (!right.columns.has(column)) throw', 'if (false) throw'],
    ['return [...set, ...grant.right.presets.map(({ column, valueFor }) => ({ column, value: valueFor(subject) }))];', 'return set;'],
    ['    columns.filter((column) => !key.includes(column) || isPreset(grant, column)),', '    [],'],
    ['!key.includes(column) || isPreset(grant, column)', '!key.includes(column)'],
    ['  return withPresetValues(plan, grant.right, subject);', '  return plan;'],
    ['const { right, rights } = grant;\n  checkColumns(plan.columns, grant);\n', 'const { right, rights } = grant;\n'],
    ['if (right.missingColumn !== undefined) throw missingColumnError(right.missingColumn);', ''],
    ['  const filled = { ...plan, ...withPresetValues(plan, right, subject) };', '  const filled = plan;'],
    ['isPreset(grant, column)) ? withPresetValues(plan, grant.right, subject) : {};', 'isPreset(grant, column)) ? {} : {};'],
    ["const update = grantedIn(rights, 'update', subject);", 'const update = rights.update ?? right;'],
    ['update.columns.has(column) && !key', '!key'],
    ['return { set, where: conditionOf(update, subject) };', 'return { set, where: undefined };'],
    [
      "const grant = viewGrantFor(plan.table, 'insert');\n  checkColumns(plan.columns, grant);",
      "const grant = viewGrantFor(plan.table, 'insert');",
    ],
    ["const right = grantedIn(rights, 'read', restriction.subject);", 'const right = rights.read ?? { ...viewGrantOf(view).right };'],
    ['return rule === undefined && masks.size === 0;', 'return rule === undefined;'],
    ['return rule === undefined && masks.size === 0;', 'return masks.size === 0;'],
    ['(!hasRelations && isOpenToRead(view, access))', '!hasRelations'],
    ['(!hasRelations && isOpenToRead(view, access))', 'isOpenToRead(view, access)'],
    ['if (max !== undefined && size > max) throw', 'if (max !== undefined && size > max + 1) throw'],
    ['return new Set((table && restriction.rightsOn(table)?.visible)', 'return new Set(table?.columns'],
    ['const isReadable = restriction.rightsOn(table)?.rights.read !== undefined;', 'const isReadable = true;'],
  ],
  'src/personas/table-rights.ts': [
    ['if (columns !== undefined) return new Set', 'if (false) return new Set'],
    ['...(except ?? []).flatMap(', '...([] as string[]).flatMap('],
    ['...[...without].flatMap((name) => this.#table.byName.get(name) ?? []),', ''],
    ['return this.isBroken ? undefined : compileRules(rows, this.#table);', 'return undefined;'],
    ['    this.isBroken = true;\n', ''],
    ['[...grant.set.keys(), ...ruledColumns(grant)]', '[...grant.set.keys()]'],
    [
      '    rule: compiler.rule(grant),\n    presets: [],\n    maxPageSize: grant.maxPageSize,',
      '    rule: undefined,\n    presets: [],\n    maxPageSize: grant.maxPageSize,',
    ],
    ['maxPageSize: grant.maxPageSize,', 'maxPageSize: undefined,'],
    ['masks: compiler.masks(grant),', 'masks: NO_MASKS,'],
    ['masked: new Set(granted.read?.masks.keys() ?? [])', 'masked: new Set()'],
    ['? visible.filter((column) => viewRights.readable.has(column))', '? visible'],
    ["(operation === 'insert' ? right.columns : viewRights.readable).has(column)", 'true'],
    ['primaryKey: isKeyKnown ? table.primaryKey : [],', 'primaryKey: table.primaryKey,'],
    ['if (column.primaryKey) this.#broken', 'if (false) this.#broken'],
  ],
  'src/personas/rule-binder.ts': [
    ["    'and',\n    rows.map", "    'or',\n    rows.map"],
    ["return op === 'in' ? NOTHING : EVERYTHING;", 'return EVERYTHING;'],
    ["return op === 'in' ? NOTHING : EVERYTHING;", 'return NOTHING;'],
    [
      "if (value === undefined) throw claimError(subject, name, 'which you do not have');\n  const values",
      'if (value === undefined) return [];\n  const values',
    ],
  ],
  'src/personas/presets.ts': [
    ["if (value === undefined) throw claimError(subject, name, 'which you do not have');", 'if (value === undefined) return null;'],
  ],
  'src/personas/grants.ts': [
    [
      'const grants = this.#own.get(name) ?? this.#others;\n    return grants !== undefined && isAny(grants) ? grants : undefined;',
      'return this.#own.get(name) ?? this.#others;',
    ],
    ['&& !read.mask.has(name)', ''],
    ['read.columns === undefined ? read.except?.includes(name) !== true : read.columns.includes(name)', 'true'],
    [', caller.claims ?? null]', ']'],
    ['caller.userId, ', ''],
    ['[...caller.roles].sort(), ', ''],
    ['caller.spaceId, ', ''],
  ],
  'src/auto/plan/filters.ts': [
    ["if (table.viewRights?.readable.has(column) === false) throw apiError('column_unknown', name);", ''],
    ["if (table.viewRights?.masked.has(column)) throw apiError('column_masked', name);", ''],
  ],
  'src/auto/plan/relations.ts': [
    ['viewRights.readable.has(column) && !viewRights.masked.has(column)', 'viewRights.readable.has(column)'],
    [
      'const isThere = has(from, columns) && has(this.#tables.get(table), references);',
      'const isThere = has(this.#tables.get(table), references);',
    ],
    [
      "return authorize<CountPlan>({ table, where: conditionWith(selector.filters, table, reach) }, reach.access, 'read');",
      'return { table, where: conditionWith(selector.filters, table, reach) } as Authorized<CountPlan>;',
    ],
  ],
  'src/auto/plan/plan.ts': [
    [
      "select: authorize(select, access, 'read'),\n    visible: visible.length,\n    keyset,",
      'select: select as never,\n    visible: visible.length,\n    keyset,',
    ],
    ["authorize({ table, where }, access, 'read')", '({ table, where } as never)'],
    ['const seal = access.restriction?.seal;', 'const seal = undefined;'],
    ["checkPageSize(table, access, 'ps', request.size);", ''],
  ],
  'src/auto/plan/plan-expand.ts': [["select: authorize(select, reach.access, 'read')", 'select: select as never']],
  'src/auto/plan/plan-groups.ts': [["authorize(plan, access, 'read')", '(plan as never)']],
  'src/auto/plan/plan-write.ts': [
    [
      "const plan = authorize({ table, set: assignmentsOf(request, table), where, returning: undefined, maxRows: undefined }, access, 'update');",
      'const plan = { table, set: assignmentsOf(request, table), where } as never;',
    ],
    [
      "const plan = authorize({ table, where, returning: undefined, maxRows: undefined }, access, 'delete');",
      'const plan = { table, where } as never;',
    ],
    ['count: () => authorize({ table, where }, access, write.do)', 'count: () => ({ table, where }) as never'],
    [
      'before: () => authorize({ table, columns, where, order: [], limit: Number.MAX_SAFE_INTEGER, offset: 0, lock: true }, access, write.do)',
      'before: () => ({ table, columns, where, order: [], limit: Number.MAX_SAFE_INTEGER, offset: 0, lock: true }) as never',
    ],
    ['isOpen: isOpenToRead(table, access)', 'isOpen: true'],
  ],
  'src/auto/execute/failures.ts': [['if (at.known !== undefined) return ownWords(failure, at.row, at.known);', '']],
};

/**
 * Runs all checks on the code with one change; returns the check that noticed it, or undefined.
 */
async function noticedBy(file, from, to) {
  const server = await createViteServer({
    root,
    configFile: false,
    logLevel: 'silent',
    appType: 'custom',
    cacheDir: join(root, 'node_modules', '.vite-mutate'),
    optimizeDeps: { noDiscovery: true },
    server: { middlewareMode: true, hmr: false, watch: null, ws: false },
    plugins: [
      {
        name: 'mutation',
        enforce: 'pre',
        transform(code, id) {
          if (file === undefined || !id.endsWith(`/${file}`)) return undefined;
          if (!code.includes(from)) throw new Error(`${file} no longer has: ${from}`);
          return { code: code.replace(from, () => to), map: null };
        },
      },
    ],
  });
  try {
    const { oracle, PROMISES } = await server.ssrLoadModule('/tests/personas/authorize-checks.ts');
    try {
      for (const [name, check] of Object.entries(PROMISES)) {
        last = name;
        await check();
      }
      for (const seed of SEEDS) {
        last = `the oracle with seed ${seed}`;
        await oracle(seed, PERSONAS);
      }
      return undefined;
    } catch {
      return last;
    }
  } finally {
    await server.close();
  }
}

let last = '';
const only = process.argv[process.argv.indexOf('--only') + 1];
const isWanted = (file, from) => !process.argv.includes('--only') || file.includes(only) || from.includes(only);

const sound = await noticedBy(undefined, '', '');
if (sound !== undefined) {
  console.error(`the code as it is does not pass: ${sound}`);
  process.exit(1);
}
let count = 0;
const survivors = [];
for (const [file, mutations] of Object.entries(MUTATIONS))
  for (const [from, to] of mutations) {
    if (!isWanted(file, from)) continue;
    count++;
    const name = await noticedBy(file, from, to);
    const told = `${file}: ${from.trim()} → ${to.trim() === '' ? 'nothing' : to.trim()}`;
    if (name === undefined) survivors.push(told);
    console.log(`${name === undefined ? 'SURVIVES' : 'noticed '}  ${told}${name === undefined ? '' : `  (${name})`}`);
  }
console.log(`${count - survivors.length} of ${count} mutations were noticed`);
process.exit(survivors.length === 0 ? 0 : 1);
