// Random personas, callers and requests on every engine: what the caller sees and changes is exactly what the raw rows and the document say.
// MILLRACE_TEST_SEED gives the same again, MILLRACE_TEST_REQUESTS more of them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Claims,
  COLUMNS,
  columnsIn,
  documentOf,
  type Filter,
  type Grant,
  type Grants,
  holds,
  isNumber,
  Oracle,
  type Row,
  textOf,
  type Value,
} from '../personas/oracle.ts';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, startService, type TestProject } from '../support/service.ts';
import { Random } from '../torture/random.ts';

const SEED = Number(process.env['MILLRACE_TEST_SEED'] ?? Date.now() % 1_000_000);
/** ClickHouse writes by mutations, and may be emulated. */
const REQUESTS: Record<EngineName, number> = { postgres: 2_000, mysql: 2_000, mariadb: 2_000, clickhouse: 300 };
const MOST = process.env['MILLRACE_TEST_REQUESTS'];
const ROUND = 100;

const TABLE: Record<EngineName, string> = {
  postgres: 'CREATE TABLE facts (id int PRIMARY KEY, a int, b varchar(20), c varchar(20) NOT NULL, d int NOT NULL DEFAULT 5)',
  mysql: 'CREATE TABLE facts (id int PRIMARY KEY, a int, b varchar(20), c varchar(20) NOT NULL, d int NOT NULL DEFAULT 5)',
  mariadb: 'CREATE TABLE facts (id int PRIMARY KEY, a int, b varchar(20), c varchar(20) NOT NULL, d int NOT NULL DEFAULT 5)',
  clickhouse:
    'CREATE TABLE facts (id Int32, a Nullable(Int32), b Nullable(String), c String, d Int32 DEFAULT 5) ENGINE = MergeTree ORDER BY id',
};

class Dice {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  chance(share: number): boolean {
    return Math.floor(this.#random.next() * 1000) < share * 1000;
  }

  one<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random.next() * items.length)] as T;
  }

  below(most: number): number {
    return Math.floor(this.#random.next() * most);
  }

  some<T>(items: readonly T[], share = 0.5): T[] {
    return items.filter(() => this.chance(share));
  }

  value(column: string): number | string {
    return isNumber(column) ? this.below(6) : this.one(['w', 'x', 'y', 'z']);
  }

  filter(columns: readonly string[], source: 'claims' | 'values', depth = 0): Filter {
    const kind = this.below(depth > 1 ? 7 : 10);
    const column = this.one(columns);
    const isClaimed = source === 'claims' && this.chance(0.5);
    if (kind < 4) {
      const op = this.one(['eq', 'ne', 'lt', 'gt'] as const);
      return { op, column, value: isClaimed ? { claim: isNumber(column) ? 'n' : 't' } : this.value(column) };
    }
    if (kind < 6) {
      const values = isClaimed ? { claim: isNumber(column) ? 'ns' : 'ts' } : [this.value(column), this.value(column)];
      return { op: this.one(['in', 'nin'] as const), column, values };
    }
    if (kind === 6) return { op: this.one(['null', 'notnull'] as const), column };
    if (kind === 7) return { op: 'not', of: this.filter(columns, source, depth + 1) };
    return { op: this.one(['or', 'and'] as const), of: [this.filter(columns, source, depth + 1), this.filter(columns, source, depth + 1)] };
  }

  grants(): Grants {
    const grants: { -readonly [K in keyof Grants]: Grant } = {};
    const rows = (): Pick<Grant, 'rows'> =>
      this.chance(0.7) ? { rows: [this.filter(COLUMNS, 'claims'), ...(this.chance(0.3) ? [this.filter(COLUMNS, 'values')] : [])] } : {};
    const list = (from: readonly string[]): Pick<Grant, 'columns' | 'except'> => {
      const chosen = this.some(from, 0.7);
      if (chosen.length === 0 || this.chance(0.3)) return {};
      return this.chance(0.5) ? { columns: chosen } : { except: chosen.slice(0, 2) };
    };
    if (this.chance(0.9)) {
      const mask = Object.fromEntries(this.some(['a', 'b', 'c', 'd'], 0.15).map((column) => [column, this.one(['***', null])]));
      grants.read = { ...list(COLUMNS), ...rows(), mask, ...(this.chance(0.3) && { max_page_size: 1 + this.below(8) }) };
    }
    const set = (): Row =>
      Object.fromEntries(
        this.some(['a', 'b', 'd'], 0.25).map((column) => [
          column,
          this.chance(0.4) ? ({ claim: isNumber(column) ? 'n' : 't' } as unknown as Value) : this.value(column),
        ]),
      );
    if (this.chance(0.7)) {
      const given = set();
      grants.insert = { ...list(COLUMNS.filter((column) => !(column in given))), set: given };
    }
    if (this.chance(0.7)) {
      const given = set();
      const ruled = rows();
      const named = new Set((ruled.rows ?? []).flatMap(columnsIn));
      grants.update = {
        ...list(COLUMNS.filter((column) => column !== 'id' && !(column in given) && !named.has(column))),
        ...ruled,
        set: given,
      };
    }
    if (this.chance(0.6)) grants.delete = rows();
    return grants;
  }

  claims(): Claims {
    const all: Claims = {
      n: this.below(6),
      t: this.one(['w', 'x', 'y']),
      ns: this.some([0, 1, 2, 3, 4, 5], 0.4),
      ts: this.some(['w', 'x', 'y', 'z'], 0.4),
    };
    return Object.fromEntries(Object.entries(all).filter(() => this.chance(0.95)));
  }

  row(id: number): Row {
    return {
      id,
      a: this.chance(0.2) ? null : this.below(6),
      b: this.chance(0.2) ? null : this.one(['w', 'x', 'y', 'z']),
      c: this.one(['w', 'x', 'y', 'z']),
      d: this.below(6),
    };
  }
}

/** NULL before everything, upwards. */
const compare = (one: Value, other: Value): number => (one === other ? 0 : one === null ? -1 : other === null ? 1 : one < other ? -1 : 1);

interface Ask {
  readonly method: string;
  readonly query: string;
  readonly body?: unknown;
}

/** What the oracle expects: statuses of refusals, or an outcome. */
interface Expected {
  readonly problems: readonly number[];
  readonly rows?: readonly Row[];
  readonly affected?: number;
  readonly after?: readonly Row[];
}

describe.each(ENGINE_NAMES)('random personas on %s', (engine) => {
  const dice = new Dice(SEED + ENGINE_NAMES.indexOf(engine));
  let database: TestDatabase;
  let service: Service;
  let project: TestProject;
  let facts: readonly Row[] = [];

  beforeAll(async () => {
    database = await createDatabase(engine);
    await database.run(TABLE[engine]);
    service = await startService();
    project = await setUpProject(service, [database.entry()]);
    const rows = Array.from({ length: 24 }, (_, id) => dice.row(id));
    expect((await send({ method: 'POST', query: '', body: rows }, {})).status).toBe(201);
    facts = rows;
  });
  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const send = ({ method, query, body }: Ask, headers: Record<string, string>): Promise<Response> =>
    service.request(method, `${project.autoPath(database.dbType, database.name, 'facts')}?${query}`, {
      headers: { ...project.headers, ...headers },
      ...(body === undefined ? {} : { body }),
    });

  const expecting = (work: () => Expected): Expected => work();

  const chosen = (filters: readonly Filter[], claims: Claims) => (row: Row) =>
    filters.every((filter) => holds(filter, row, claims) === true);
  const names = ['id', 'a', 'b', 'c', 'd', 'zz'];

  function read(oracle: Oracle, claims: Claims): readonly [Ask, Expected] {
    const filters = dice.chance(0.6) ? [dice.filter(dice.chance(0.8) ? [...oracle.readable, 'id'] : names, 'values')] : [];
    const order = dice.chance(0.3) ? dice.one(names) : undefined;
    const direction = dice.one(['asc', 'desc'] as const);
    const select = dice.chance(0.3) ? [...new Set([dice.one(names), dice.one(names)])] : undefined;
    const [size, page] = [1 + dice.below(9), dice.below(3)];
    const query = [
      `pg=${page}&ps=${size}`,
      ...filters.map(textOf),
      ...(order === undefined ? [] : [`$order=${order}.${direction}`]),
      ...(select === undefined ? [] : [`$select=${select.join(',')}`]),
    ];
    const ask = { method: 'GET', query: query.join('&') };
    if (!oracle.isGranted('read')) return [ask, { problems: [403] }];
    const problems = [
      ...oracle.problemsOf([...filters.flatMap(columnsIn), ...(order === undefined ? [] : [order])]),
      ...(select ?? []).flatMap((column) => (oracle.readable.has(column) ? [] : [400])),
      ...(size > oracle.mostRows ? [400] : []),
      ...oracle.lacking('read'),
    ];
    return [
      ask,
      expecting(() => {
        const found = facts.filter((row) => oracle.reaches('read', row) && (problems.length > 0 || chosen(filters, claims)(row)));
        const sign = direction === 'asc' ? 1 : -1;
        const sorted = [...found].sort(
          (one, other) =>
            (order === undefined ? 0 : sign * compare(one[order] ?? null, other[order] ?? null)) || Number(one['id']) - Number(other['id']),
        );
        const columns = select ?? COLUMNS.filter((column) => oracle.readable.has(column));
        return { problems, rows: sorted.slice(page * size, (page + 1) * size).map((row) => oracle.shown(row, columns)) };
      }),
    ];
  }

  function update(oracle: Oracle, claims: Claims): readonly [Ask, Expected] {
    const filter = dice.filter(dice.chance(0.9) ? [...oracle.readable, 'id'] : names, 'values');
    const column = dice.one(['a', 'b', 'c', 'd', 'zz']);
    const value = dice.value(column);
    const ask = { method: 'PUT', query: `${textOf(filter)}&set=${column}.${value}` };
    if (!oracle.isGranted('update')) return [ask, { problems: [403] }];
    const problems = [
      ...oracle.problemsOf(columnsIn(filter)),
      ...oracle.problemOfGiving('update', column, 400),
      ...oracle.lacking('update'),
    ];
    return [
      ask,
      expecting(() => {
        const presets = oracle.presets('update');
        const hits = new Set(facts.filter((row) => oracle.reaches('update', row) && chosen([filter], claims)(row)));
        return {
          problems,
          affected: hits.size,
          after: facts.map((row) => (hits.has(row) ? { ...row, [column]: value, ...presets } : row)),
        };
      }),
    ];
  }

  function remove(oracle: Oracle, claims: Claims): readonly [Ask, Expected] {
    const filter: Filter = {
      op: 'and',
      of: [dice.filter(dice.chance(0.9) ? [...oracle.readable, 'id'] : names, 'values'), { op: 'eq', column: 'id', value: dice.below(40) }],
    };
    const ask = { method: 'DELETE', query: textOf(filter) };
    if (!oracle.isGranted('delete')) return [ask, { problems: [403] }];
    return [
      ask,
      expecting(() => {
        const hits = new Set(facts.filter((row) => oracle.reaches('delete', row) && chosen([filter], claims)(row)));
        return {
          problems: [...oracle.problemsOf(columnsIn(filter)), ...oracle.lacking('delete')],
          affected: hits.size,
          after: facts.filter((row) => !hits.has(row)),
        };
      }),
    ];
  }

  function insert(oracle: Oracle): readonly [Ask, Expected] {
    const isUpsert = engine !== 'clickhouse' && dice.chance(0.4);
    const id = isUpsert || engine !== 'clickhouse' ? dice.below(40) : 40 + dice.below(100_000);
    const given = dice.some(['a', 'b', 'c', 'd'], 0.5).concat(dice.chance(0.05) ? ['zz'] : [], dice.chance(0.8) ? ['c'] : []);
    const body: Row = { id, ...Object.fromEntries([...new Set(given)].map((column) => [column, dice.value(column)])) };
    const ask = { method: 'POST', query: isUpsert ? '$upsert=true' : '', body: [body] };
    if (!oracle.isGranted('insert') || (isUpsert && !oracle.isGranted('update'))) return [ask, { problems: [403, 422] }];
    return [
      ask,
      expecting(() => {
        const presets = oracle.presets('insert');
        const row: Row = { a: null, b: null, d: 5, ...body, ...presets };
        const problems = Object.keys(body)
          .flatMap((column) => oracle.problemOfGiving('insert', column, 422))
          .concat(oracle.lacking('insert'));
        if (isUpsert) problems.push(...oracle.lacking('update').filter(() => oracle.lacksRule('update')));
        if (row['c'] === undefined || !(oracle.columns('insert').has('c') || 'c' in presets)) problems.push(422);
        const there = facts.find((other) => other['id'] === id);
        if (there === undefined) return { problems, affected: 1, after: [...facts, row] };
        if (!isUpsert || !oracle.reaches('update', there)) return { problems: [...problems, 409] };
        const both = Object.keys(body).filter((column) => column !== 'id' && oracle.columns('update').has(column));
        const changed = { ...there, ...Object.fromEntries(both.map((column) => [column, body[column] ?? null])) };
        return { problems, affected: 1, after: facts.map((other) => (other === there ? changed : other)) };
      }),
    ];
  }

  async function check([ask, expected]: readonly [Ask, Expected], headers: Record<string, string>, document: object): Promise<void> {
    const answer = await send(ask, headers);
    const context = `seed ${SEED}: ${ask.method} ${ask.query} ${JSON.stringify(ask.body ?? '')} as ${headers['x-user-claims']} under ${JSON.stringify(document)}: ${answer.text}`;
    if (expected.problems.length > 0) {
      expect(expected.problems, context).toContain(answer.status);
      return;
    }
    expect(answer.status, context).toBe(ask.method === 'POST' ? 201 : 200);
    if (expected.rows !== undefined) expect(answer.json(), context).toEqual(expected.rows);
    else expect(answer.json(), context).toEqual({ rows_affected: expected.affected });
  }

  const byId = (rows: readonly Row[]): Row[] => [...rows].sort((one, other) => Number(one['id']) - Number(other['id']));

  test(`what they see and change is what the rows and the document say (seed ${SEED})`, { timeout: 600_000 }, async () => {
    const most = MOST === undefined ? REQUESTS[engine] : Number(MOST);
    for (let sent = 0; sent < most; sent += ROUND) {
      const grants = dice.grants();
      const document = documentOf(grants);
      const put = {
        persona: 'p',
        roles: ['user'],
        tables: { [`${database.dbType}/${database.name}/facts`]: document, [`${database.dbType}/${database.name}/*`]: { read: true } },
      };
      const stored = await service.request('POST', '/svc/persona/v1', { headers: project.headers, body: put });
      expect([200, 201], `seed ${SEED}: ${stored.text} ${JSON.stringify(put)}`).toContain(stored.status);
      const isNothing = Object.keys(grants).length === 0;
      for (let part = 0; part < 5; part++) {
        const claims = dice.claims();
        const oracle = new Oracle(grants, claims);
        const headers = { 'x-user-roles': 'user', 'x-user-claims': JSON.stringify(claims) };
        const reads = Array.from({ length: ROUND / 5 - 4 }, () => read(oracle, claims));
        await Promise.all(reads.map(([ask, expected]) => check([ask, isNothing ? { problems: [404] } : expected], headers, document)));
        for (let i = 0; i < 4; i++) {
          const [ask, expected] = dice.one([
            () => update(oracle, claims),
            () => remove(oracle, claims),
            () => insert(oracle),
            () => insert(oracle),
          ])();
          await check([ask, isNothing ? { problems: [404] } : expected], headers, document);
          if (!isNothing && expected.problems.length === 0 && expected.after !== undefined) facts = byId(expected.after);
        }
        const now = await send({ method: 'GET', query: 'pg=0&ps=1000' }, {});
        expect(now.json(), `seed ${SEED}: the rows after writes under ${JSON.stringify(document)}`).toEqual(byId(facts));
      }
    }
  });
});
