// Random tables, rows, filters and writes on all four engines, compared with an oracle in
// TypeScript. The seed is printed; MILLRACE_TEST_SEED repeats its cases.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { QueryParameter } from '../../../src/util/text/query.ts';
import { ENGINE_NAMES, type EngineName } from '../../support/engines.ts';
import { times } from '../../support/times.ts';
import { type Case, orderText, parameterOf, quoted, type World, type Write, worldOf } from './cases.ts';
import { differs } from './differences.ts';
import type { LogicalValue } from './logical-types.ts';
import { type Filter, type LogicalColumn, type LogicalRow, matching, type OrderBy, ordered, summed } from './oracle.ts';
import { createStatement, Session } from './session.ts';

/** More of them, where there is time, by the variable. */
const TABLES = times(2, 250);
const CASES_PER_TABLE = 100;
const WRITES_PER_TABLE = 10;
/**
 * A slow engine runs only the first cases of each table. A value below one is a share of the
 * tables.
 */
const SHARE: Readonly<
  Record<EngineName, { readonly cases: number; readonly writes: number; readonly sums: number; readonly paged: boolean }>
> = {
  postgres: { cases: CASES_PER_TABLE, writes: WRITES_PER_TABLE, sums: 4, paged: true },
  mysql: { cases: CASES_PER_TABLE, writes: WRITES_PER_TABLE, sums: 4, paged: true },
  mariadb: { cases: CASES_PER_TABLE, writes: WRITES_PER_TABLE, sums: 4, paged: true },
  clickhouse: { cases: CASES_PER_TABLE / 10, writes: 1, sums: 0.25, paged: false },
};

const sessions = new Map<EngineName, Session>();
const counted = new Map<EngineName, number>();

beforeAll(async () => {
  for (const engine of ENGINE_NAMES) sessions.set(engine, await Session.open(engine));
});

afterAll(async () => {
  for (const session of sessions.values()) await session.close();
});

/** A random world on one engine, without the columns and cases that the engine does not support. */
class Variant {
  readonly session: Session;
  readonly columns: readonly LogicalColumn[];
  readonly world: World;
  readonly table: string;
  /** As they are now; writes change them. */
  rows: readonly LogicalRow[];

  constructor(session: Session, world: World, table: string) {
    this.session = session;
    this.world = world;
    this.columns = world.columns;
    this.table = table;
    this.rows = world.rows;
  }

  /** `true` if the case touches no known difference of this engine. */
  admits(filters: readonly Filter[], order: readonly OrderBy[]): boolean {
    const { engine } = this.session;
    const type = (column: number): string => this.columns[column]?.type.name ?? '';
    const fine = (filter: Filter): boolean => {
      if ('of' in filter) return filter.of.every(fine);
      if (differs(engine, type(filter.column), 'absent')) return false;
      return !('values' in filter && ORDERING.has(filter.op) && differs(engine, type(filter.column), 'order'));
    };
    if (!filters.every(fine)) return false;
    return this.#order(order).every(({ column }) => column === undefined || !this.#unordered(column));
  }

  #unordered(column: number): boolean {
    const name = this.columns[column]?.type.name ?? '';
    return differs(this.session.engine, name, 'order') || differs(this.session.engine, name, 'absent');
  }

  /** The order that the request asks for, and behind it the key, or every column. */
  #order(order: readonly OrderBy[]): readonly OrderBy[] {
    const all = this.columns.map((_, column): OrderBy => ({ column, direction: 'asc' }));
    const present = all.filter(({ column = 0 }) => !differs(this.session.engine, this.columns[column]?.type.name ?? '', 'absent'));
    const rest = this.world.hasKey ? [] : present;
    const stable: readonly OrderBy[] = [...rest, { column: undefined, direction: 'asc' }];
    return [...order, ...stable.filter(({ column }) => !order.some((asked) => asked.column === column))];
  }

  expected({ filters, order }: Case): number[] {
    return ordered(matching(this.rows, filters, this.columns), this.#order(order), this.columns).map(({ id }) => id);
  }

  queryOf({ filters, order }: Case): readonly QueryParameter[] {
    const query = filters.map((filter) => parameterOf(filter, this.columns));
    return order.length === 0 ? query : [...query, { name: '$order', value: orderText(order, this.columns) }];
  }

  /** An error message with everything needed to reproduce the failure by hand. */
  explain(query: readonly QueryParameter[], what: string): string {
    const rows = this.rows.map(
      ({ id, values }) =>
        `  ${id}: ${values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value))).join(' | ')}`,
    );
    const statement = createStatement(this.session.engine, 't', this.columns, this.world.hasKey ? 'keyed' : 'keyless');
    return [`${this.session.engine}: ${what}`, ...query.map(({ name, value }) => `  ${name}=${value}`), statement, ...rows].join('\n');
  }
}

const ORDERING: ReadonlySet<string> = new Set(['lt', 'gt', 'le', 'ge', 'bw']);

async function attempt<T>(variant: Variant, query: readonly QueryParameter[], run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
    throw new Error(variant.explain(query, `${String(error)}${cause}`));
  }
}

async function checkRead(variant: Variant, read: Case): Promise<void> {
  const query = variant.queryOf(read);
  const found = await attempt(variant, query, () => variant.session.ids(variant.table, query));
  const wanted = variant.expected(read);
  if (found.join() !== wanted.join()) throw new Error(variant.explain(query, `expected [${wanted}], got [${found}]`));
}

/** Types without a minimum. */
const WITHOUT_LEAST: ReadonlySet<string> = new Set(['bool', 'bytes']);

/**
 * Compares aggregates per group and in total: rows, values, distinct values, minimum and maximum.
 */
async function checkSums(variant: Variant, { filters }: Case, by: number | undefined, of: number): Promise<void> {
  const { session, table, columns } = variant;
  const group = by === undefined ? undefined : columns[by];
  const column = columns[of];
  if (column === undefined || [group, column].some((one) => one && differs(session.engine, one.type.name, 'absent'))) return;
  const name = quoted(column.name);
  const hasLeast = !WITHOUT_LEAST.has(column.type.name) && !differs(session.engine, column.type.name, 'order');
  const query = [
    ...filters.map((filter) => parameterOf(filter, columns)),
    { name: 'pg', value: '0' },
    { name: 'ps', value: '1000' },
    { name: '$agg', value: `rows:count,filled:count.${name},apart:countd.${name}${hasLeast ? `,least:min.${name},most:max.${name}` : ''}` },
    ...(group === undefined ? [] : [{ name: '$group', value: `g:${quoted(group.name)}` }]),
  ];
  const { rows } = await attempt(variant, query, () => session.read(table, query));
  const read = (cell: string | null | undefined, type: LogicalColumn['type'] | undefined): LogicalValue | null =>
    cell === null || cell === undefined || type === undefined ? null : type.read(cell);
  const found = rows.map((cells) => {
    const [shown, ...rest] = group === undefined ? [null, ...cells] : cells;
    const [count, filled, apart, least, most] = rest;
    return [read(shown, group?.type), Number(count), Number(filled), Number(apart), read(least, column.type), read(most, column.type)];
  });
  const wanted = summed(matching(variant.rows, filters, columns), by, of, columns).map((sums) => [
    sums.group,
    sums.rows,
    sums.values,
    sums.different,
    ...(hasLeast ? [sums.least, sums.most] : [null, null]),
  ]);
  // Sorted, because equal values may be printed differently. The order of groups is tested
  // elsewhere, with pages.
  const show = (list: readonly (readonly (LogicalValue | null)[])[]): string =>
    list
      .map((one) => shown(one))
      .toSorted()
      .join('\n');
  if (show(found) !== show(wanted)) throw new Error(variant.explain(query, `sums are\n${show(found)}\nand not\n${show(wanted)}`));
}

const shown = (list: readonly unknown[]): string =>
  JSON.stringify(list, (_, value) => (typeof value === 'bigint' ? `${value}n` : Object.is(value, -0) ? 0 : value));

/** The row of a key that there is, and of one that there is not. */
async function checkKeys(variant: Variant): Promise<void> {
  const { session, table, rows } = variant;
  const [first] = rows;
  const query = [{ name: '$select', value: 'id' }];
  if (first !== undefined) {
    const found = await attempt(variant, query, () => session.row(table, String(first.id), query));
    if (found?.[0] !== String(first.id)) throw new Error(variant.explain(query, `the row of key ${first.id} is ${found}`));
  }
  const missing = await session.row(table, '99999', query).then(String, (error: unknown) => (error as { key?: string }).key);
  if (missing !== 'row_unknown') throw new Error(variant.explain(query, `the row of no key is ${missing}`));
}

/** Patches several columns of the matching rows, or of rows by their keys. Every key must exist. */
async function checkPatch(variant: Variant, { filters }: Write, sets: readonly NonNullable<Write['set']>[]): Promise<void> {
  const { session, table, columns } = variant;
  const byKey = variant.world.hasKey && session.engine !== 'clickhouse';
  const matched = new Set(matching(variant.rows, filters, columns));
  const members = sets.map(({ column, value }) => `${JSON.stringify(columns[column]?.name)}:${columns[column]?.type.json(value)}`);
  const where = filters.map((filter) => parameterOf(filter, columns));
  const isArray = byKey && matched.size > 1;
  const body = isArray
    ? `[${[...matched].map(({ id }) => `{${[`"id":${id}`, ...members].join(',')}}`).join(',')}]`
    : `{${members.join(',')}}`;
  const query = isArray ? [] : where;
  const count = await attempt(variant, [...query, { name: 'PATCH', value: body }], () => session.patch(table, query, body));
  if (count !== matched.size) throw new Error(variant.explain(query, `expected ${matched.size} affected rows of ${body}, got ${count}`));
  variant.rows = variant.rows.map((row) =>
    matched.has(row) ? { ...row, values: sets.reduce((values, { column, value }) => values.with(column, value), [...row.values]) } : row,
  );
  await checkTable(variant, query);
}

/** A write on the table as it is, its count, and the whole table afterwards. */
async function checkWrite(variant: Variant, { filters, set }: Write): Promise<void> {
  const { session, table, columns } = variant;
  const matched = new Set(matching(variant.rows, filters, columns));
  const where = filters.map((filter) => parameterOf(filter, columns));
  const column = set === undefined ? undefined : columns[set.column];
  const query =
    set === undefined || column === undefined
      ? where
      : [...where, { name: 'set', value: `${quoted(column.name)}.${column.type.text(set.value)}` }];
  const count = await attempt(variant, query, () => (set === undefined ? session.delete(table, query) : session.update(table, query)));
  if (count !== matched.size) throw new Error(variant.explain(query, `expected ${matched.size} affected rows, got ${count}`));
  variant.rows = variant.rows.flatMap((row) => {
    if (!matched.has(row)) return [row];
    return set === undefined ? [] : [{ ...row, values: row.values.with(set.column, set.value) }];
  });
  await checkTable(variant, query);
}

/** Every value of every row. */
async function checkTable(variant: Variant, after: readonly QueryParameter[]): Promise<void> {
  const { session, table } = variant;
  const columns = variant.columns
    .map((column, index) => ({ ...column, index }))
    .filter(({ type }) => !differs(session.engine, type.name, 'absent'));
  const select = ['id', ...columns.map(({ name }) => quoted(name))].join(',');
  const query = [
    { name: 'pg', value: '0' },
    { name: 'ps', value: '1000' },
    { name: '$select', value: select },
    { name: '$order', value: 'id' },
  ];
  const { rows } = await attempt(variant, query, () => session.read(table, query));
  const found = rows.map(([id, ...cells]) => [Number(id), ...cells.map((cell, i) => (cell === null ? null : columns[i]?.type.read(cell)))]);
  const wanted = variant.rows.map(({ id, values }) => [id, ...columns.map(({ index }) => values[index])]);
  if (shown(found) !== shown(wanted)) throw new Error(variant.explain(after, `the table is\n${shown(found)}\nand not\n${shown(wanted)}`));
}

/** Pages by number and pages by cursor are the whole, in order. */
async function checkPages(variant: Variant, read: Case, size: number): Promise<void> {
  const { session, table } = variant;
  const query = [...variant.queryOf(read), { name: '$select', value: 'id' }, { name: 'ps', value: String(size) }];
  const wanted = variant.expected(read);
  const offset: number[] = [];
  for (let page = 0; page * size <= wanted.length; page++) {
    const paged = [...query, { name: 'pg', value: String(page) }];
    offset.push(...(await attempt(variant, paged, () => session.read(table, paged))).rows.map(([id]) => Number(id)));
  }
  if (offset.join() !== wanted.join()) throw new Error(variant.explain(query, `pages: expected [${wanted}], got [${offset}]`));
  const keyset: number[] = [];
  for (let cursor: string | undefined = '', pages = 0; cursor !== undefined && pages <= wanted.length + 1; pages++) {
    const paged = [...query, { name: 'pg', value: '0' }, { name: '$after', value: cursor }];
    const result: Awaited<ReturnType<Session['read']>> = await attempt(variant, paged, () => session.read(table, paged));
    keyset.push(...result.rows.map(([id]) => Number(id)));
    cursor = result.cursor;
  }
  if (keyset.join() !== wanted.join()) throw new Error(variant.explain(query, `cursors: expected [${wanted}], got [${keyset}]`));
}

async function checkWorld(session: Session, world: World, number: number): Promise<void> {
  const columns = world.columns.filter(({ type }) => !differs(session.engine, type.name, 'absent'));
  const table = await session.createTable(world.columns, world.hasKey ? 'keyed' : 'keyless');
  const variant = new Variant(session, world, table);
  const given = world.rows.map((row) => ({ ...row, values: columns.map((column) => row.values[world.columns.indexOf(column)] ?? null) }));
  await attempt(variant, [], () => session.insert(table, columns, given));
  const share = SHARE[session.engine];
  const reads = world.cases.filter(({ filters, order }) => variant.admits(filters, order)).slice(0, share.cases);
  counted.set(session.engine, (counted.get(session.engine) ?? 0) + reads.length);
  const [first] = reads;
  if (first !== undefined && share.paged) await checkPages(variant, first, world.pageSize);
  // Three reads at a time, fewer than the connections of the session.
  const queue = [...reads];
  const worker = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) await checkRead(variant, next);
  };
  await Promise.all([worker(), worker(), worker()]);
  const writes = world.writes.filter(
    ({ filters, set }) =>
      variant.admits(filters, []) && !(set && differs(session.engine, world.columns[set.column]?.type.name ?? '', 'absent')),
  );
  if (world.hasKey && share.paged) await checkKeys(variant);
  const width = world.columns.length;
  // A value below one selects that share of the tables.
  const sums = share.sums >= 1 ? share.sums : Number(number % Math.round(1 / share.sums) === 0);
  for (const [i, one] of reads.slice(0, sums).entries())
    await checkSums(variant, one, i % 4 === 3 ? undefined : (number + i) % width, (number + i * 2 + 1) % width);
  for (const [i, write] of writes.slice(0, share.writes).entries()) {
    const more = writes[(i + 1) % writes.length]?.set;
    if (write.set === undefined || i % 2 === 0) await checkWrite(variant, write);
    else await checkPatch(variant, write, more === undefined || more.column === write.set.column ? [write.set] : [write.set, more]);
  }
  await session.database.run(`DROP TABLE ${table}`);
}

it(`${TABLES} random tables with ${CASES_PER_TABLE} filters each agree with the oracle`, { timeout: 600_000 }, async () => {
  const seed = Number(process.env['MILLRACE_TEST_SEED'] ?? Date.now() % 2 ** 31);
  process.stdout.write(`differential test: MILLRACE_TEST_SEED=${seed}\n`);
  const worlds = fc.sample(worldOf({ cases: CASES_PER_TABLE * 2, writes: WRITES_PER_TABLE }), { numRuns: TABLES, seed });
  const problems: string[] = [];
  await Promise.all(
    [...sessions.values()].map(async (session) => {
      for (const [number, world] of worlds.entries()) {
        if (problems.length > 3) break;
        await checkWorld(session, world, number).catch((error: unknown) =>
          problems.push(error instanceof Error ? error.message : String(error)),
        );
      }
    }),
  );
  process.stdout.write(`${[...counted].map(([engine, cases]) => `${engine}: ${cases} filters`).join(', ')}\n`);
  expect(problems, `seed ${seed}`).toEqual([]);
  for (const engine of ENGINE_NAMES) expect(counted.get(engine), engine).toBe(TABLES * SHARE[engine].cases);
});
