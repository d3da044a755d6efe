// Checks of authorization without a database: random requests of the oracle, run on rows in memory,
// and single guarantees. Plain functions that throw, so that `scripts/mutate-access.mjs` can run
// them on changed code.
import { isDeepStrictEqual } from 'node:util';
import { explain } from '../../src/auto/execute/failures.ts';
import type { Access } from '../../src/auto/plan/access.ts';
import { authorize, authorizeUpsertUpdates, mayEstimate, visibleColumnNames, visibleTable } from '../../src/auto/plan/authorize.ts';
import { DbFailure } from '../../src/engines/contract/engine.ts';
import { ApiError } from '../../src/errors.ts';
import type { Operation } from '../../src/model/persona.ts';
import type { Table } from '../../src/model/table.ts';
import type { SelectPlan } from '../../src/sql/plan.ts';
import { RowValues } from '../../src/sql/rows.ts';
import { Random } from '../torture/random.ts';
import { Dice, IDS, NOTES } from './dice.ts';
import { type Answer, MemoryService, TABLES } from './memory-service.ts';
import { documentOf } from './oracle.ts';
import { type Ask, type Expected, Requests, sorted, type World } from './requests.ts';

const CALLERS = 3;

const bag = (rows: unknown): readonly string[] => (rows as readonly unknown[]).map((row) => JSON.stringify(row)).sort();

function isExpected({ problems, status, body, isBag, headers = {} }: Expected, answer: Answer): boolean {
  if (problems.length > 0) return problems.includes(answer.status);
  if (answer.status !== status) return false;
  if (!Object.entries(headers).every(([name, value]) => answer.headers[name] === value)) return false;
  return isBag === true ? isDeepStrictEqual(bag(answer.body), bag(body)) : isDeepStrictEqual(answer.body, body);
}

function demand(isSo: boolean, what: () => string): void {
  if (!isSo) throw new Error(what());
}

export async function oracle(seed: number, personas: number): Promise<void> {
  const dice = new Dice(new Random(seed));
  for (let i = 0; i < personas; i++) await onePersona(dice, seed);
}

async function onePersona(dice: Dice, seed: number): Promise<void> {
  const grants = { facts: dice.grants(), notes: dice.chance(0.85) ? { read: dice.read(NOTES) } : {} };
  const documents = { facts: documentOf(grants.facts), notes: documentOf(grants.notes) };
  const world: World = {
    facts: Array.from({ length: IDS - 6 }, (_, id) => dice.fact(id)),
    notes: Array.from({ length: 20 }, (_, id) => dice.note(id)),
  };
  const service = new MemoryService(documents, world);
  const callers = Array.from({ length: CALLERS }, () => dice.claims()).map((claims) => ({ claims, caller: service.caller(claims) }));
  for (const { claims, caller } of [...callers, ...callers]) {
    const requests = new Requests(dice, grants, claims, world, { transactions: true });
    const context = (): string =>
      `seed ${seed}: as ${JSON.stringify(claims)} under ${JSON.stringify(documents)}\nwith ${JSON.stringify(world)}`;
    const check = async (ask: Ask, expected: Expected): Promise<void> => {
      const answer = await service.send(ask, caller);
      demand(
        isExpected(expected, answer),
        () =>
          `${JSON.stringify(ask)} gives ${JSON.stringify(answer)} ${(answer.error as Error)?.stack}\n${JSON.stringify(expected)}\n${context()}`,
      );
    };
    for (let n = 0; n < 6; n++) await check(...requests.read({ facts: 'facts', notes: 'notes' }));
    for (let n = 0; n < 5; n++) {
      const [ask, expected] = requests.write();
      await check(ask, expected);
      if (expected.problems.length === 0 && expected.after !== undefined) world.facts = sorted(expected.after);
      service.world.facts = sorted(service.world.facts);
      const now = service.world.facts;
      demand(isDeepStrictEqual(now, world.facts), () => `${JSON.stringify(ask)} leaves ${JSON.stringify(now)}\n${context()}`);
    }
    const walk = requests.facts.isNothing ? undefined : requests.walk();
    let cursor = '';
    for (const page of walk?.pages ?? []) {
      const answer = await service.send({ method: 'GET', table: 'facts', query: [walk?.query ?? '', `$after=${cursor}`] }, caller);
      const isSo = answer.status === 200 && isDeepStrictEqual(answer.body, page);
      demand(isSo, () => `${walk?.query} gives ${JSON.stringify(answer)}, not ${JSON.stringify(page)}\n${context()}`);
      cursor = String(answer.headers['x-next-cursor']);
    }
  }
}

const EMPTY: World = { facts: [], notes: [] };
const under = (facts: object): { readonly service: MemoryService; readonly access: Access } => {
  const service = new MemoryService({ facts, notes: {} }, EMPTY);
  return { service, access: service.accessFor(service.caller({})) };
};
const facts = TABLES.get('facts') as Table;
const NO_ROWS = RowValues.of(0, []);

/** Returns the status of an ApiError, the message of another error, or `undefined`. */
function thrown(work: () => unknown): string | number | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof ApiError ? error.status : (error as Error).message;
  }
}

const select = (table: Table, columns = table.columns): SelectPlan => ({
  table,
  columns,
  where: undefined,
  order: [],
  limit: 1,
  offset: 0,
});
const is = (found: unknown, wanted: unknown): void =>
  demand(isDeepStrictEqual(found, wanted), () => `it is ${JSON.stringify(found)} and not ${JSON.stringify(wanted)}`);

/** Single guarantees by name. */
export const PROMISES: Readonly<Record<string, () => void | Promise<void>>> = {
  'a plan that was made past the rules is not run': () => {
    const { access } = under({ read: { columns: ['id'] }, delete: true });
    demand(/past the rules/.test(String(thrown(() => authorize(select(facts), access, 'read')))), () => 'the table itself was accepted');
    const view = visibleTable(facts, access, 'read');
    demand(
      /another operation/.test(String(thrown(() => authorize(select(view), access, 'delete')))),
      () => 'a view of another operation was accepted',
    );
    const secret = facts.byName.get('c');
    demand(
      /past the rules/.test(String(thrown(() => authorize(select(view, secret === undefined ? [] : [secret]), access, 'read')))),
      () => 'a column was shown',
    );
    is(
      authorize(select(view), access, 'read').columns.map(({ name }) => name),
      ['id'],
    );
  },

  'a table without a grant is not there, an operation without one is refused, a broken rule fails closed': () => {
    const status = (document: object, operation: Operation) => thrown(() => visibleTable(facts, under(document).access, operation));
    is(status({}, 'read'), 404);
    is(status({ read: true }, 'delete'), 403);
    is(status({ read: { rows: ['gone=eq.1'] }, delete: true }, 'read'), 500);
    is(status({ read: { rows: ['gone=eq.1'] }, delete: true }, 'delete'), undefined);
    is(status({ read: { except: ['gone'] } }, 'read'), 500);
    is(status({ read: { mask: { gone: '*' } } }, 'read'), 500);
    is(status({ read: { mask: { id: '*' } } }, 'read'), 500);
    is(status({ insert: { set: { gone: 1 } } }, 'insert'), 500);
    is(status({ read: { columns: ['id', 'gone'] } }, 'read'), undefined);
    is(status({ read: { columns: ['gone'] }, delete: true }, 'read'), 500);
  },

  'errors name what the caller knows of, and nothing else': () => {
    const { access } = under({ read: { columns: ['id'] }, insert: { columns: ['a'], set: { b: 'x' } } });
    const known = visibleColumnNames(access, facts);
    is([...(known ?? [])], ['id', 'a']);
    const failure = (column: string): DbFailure => new DbFailure('duplicate', `the key uq_${column} is taken`, { column });
    const said = (column: string): string =>
      explain(failure(column), { operation: 'insert', table: 'facts', timeoutSecs: 1, requestId: '', known }).message;
    demand(!said('b').includes('b"') && !said('b').includes('uq_') && said('a').includes('"a"'), () => said('b'));
  },

  'cursors are sealed': async () => {
    const { service } = under({ read: { except: ['id'] } });
    service.world.facts = [0, 1, 2].map((id) => ({ id, a: 1, b: 'x', c: 'y', d: 1 }));
    const page = (after: string) =>
      service.send({ method: 'GET', table: 'facts', query: ['pg=0&ps=1', `$after=${after}`] }, service.caller({}));
    const cursor = (await page('')).headers['x-next-cursor'] ?? '';
    demand(cursor !== '' && !Buffer.from(cursor, 'base64url').toString('latin1').includes('id asc'), () => 'a cursor can be read');
    is((await page(Buffer.from(JSON.stringify(['id asc', '0'])).toString('base64url'))).status, 400);
    is((await page(cursor)).status, 200);
  },

  'answers are shared by who has the same persona, user, roles, claims and space': () => {
    const { service } = under({ read: true });
    const caller = service.caller({ n: 1 });
    const key = (changes: object): string => service.accessFor({ ...caller, ...changes }).key;
    const keys = [{}, { userId: 'other' }, { roles: new Set(['r', 'q']) }, { claims: new Map([['n', 2]]) }, { spaceId: 't' }].map(key);
    is(new Set(keys).size, keys.length);
    is(key({}), key({ roles: new Set(['r']) }));
  },

  'a column that every row needs and nobody may give': () => {
    const insert = (document: object, columns: readonly string[]) => {
      const { access } = under(document);
      const table = visibleTable(facts, access, 'insert');
      const given = columns.flatMap((name) => facts.byName.get(name) ?? []);
      return thrown(() => authorize({ table, columns: given, rows: NO_ROWS, upsert: undefined }, access, 'insert'));
    };
    is(insert({ insert: { columns: ['id', 'a'] } }, ['id', 'a']), 422);
    is(insert({ insert: { columns: ['id', 'a'], set: { c: 'x' } } }, ['id', 'a']), undefined);
    is(insert({ insert: { columns: ['id', 'c'] } }, ['id', 'd']), 403);
  },

  'authorizing rejects columns that may not be written, whichever planner is used': () => {
    const { access } = under({ read: true, insert: { columns: ['id', 'a', 'c'] }, update: { columns: ['a'] } });
    const table = visibleTable(facts, access, 'update');
    const [id, a, b] = facts.columns;
    if (id === undefined || a === undefined || b === undefined) throw new Error('there are no columns');
    const where = { op: 'null', column: id } as const;
    const update = (column: typeof a) => thrown(() => authorize({ table, set: [{ column, value: null }], where }, access, 'update'));
    is([update(a), update(b)], [undefined, 403]);
    const rows = RowValues.of(2, []);
    const patch = (column: typeof a) => thrown(() => authorize({ table, key: [id], columns: [id, column], rows }, access, 'update'));
    is([patch(a), patch(b)], [undefined, 403]);
    const into = visibleTable(facts, access, 'insert');
    const taken = (column: typeof a) =>
      thrown(() => authorizeUpsertUpdates({ table: into, key: [id], columns: [id, column], rows }, access));
    is([taken(a), taken(b)], [undefined, 403]);
  },

  'a part of the key that the service gives is nobody else’s to send, and is written with the rows': () => {
    const given = { except: ['id'], set: { id: 7 } };
    const { access } = under({ read: true, insert: given, update: given });
    const [id, a] = facts.columns;
    if (id === undefined || a === undefined) throw new Error('there are no columns');
    const update = { table: visibleTable(facts, access, 'update'), key: [id], columns: [id, a], rows: RowValues.of(2, [['1', '2']]) };
    is(
      thrown(() => authorize(update, access, 'update')),
      403,
    );
    const table = visibleTable(facts, access, 'insert');
    const taken = authorizeUpsertUpdates({ table, key: [id], columns: [a], rows: RowValues.of(1, [['2']]) }, access);
    is([taken.columns, taken.set, taken.rows.row(0)], [[a, id], [a], ['2', '7']]);
  },

  'a number of rows is guessed only where all rows may be read': () => {
    const may = (read: object | boolean, reachesOthers: boolean): boolean => {
      const { access } = under({ read });
      return mayEstimate(visibleTable(facts, access, 'read'), access, reachesOthers);
    };
    is([may(true, false), may({ rows: ['a=eq.1'] }, false), may(true, true)], [true, false, false]);
  },

  'a relation goes over columns that may be read as they are': () => {
    const reads = (read: object | boolean, name: string): boolean => new MemoryService({ facts: { read }, notes: {} }, EMPTY).reads(name);
    is(
      [reads(true, 'a'), reads({ columns: ['a'] }, 'a'), reads({ columns: ['b'] }, 'a'), reads({ except: ['a'] }, 'a')],
      [true, true, false, false],
    );
    is([reads({ mask: { a: '*' } }, 'a'), reads({ mask: { b: '*' } }, 'a')], [false, true]);
  },
};
