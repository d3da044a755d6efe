// Aggregates at the edges: columns named like functions, years beyond the usual range, sums beyond
// the widest type, and estimates where an engine has none.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { TableClient } from './users-table.ts';

const TABLES: Readonly<Record<EngineName, string>> = {
  postgres: 'CREATE TABLE edges (id int PRIMARY KEY, "count" int, "max" int, at timestamp, day date)',
  mysql: 'CREATE TABLE edges (id int PRIMARY KEY, `count` int, `max` int, at datetime(3), day date)',
  mariadb: 'CREATE TABLE edges (id int PRIMARY KEY, `count` int, `max` int, at datetime(3), day date)',
  clickhouse:
    "CREATE TABLE edges (id Int32, `count` Int32, `max` Int32, at DateTime64(3, 'UTC'), day Date32) ENGINE = MergeTree ORDER BY id",
};

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

/** Times and the beginnings of their parts. */
const TIMES: readonly (readonly [at: string, Readonly<Record<string, string>>])[] = [
  [
    '1955-05-18T23:59:59.500',
    {
      year: '1955-01-01',
      quarter: '1955-04-01',
      month: '1955-05-01',
      week: '1955-05-16',
      day: '1955-05-18',
      hour: '23:00',
      minute: '23:59',
    },
  ],
  [
    '1969-12-31T23:59:59.999',
    {
      year: '1969-01-01',
      quarter: '1969-10-01',
      month: '1969-12-01',
      week: '1969-12-29',
      day: '1969-12-31',
      hour: '23:00',
      minute: '23:59',
    },
  ],
  [
    '1970-01-01T00:00:00.000',
    {
      year: '1970-01-01',
      quarter: '1970-01-01',
      month: '1970-01-01',
      week: '1969-12-29',
      day: '1970-01-01',
      hour: '00:00',
      minute: '00:00',
    },
  ],
  [
    '2200-12-31T12:34:56.000',
    {
      year: '2200-01-01',
      quarter: '2200-10-01',
      month: '2200-12-01',
      week: '2200-12-29',
      day: '2200-12-31',
      hour: '12:00',
      minute: '12:34',
    },
  ],
];

describe.each(ENGINE_NAMES)('aggregates at the edges on %s', (engine) => {
  let database: TestDatabase;
  let project: TestProject;
  let edges: TableClient;
  beforeAll(async () => {
    database = await createDatabase(engine);
    await database.run(TABLES[engine]);
    project = await setUpProject(service, [database.entry()]);
    edges = new TableClient(service, project, database, 'edges');
    const rows = TIMES.map(([at], i) => ({ id: i, count: i % 2, max: 7, at, day: at.slice(0, 10) }));
    expect((await edges.post(rows)).status).toBe(201);
  });
  afterAll(() => database?.drop());

  const ask = async (query: string): Promise<string> => (await edges.get(`pg=0&ps=100&${query}`)).text;

  it('groups by columns that are named like functions', async () => {
    expect(await ask('$agg=n:count&$group=count')).toBe('[{"count":0,"n":2},{"count":1,"n":2}]');
    expect(await ask('$agg=highest:max.id&$group=max,count&$order=max.desc,count')).toBe(
      '[{"max":7,"count":0,"highest":2},{"max":7,"count":1,"highest":3}]',
    );
    expect(await ask('$agg=n:count&$group=count&$having=(n=gt.1)&$order=count.desc')).toBe('[{"count":1,"n":2},{"count":0,"n":2}]');
  });

  it.each(['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute'])('groups old and late times by their %s', async (part) => {
    const expected = TIMES.map(([at, parts]) => {
      const begins = parts[part] ?? '';
      return begins.includes(':') ? `${at.slice(0, 10)}T${begins}:00` : `${begins}T00:00:00`;
    });
    const shown = JSON.parse(await ask(`$group=id,p:at.${part}`)) as { p: string }[];
    expect(shown.map(({ p }) => p.replace(/(?:\.0+)?Z?$/, ''))).toEqual(expected);
    if (part === 'hour' || part === 'minute') return;
    const days = JSON.parse(await ask(`$group=id,p:day.${part}`)) as { p: string }[];
    expect(days.map(({ p }) => p)).toEqual(expected.map((text) => text.slice(0, 10)));
  });

  it('estimates the number of rows', async () => {
    const { headers } = await edges.get('pg=0&ps=1&$count=estimated');
    expect([headers['x-count'], Number(headers['x-total-count']) > (engine === 'postgres' ? -1 : 0)]).toEqual(['estimated', true]);
  });

  it('does not count groups for an estimate', async () => {
    const { status, headers } = await edges.get('pg=0&ps=1&$agg=n:count&$group=id&$count=estimated');
    expect([status, headers['x-count'], headers['x-total-count']]).toEqual([200, 'none', undefined]);
  });

  if (engine === 'mysql' || engine === 'mariadb') {
    it('groups the first years of the calendar', async () => {
      await database.run("CREATE TABLE old (id int PRIMARY KEY, day date); INSERT INTO old VALUES (1, '0050-06-15')");
      const old = new TableClient(service, project, database, 'old');
      const { text } = await old.get('pg=0&ps=1&$group=y:day.year,q:day.quarter');
      expect(text).toBe('[{"y":"0050-01-01","q":"0050-04-01"}]');
    });
  }
  if (engine !== 'clickhouse') return;

  it('groups the first days of 1970 by their week', async () => {
    await database.run("CREATE TABLE first (id Int32, at DateTime('UTC'), day Date) ENGINE = MergeTree ORDER BY id");
    await database.run("INSERT INTO first VALUES (1, '1970-01-02 03:04:05', '1970-01-02')");
    const first = new TableClient(service, project, database, 'first');
    const { text } = await first.get('pg=0&ps=1&$group=w:at.week,d:day.week,h:at.hour');
    expect(text).toBe('[{"w":"1969-12-29T00:00:00Z","d":"1969-12-29","h":"1970-01-02T03:00:00Z"}]');
  });

  it('estimates nothing for tables without estimates', async () => {
    await database.run('CREATE TABLE memory (id Int32) ENGINE = Memory');
    await database.run('CREATE TABLE empty (id Int32) ENGINE = MergeTree ORDER BY id');
    const headersOf = async (table: string) => {
      const { status, headers } = await new TableClient(service, project, database, table).get('pg=0&ps=1&$count=estimated');
      return [status, headers['x-count'], headers['x-total-count']];
    };
    expect(await headersOf('memory')).toEqual([200, 'none', undefined]);
    expect(await headersOf('empty')).toEqual([200, 'estimated', '0']);
  });

  it('sums the widest numbers exactly or not at all', async () => {
    await database.run(
      'CREATE TABLE wide (id Int32, u UInt256, i Int256, d Decimal(76, 2), n Nullable(Int256), s UInt64) ENGINE = MergeTree ORDER BY id',
    );
    const wide = new TableClient(service, project, database, 'wide');
    const row = (id: number, u: bigint, i: bigint, d: string): string =>
      `{"id":${id},"u":${u},"i":${i},"d":${d},"n":null,"s":18446744073709551615}`;
    const nines = '9'.repeat(74);
    const rows = [
      row(1, 2n ** 255n, 2n ** 254n, `${nines}.99`),
      row(2, 2n ** 254n, -(2n ** 254n), '-0.99'),
      row(3, 2n ** 256n - 1n, 2n ** 255n - 1n, `${nines}.00`),
    ];
    const sent = await wide.send('POST', '', { body: `[${rows.join(',')}]`, headers: { 'content-type': 'application/json' } });
    expect([sent.status, sent.text]).toEqual([201, '{"rows_affected":3}']);
    const sums = async (query: string): Promise<unknown[]> => {
      const { status, text } = await wide.get(`pg=0&ps=10&${query}`);
      return [status, text];
    };
    expect(await sums('id=le.2&$agg=sum.u,sum.i,sum.n,sum.s')).toEqual([
      200,
      `[{"sum_u":${2n ** 255n + 2n ** 254n},"sum_i":0,"sum_n":null,"sum_s":36893488147419103230}]`,
    ]);
    expect(await sums('id=le.2&$agg=sum.u&$having=(sum_u=gt.5)')).toEqual([200, `[{"sum_u":${2n ** 255n + 2n ** 254n}}]`]);
    expect(await sums('id=le.2&$agg=sum.d')).toEqual([200, `[{"sum_d":${nines}.00}]`]);
    expect(await sums('id=eq.9&$agg=sum.u,avg.u,avg.d')).toEqual([200, '[{"sum_u":null,"avg_u":null,"avg_d":null}]']);
    for (const query of ['$agg=sum.u', '$agg=avg.u', 'id=in.2,3&$agg=avg.i', 'id=gt.2&$agg=n:count,avg.u', '$agg=avg.d'])
      expect((await sums(query))[0], query).toBe(422);
  });
});
