// Runs requests with the service's own parsing and planning, on rows in memory instead of a
// database.
import { randomBytes } from 'node:crypto';
import type { Access } from '../../src/auto/plan/access.ts';
import { authorize, authorizeUpsertUpdates } from '../../src/auto/plan/authorize.ts';
import { encodeCursor } from '../../src/auto/plan/cursor.ts';
import { isOneOf } from '../../src/auto/plan/keys.ts';
import { type AutoPlan, planRequest, type ReadPlan } from '../../src/auto/plan/plan.ts';
import type { InsertBodyPlan, PatchBodyPlan, ReturnedRows, WritePlan } from '../../src/auto/plan/plan-write.ts';
import { relatedReferences } from '../../src/auto/plan/relations.ts';
import { parseDelete, parseInsert, parsePatch, parseRead, parseReadRow, parseUpdate } from '../../src/auto/request/parse-request.ts';
import type { AutoRequest } from '../../src/auto/request/request.ts';
import { ROWS, readBatch, rowsToInsert } from '../../src/auto/rows/insert-body.ts';
import { isChange } from '../../src/auto/write/insert-statements.ts';
import { ApiError, apiError } from '../../src/errors.ts';
import type { SpaceCaller } from '../../src/model/caller.ts';
import type { ForeignKey } from '../../src/model/relation.ts';
import { makeTable, type Table } from '../../src/model/table.ts';
import { CursorSeals } from '../../src/personas/cursor-seal.ts';
import { readPersona } from '../../src/personas/document.ts';
import { SchemaGrants } from '../../src/personas/grants.ts';
import type { InsertPlan, SelectPlan, UpdateRowsPlan } from '../../src/sql/plan.ts';
import type { Operand } from '../../src/sql/statement.ts';
import type { PlainValue } from '../../src/util/text/decimal.ts';
import { parseQuery } from '../../src/util/text/query.ts';
import { column, grouped, matches, matching, named, ordered, related, selected, shown, typed } from './memory-tables.ts';
import type { Claims, Row, Value } from './oracle.ts';
import { type Ask, rowsOf, type World } from './requests.ts';

const made = (name: string, columns: Parameters<typeof makeTable>[0]['columns']): Table =>
  makeTable({ schema: 's', name, kind: 'table', storage: '', transactional: true, columns, key: ['id'] });

const whole = { min: -(2n ** 31n), max: 2n ** 31n - 1n };
const key = { primaryKey: true, nullable: false, required: true, ...whole };
export const TABLES = named([
  made('facts', [
    column('id', 'int', key),
    column('a', 'int', whole),
    column('b', 'text'),
    column('c', 'text', { nullable: false, required: true }),
    column('d', 'int', { ...whole, nullable: false, default: '5' }),
  ]),
  made('notes', [column('id', 'int', key), column('fact', 'int', whole), column('t', 'text', { nullable: false, required: true })]),
]);
const KEYS: readonly ForeignKey[] = [{ table: 'notes', columns: ['fact'], references: { table: 'facts', columns: ['id'] }, unique: false }];
const DEFAULTS: Row = { a: null, b: null, d: 5 };
const seals = new CursorSeals([randomBytes(32)]);

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly error?: unknown;
}

export class MemoryService {
  readonly #grants: SchemaGrants;
  readonly world: World;

  constructor(tables: { readonly facts: object; readonly notes: object }, world: World) {
    const text = JSON.stringify({ persona: 'p', roles: ['r'], tables: { 'x/y/facts': tables.facts, 'x/y/notes': tables.notes } });
    const { persona } = readPersona(text, 'json', () => true);
    const record = { persona: 'p', about: '', roles: ['r'], rank: 1, document: text, userId: 'u', updatedAt: '', revision: '1' };
    this.#grants = new SchemaGrants(record, seals.for('here'));
    for (const { table, grants } of persona.tables) this.#grants.add(table, grants);
    this.world = { facts: world.facts, notes: world.notes };
  }

  caller(claims: Claims): SpaceCaller {
    const given = new Map(Object.entries(claims) as [string, PlainValue][]);
    return { userId: 'u', roles: new Set(['r']), serverKey: false, orgId: 'o', projectId: 'p', spaceId: 's', claims: given };
  }

  accessFor(caller: SpaceCaller): Access {
    return this.#grants.accessFor(caller);
  }

  /** `true` if a column of the facts may be read without a mask. */
  reads(name: string): boolean {
    const side = { table: 'facts', columns: [name] };
    return this.#grants.visibleKeys([{ ...side, references: side }]).length > 0;
  }

  async send(ask: Ask, caller: SpaceCaller): Promise<Answer> {
    try {
      const request = parse(ask);
      if (this.#grants.grantsOf(ask.table) === undefined) throw apiError('table_unknown', ask.table);
      const access = this.accessFor(caller);
      const neighbours = relatedReferences(request) === undefined ? undefined : { keys: KEYS, tables: TABLES };
      return await this.#run(planRequest(request, TABLES.get(ask.table) as Table, access, { neighbours }));
    } catch (error) {
      return { status: error instanceof ApiError ? error.status : 599, body: undefined, headers: {}, error };
    }
  }

  async #run(plan: AutoPlan): Promise<Answer> {
    const rows = { ...this.world };
    switch (plan.do) {
      case 'read':
        return this.#page(plan);
      case 'group':
        return answer(200, grouped(plan.groups, rows));
      case 'row': {
        const [row] = selected(plan.select, rows);
        if (row === undefined) throw apiError('row_unknown');
        return answer(200, shown(row, plan.select.columns, plan.select.masks));
      }
      case 'insert':
        return this.#insert(plan);
      case 'patch':
        return this.#patch(plan);
      case 'write':
        return this.#write(plan);
      default:
        throw new Error('the oracle asks for no such thing');
    }
  }

  #page(plan: ReadPlan): Answer {
    const rows = { ...this.world };
    const found = selected(plan.select, rows);
    const { columns, masks, order, limit } = plan.select;
    const body = found.map((row) => {
      const own: Record<string, unknown> = { ...shown(row, columns.slice(0, plan.visible), masks) };
      for (const { key: name, kind, size, visible, rows: reached } of plan.expand) {
        const all = ordered(related(reached.link, reached.select, row, rows), reached.select.order).slice(0, size);
        const list = all.map((one) => shown(one, reached.select.columns.slice(0, visible), reached.select.masks));
        own[name] = kind === 'one' ? (list[0] ?? null) : list;
      }
      return own;
    });
    const last = found.at(-1);
    const isFull = plan.keyset && found.length === limit && last !== undefined;
    const position = order.map(({ column: { name } }) => (last?.[name] === null ? null : String(last?.[name])));
    return answer(200, body, {
      'x-total-count': plan.count === undefined ? undefined : String(matching(plan.count, rows).length),
      'x-next-cursor': isFull ? encodeCursor(order, { texts: position, ties: undefined }, plan.seal) : undefined,
    });
  }

  /** A write is rolled back if its rows may not be returned. */
  #written(plan: WritePlan | InsertBodyPlan | PatchBodyPlan, status: number, written: readonly Row[], after: readonly Row[]): Answer {
    const { returning, access, dryRun } = plan;
    const facts = plan.do === 'write' && plan.write.do === 'delete' ? this.world.facts : after;
    const back = returning && this.#readBack(written, facts, returning, access);
    if (!dryRun) this.world.facts = after;
    if (back === undefined) return answer(status, { rows_affected: written.length });
    return answer(status, back, { 'x-rows-affected': String(written.length) });
  }

  #readBack(written: readonly Row[], facts: readonly Row[], { table, columns, isOpen }: ReturnedRows, access: Access): readonly Row[] {
    if (isOpen) return written.map((row) => shown(row, columns, undefined));
    const keys = written.map((row) => [String(row['id'])] as readonly Operand[]);
    const where = isOneOf(table.viewRights?.key ?? table.primaryKey, keys);
    const select = authorize<SelectPlan>({ table, columns, where, order: [], limit: 100, offset: 0 }, access, 'read');
    const found = selected(select, { ...this.world, facts });
    return written.flatMap(({ id }) => found.filter((row) => row['id'] === id)).map((row) => shown(row, columns, select.masks));
  }

  #write(plan: WritePlan): Answer {
    const rows = { ...this.world };
    const { write } = plan;
    const hits = new Set(matching(write.plan, rows));
    if (matching(plan.count(), rows).length !== hits.size) throw new Error('what is counted is not what is written');
    if (matching(plan.before(), rows).length !== hits.size) throw new Error('what is locked is not what is written');
    if (plan.single !== undefined && hits.size === 0) throw apiError('row_unknown');
    if (write.do === 'delete')
      return this.#written(
        plan,
        200,
        [...hits],
        this.world.facts.filter((row) => !hits.has(row)),
      );
    const changes = Object.fromEntries(write.plan.set.map(({ column: of, value }) => [of.name, typed(of, value)]));
    const changed = new Map([...hits].map((row) => [row, { ...row, ...changes }]));
    return this.#written(
      plan,
      200,
      [...changed.values()],
      this.world.facts.map((row) => changed.get(row) ?? row),
    );
  }

  async #insert(plan: InsertBodyPlan): Promise<Answer> {
    const { table, access, upsert } = plan;
    const batch = await readBatch(plan.body, table, 'me', rowsToInsert(upsert));
    const after = new Map(this.world.facts.map((row): [Value, Row] => [row['id'] ?? null, row]));
    const ids: Value[] = [];
    const made = batch.groups.map((group) =>
      upsert !== undefined && isChange(group, plan)
        ? {
            columns: group.columns,
            rows: group.rows,
            onConflict: authorizeUpsertUpdates({ table, key: upsert, ...group }, access),
            isNew: false,
          }
        : { ...authorize<InsertPlan>({ table, ...group, upsert }, access, 'insert'), isNew: true },
    );
    for (const { columns, rows, onConflict, isNew } of made)
      for (let i = 0; i < rows.count; i++) {
        const values = rows.row(i);
        const given: Row = Object.fromEntries(columns.map((of, at) => [of.name, typed(of, values[at])]));
        const id = given['id'] ?? null;
        const there = after.get(id);
        ids.push(id);
        if (there === undefined && !isNew) throw apiError('row_not_there', String(i), 'c');
        if (there === undefined) after.set(id, complete({ ...DEFAULTS, ...given }));
        else if (upsert === undefined || matches(onConflict?.where, there, { ...this.world }) !== true)
          throw apiError('rows_duplicate', 'it is there');
        else after.set(id, { ...there, ...Object.fromEntries((onConflict?.set ?? []).map(({ name }) => [name, given[name] ?? null])) });
      }
    return this.#written(plan, 201, rowsOf(after, ids), [...after.values()]);
  }

  async #patch(plan: PatchBodyPlan): Promise<Answer> {
    const { table, access } = plan;
    if (table.primaryKey.length === 0) throw apiError('key_missing');
    const batch = await readBatch(plan.body, table, 'me', ROWS.patch);
    const after = new Map(this.world.facts.map((row): [Value, Row] => [row['id'] ?? null, row]));
    const written: [number, Value][] = [];
    const patches = batch.groups.map(({ columns, rows, places }) => ({
      patch: authorize<UpdateRowsPlan>({ table, key: table.primaryKey, columns, rows }, access, 'update'),
      places,
    }));
    for (const { patch, places } of patches) {
      for (let i = 0; i < patch.rows.count; i++) {
        const values = patch.rows.row(i);
        const given: Row = Object.fromEntries(patch.columns.map((of, at) => [of.name, typed(of, values[at])]));
        const there = after.get(given['id'] ?? null);
        if (there === undefined || matches(patch.where, there, { ...this.world }) !== true)
          throw apiError('patch_row_unknown', String(places[i]));
        after.set(given['id'] ?? null, { ...there, ...given });
        written.push([places[i] ?? 0, given['id'] ?? null]);
      }
    }
    written.sort(([a], [b]) => a - b);
    return this.#written(
      plan,
      200,
      rowsOf(
        after,
        written.map(([, id]) => id),
      ),
      [...after.values()],
    );
  }
}

/** The service must reject what the database would reject. */
function complete(row: Row): Row {
  for (const name of ['id', 'c', 'd']) if (row[name] === null || row[name] === undefined) throw new Error(`no value for ${name}`);
  return row;
}

const answer = (status: number, body: unknown, headers: Answer['headers'] = {}): Answer => ({ status, body, headers });

function parse({ method, key: at, query, body }: Ask): AutoRequest {
  const parameters = parseQuery(query.filter((part) => part !== '').join('&'));
  const row = at === undefined ? undefined : { key: String(at), ifMatch: undefined, ifNoneMatch: undefined };
  const bytes = Buffer.from(JSON.stringify(body ?? null));
  if (method === 'GET') return row === undefined ? parseRead(parameters, 1000) : parseReadRow(parameters, row, 1000);
  if (method === 'POST') return parseInsert(parameters, bytes);
  if (method === 'PUT') return parseUpdate(parameters, row);
  return method === 'PATCH' ? parsePatch(parameters, bytes, row) : parseDelete(parameters, row);
}
