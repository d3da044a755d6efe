// Order and cursors of rows that the visible columns do not tell apart: tables without a primary
// key, and personas that hide columns. No hidden column shows in the order, and no row is lost.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';

const USER = { 'x-user-roles': 'user' };

interface Bid {
  readonly amount: number;
  readonly bidder: string;
  readonly extra: string | null;
}

const bid = (amount: number, bidder: string, extra: string | null = null): Bid => ({ amount, bidder, extra });

/** Sorted by amount, the bidders alternate. Two rows are equal in all columns. */
const BIDS: readonly Bid[] = [
  bid(10, 'cy'),
  bid(20, 'ada'),
  bid(30, 'bob'),
  bid(40, 'ada'),
  bid(50, 'cy', 'x'),
  bid(60, 'bob'),
  bid(70, 'ada'),
  bid(80, 'ada', 'x'),
  bid(90, 'ada'),
  bid(90, 'ada'),
  bid(90, 'ada'),
];

const CREATE: Readonly<Record<EngineName, readonly string[]>> = {
  postgres: [
    'CREATE TABLE bids (amount int NOT NULL, bidder varchar(20) NOT NULL, extra varchar(20))',
    'CREATE TABLE keyed (k varchar(200) PRIMARY KEY, v int)',
  ],
  mysql: [
    'CREATE TABLE bids (amount int NOT NULL, bidder varchar(20) NOT NULL, extra varchar(20))',
    'CREATE TABLE keyed (k varchar(200) PRIMARY KEY, v int)',
  ],
  mariadb: [
    'CREATE TABLE bids (amount int NOT NULL, bidder varchar(20) NOT NULL, extra varchar(20))',
    'CREATE TABLE keyed (k varchar(200) PRIMARY KEY, v int)',
  ],
  clickhouse: [
    'CREATE TABLE bids (amount Int32, bidder String, extra Nullable(String)) ENGINE = MergeTree ORDER BY tuple()',
    'CREATE TABLE keyed (k String, v Int32) ENGINE = MergeTree ORDER BY k',
  ],
};

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

describe.each(ENGINE_NAMES)('tied rows on %s', (engine) => {
  let database: TestDatabase;
  let project: TestProject;

  beforeAll(async () => {
    database = await createDatabase(engine);
    for (const statement of CREATE[engine]) await database.run(statement);
    project = await setUpProject(service, [database.entry()]);
    expect((await send('POST', 'keyed', '', {}, KEYED)).status).toBe(201);
  });
  afterAll(() => database?.drop());

  const send = (method: string, table: string, query: string, headers: Record<string, string>, body?: unknown): Promise<Response> =>
    service.request(method, `${project.autoPath(database.dbType, database.name, table)}${query === '' ? '' : `?${query}`}`, {
      headers: { ...project.headers, ...headers },
      ...(body === undefined ? {} : { body }),
    });

  async function grant(tables: Readonly<Record<string, unknown>>): Promise<void> {
    const named = Object.fromEntries(
      Object.entries(tables).map(([table, read]) => [`${database.dbType}/${database.name}/${table}`, { read }]),
    );
    const body = { persona: 'tester', roles: ['user'], tables: named };
    const answer = await service.request('POST', '/svc/persona/v1', { headers: project.headers, body });
    expect([200, 201], answer.text).toContain(answer.status);
  }

  async function fill(rows: readonly Bid[]): Promise<void> {
    expect((await send('DELETE', 'bids', 'amount=ge.0', {})).status).toBe(200);
    for (const row of rows) expect((await send('POST', 'bids', '', {}, [row])).status).toBe(201);
  }

  /** Rows and cursors of all pages of a size. */
  async function walk(table: string, size: number, headers: Record<string, string>, query = ''): Promise<[unknown[], string[]]> {
    const rows: unknown[] = [];
    const cursors: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const answer: Response = await send('GET', table, `pg=0&ps=${size}&$after=${cursor}${query}`, headers);
      expect(answer.status, answer.text).toBe(200);
      const page = answer.json<unknown[]>();
      expect(page.length).toBeLessThanOrEqual(size);
      rows.push(...page);
      cursor = answer.headers['x-next-cursor'] as string | undefined;
      if (cursor !== undefined) cursors.push(cursor);
      expect(cursors.length).toBeLessThan(50);
    }
    return [rows, cursors];
  }

  const sorted = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

  it('are each returned once by cursors of any page size', async () => {
    await fill(BIDS);
    for (const size of [1, 2, 3, 4, 10, 11, 12])
      for (const query of ['', '&$select=bidder&$order=bidder.desc', '&$select=extra&$order=extra'])
        expect([size, query, (await walk('bids', size, {}, query))[0].length]).toEqual([size, query, BIDS.length]);
    expect(sorted((await walk('bids', 2, {}))[0])).toEqual(sorted(BIDS));
  });

  it('are ordered by the columns that the caller may read, with every page size', async () => {
    await grant({ bids: { columns: ['bidder'] } });
    const expected = BIDS.map(({ bidder }) => ({ bidder })).sort((a, b) => (a.bidder < b.bidder ? -1 : a.bidder > b.bidder ? 1 : 0));
    for (const rows of [BIDS, BIDS.toReversed()]) {
      await fill(rows);
      expect((await send('GET', 'bids', 'pg=0&ps=100', USER)).json()).toEqual(expected);
      for (const size of [1, 3, 5, 11]) expect((await walk('bids', size, USER))[0]).toEqual(expected);
    }
  });

  it('are not lost when their texts differ only in case', async () => {
    await grant({ bids: { columns: ['bidder'] } });
    await fill(['ada', 'Ada', 'ADA', 'ada', 'Bob', 'bob'].map((bidder, i) => bid(i, bidder)));
    for (const size of [1, 2, 4]) expect(sorted((await walk('bids', size, USER))[0])).toHaveLength(6);
  });

  it('are not ordered by a masked column', async () => {
    await grant({ bids: { columns: ['amount', 'bidder'], mask: { amount: '***' } } });
    await fill(BIDS);
    const rows = (await walk('bids', 2, USER))[0] as { amount: string; bidder: string }[];
    expect(rows.map(({ amount }) => amount)).toEqual(BIDS.map(() => '***'));
    expect(rows.map(({ bidder }) => bidder)).toEqual(BIDS.map(({ bidder }) => bidder).sort());
  });

  it('continue after a row that is deleted or inserted at the boundary', async () => {
    await fill(BIDS);
    const first = await send('GET', 'bids', 'pg=0&ps=3&$after=', {});
    const cursor = first.headers['x-next-cursor'] ?? '';
    expect((await send('DELETE', 'bids', 'amount=le.30', {})).status).toBe(200);
    expect((await send('GET', 'bids', `pg=0&ps=1&$after=${cursor}`, {})).json()).toMatchObject([{ amount: 40 }]);
  });

  it('have cursors of one length, whatever their hidden key is', async () => {
    await grant({ keyed: { columns: ['v'] } });
    const [rows, cursors] = await walk('keyed', 1, USER);
    expect(rows).toEqual(KEYED.map(({ v }) => ({ v })));
    expect(new Set(cursors.map(({ length }) => length)).size).toBe(1);
    expect(cursors.length).toBe(KEYED.length);
  });
});

const KEYED = [
  { k: 'a', v: 1 },
  { k: `b${'x'.repeat(150)}`, v: 2 },
  { k: `c${'x'.repeat(40)}`, v: 3 },
];
