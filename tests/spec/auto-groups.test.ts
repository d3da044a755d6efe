// Aggregates on each engine: functions, time parts, having, order, pages, exact numbers and errors.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService } from '../support/service.ts';
import { TableClient } from './users-table.ts';

const ORDERS: Record<EngineName, string> = {
  postgres:
    'CREATE TABLE orders (id int PRIMARY KEY, status varchar(10), amount numeric(20,2), big bigint, ratio float8, placed_at timestamptz, local timestamp, day date, note text, doc jsonb, ref uuid, "a.b" int)',
  mysql:
    'CREATE TABLE orders (id int PRIMARY KEY, status varchar(10), amount decimal(20,2), big bigint, ratio double, placed_at timestamp NULL, local datetime(3), day date, note text, doc json, ref char(36), `a.b` int)',
  mariadb:
    'CREATE TABLE orders (id int PRIMARY KEY, status varchar(10), amount decimal(20,2), big bigint, ratio double, placed_at timestamp NULL, local datetime(3), day date, note text, doc json, ref uuid, `a.b` int)',
  clickhouse:
    "CREATE TABLE orders (id Int32, status Nullable(String), amount Nullable(Decimal(20, 2)), big Nullable(Int64), ratio Nullable(Float64), placed_at Nullable(DateTime), local Nullable(DateTime64(3, 'UTC')), day Nullable(Date32), note Nullable(String), doc Map(String, String), ref Nullable(UUID), `a.b` Nullable(Int32)) ENGINE = MergeTree ORDER BY id",
};

const HUGE = '9223372036854775807';
const refs = ['00000000-0000-0000-0000-000000000002', '00000000-0000-0000-0000-000000000001'];
const ROWS = `[
  {"id":1,"status":"open","amount":10.10,"big":${HUGE},"ratio":0.5,"placed_at":"2024-01-31T23:30:00Z","local":"2024-01-31T23:30:15.500","day":"2024-01-31","note":"a","ref":"${refs[0]}","a.b":1},
  {"id":2,"status":"open","amount":20.20,"big":${HUGE},"ratio":1.5,"placed_at":"2024-02-01T00:10:00Z","local":"2024-02-01T00:10:00","day":"2024-02-01","note":null,"ref":"${refs[1]}","a.b":1},
  {"id":3,"status":"paid","amount":5.00,"big":1,"ratio":2.5,"placed_at":"2024-05-05T12:00:00Z","local":"2024-05-05T12:00:00","day":"2024-05-05","note":"a","ref":null,"a.b":2},
  {"id":4,"status":null,"amount":null,"big":null,"ratio":null,"placed_at":null,"local":null,"day":null,"note":"b","ref":null,"a.b":null}
]`;

describe.each(ENGINE_NAMES)('aggregates on %s', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let orders: TableClient;

  beforeAll(async () => {
    database = await createDatabase(engine);
    await database.run(ORDERS[engine]);
    service = await sharedService();
    orders = new TableClient(service, await setUpProject(service, [database.entry()]), database, 'orders');
    const rows = engine === 'clickhouse' ? ROWS.replaceAll('"a.b"', '"doc":{},"a.b"') : ROWS;
    expect((await orders.send('POST', '', { body: rows, headers: { 'content-type': 'application/json' } })).text).toBe(
      '{"rows_affected":4}',
    );
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const ask = async (query: string): Promise<string> => (await orders.get(`pg=0&ps=100&${query}`)).text;

  it('counts and sums exactly', async () => {
    expect(await ask('$agg=count,count.note,countd.note,total:sum.amount,sum.big')).toBe(
      '[{"count":4,"count_note":3,"countd_note":2,"total":35.30,"sum_big":18446744073709551615}]',
    );
    expect(await ask('$agg=min.amount,max.amount,min.day,max.placed_at,min.note,min.ref,sum.ratio&$order=min_amount')).toBe(
      `[{"min_amount":5.00,"max_amount":20.20,"min_day":"2024-01-31","max_placed_at":"2024-05-05T12:00:00Z","min_note":"a","min_ref":"${refs[1]}","sum_ratio":4.5}]`,
    );
    const average = JSON.parse(await ask('$agg=avg.amount,avg.big,avg.id')) as { avg_amount: number; avg_big: number; avg_id: number }[];
    expect(average[0]?.avg_amount).toBeCloseTo(35.3 / 3, 6);
    expect(average[0]?.avg_id).toBe(2.5);
    expect(await ask('$agg=avg.amount')).toMatch(/11\.76666/);
    expect(await ask('$agg=avg.big&id=le.3')).toMatch(/6148914691236517205(\.0+)?\}/);
  });

  it('returns null without rows, and zero for counts', async () => {
    expect(await ask('id=eq.99&$agg=count,count.note,countd.note,sum.amount,avg.amount,avg.id,min.day,max.note')).toBe(
      '[{"count":0,"count_note":0,"countd_note":0,"sum_amount":null,"avg_amount":null,"avg_id":null,"min_day":null,"max_note":null}]',
    );
    expect(await ask('id=eq.99&$group=status&$agg=count')).toBe('[]');
  });

  it('groups with NULL first, and filters before grouping', async () => {
    expect(await ask('$group=status&$agg=count,sum.amount')).toBe(
      '[{"status":null,"count":1,"sum_amount":null},{"status":"open","count":2,"sum_amount":30.30},{"status":"paid","count":1,"sum_amount":5.00}]',
    );
    expect(await ask('$group=status')).toBe('[{"status":null},{"status":"open"},{"status":"paid"}]');
    expect(await ask('$group=s:status&$agg=n:count&id=ge.2&$order=n.desc,s.desc')).toBe(
      '[{"s":"paid","n":1},{"s":"open","n":1},{"s":null,"n":1}]',
    );
    expect(await ask('$group="a.b",who:status&$agg=count&$notnull=status')).toBe(
      '[{"a.b":1,"who":"open","count":2},{"a.b":2,"who":"paid","count":1}]',
    );
  });

  it('groups by parts of time, in UTC', async () => {
    const parts = async (column: string, part: string): Promise<string[]> =>
      (JSON.parse(await ask(`$group=p:${column}.${part}&$notnull=${column}`)) as { p: string }[]).map(({ p }) =>
        p.replace(/\.0+(?=Z|$)/, ''),
      );
    for (const [part, days] of [
      ['year', ['2024-01-01']],
      ['quarter', ['2024-01-01', '2024-04-01']],
      ['month', ['2024-01-01', '2024-02-01', '2024-05-01']],
      ['week', ['2024-01-29', '2024-04-29']],
      ['day', ['2024-01-31', '2024-02-01', '2024-05-05']],
    ] as const) {
      expect(await parts('day', part), part).toEqual(days);
      expect(await parts('placed_at', part), part).toEqual(days.map((day) => `${day}T00:00:00Z`));
      expect(await parts('local', part), part).toEqual(days.map((day) => `${day}T00:00:00${engine === 'clickhouse' ? 'Z' : ''}`));
    }
    expect(await parts('placed_at', 'hour')).toEqual(['2024-01-31T23:00:00Z', '2024-02-01T00:00:00Z', '2024-05-05T12:00:00Z']);
    expect((await parts('local', 'minute'))[0]).toMatch(/^2024-01-31T23:30:00/);
    expect(
      await ask('$group=placed_at.month&$agg=count&$notnull=placed_at&$having=(placed_at_month=ge.2024-02-01)&$order=placed_at_month.desc'),
    ).toMatch(/^\[\{"placed_at_month":"2024-05-01T00:00:00Z","count":1\},\{"placed_at_month":"2024-02-01T00:00:00Z","count":1\}\]$/);
  });

  it('filters groups by their aggregates', async () => {
    const groups = '$group=status&$agg=count,total:sum.amount,big:sum.big,mean:avg.id';
    const statuses = async (having: string): Promise<unknown[]> => {
      const text = await ask(`${groups}&$having=${encodeURIComponent(having)}`);
      expect(text, having).toMatch(/^\[/);
      return (JSON.parse(text) as { status: unknown }[]).map(({ status }) => status);
    };
    expect(await statuses('(total=gt.5)')).toEqual(['open']);
    expect(await statuses('(total=gt.4.99,$or=(count=ge.2,status=eq.paid))')).toEqual(['open', 'paid']);
    expect(await statuses('(big=gt.9223372036854775808)')).toEqual(['open']);
    expect(await statuses('($null=total)')).toEqual([null]);
    expect(await statuses('(status=li.ai)')).toEqual(['paid']);
    expect(await statuses('(mean=bw.1.4.1.6)')).toEqual(['open']);
    expect(await statuses('(count=in.7,8)')).toEqual([]);
  });

  it('pages groups and counts them', async () => {
    const response = await orders.get('pg=1&ps=2&$group=status&$count=exact');
    expect([response.text, response.headers['x-total-count']]).toEqual(['[{"status":"paid"}]', '3']);
    const all = await orders.get('pg=0&ps=2&$agg=count&$count=exact&format=csv');
    expect([all.text, all.headers['x-total-count']]).toEqual(['count\r\n4\r\n', '1']);
  });

  it.each([
    ['$agg=total', 400],
    ['$agg=sum', 400],
    ['$agg=sum.status', 400],
    ['$agg=avg.day', 400],
    ['$agg=min.doc', 400],
    ['$agg=sum.nothing', 400],
    ['$agg=', 400],
    ['$agg=count,count', 400],
    ['$agg=status:count&$group=status', 400],
    ['$group=nothing', 400],
    ['$group=status.month', 400],
    ['$group=day.hour', 400],
    ['$group=day.minute', 400],
    ['$group=status&$having=(nothing=eq.1)', 400],
    ['$group=status&$having=(status=zz.1)', 417],
    ['$having=(count=eq.1)', 400],
    ['$agg=count&$select=id', 400],
    ['$agg=count&$after=', 400],
    ['$agg=count&$order=id', 400],
    ['$agg=count&$having=(count=eq.x)', 400],
  ])('%s is %i', async (query, status) => {
    const response = await orders.get(`pg=0&ps=10&${query}`);
    expect(response.status, response.text).toBe(status);
  });

  it('is allowed for reads only', async () => {
    expect((await orders.send('DELETE', 'id=eq.1&$agg=count')).status).toBe(400);
    expect((await orders.send('PUT', 'id=eq.1&set=note.x&$group=status')).status).toBe(400);
    expect((await orders.get('$agg=count')).status).toBe(406);
  });
});
