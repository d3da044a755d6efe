// Details of the Auto API: dates as upper ends of ranges, booleans in filters, arrays of boxes, and
// missing databases.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService } from '../support/service.ts';
import { TableClient } from './users-table.ts';

const MOMENTS: Record<EngineName, string> = {
  postgres: 'CREATE TABLE moments (id int PRIMARY KEY, at timestamp, tz timestamptz, day date, boxes box[], flag boolean)',
  mysql: 'CREATE TABLE moments (id int PRIMARY KEY, at datetime(3), tz timestamp NULL, day date, flag tinyint(1))',
  mariadb: 'CREATE TABLE moments (id int PRIMARY KEY, at datetime(3), tz timestamp NULL, day date, flag boolean)',
  clickhouse: "CREATE TABLE moments (id Int32, at DateTime64(3, 'UTC'), tz DateTime, day Date, flag Bool) ENGINE = MergeTree ORDER BY id",
};

describe.each(ENGINE_NAMES)('details on %s', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let moments: TableClient;
  let nowhere: TableClient;

  beforeAll(async () => {
    database = await createDatabase(engine);
    await database.run(MOMENTS[engine]);
    service = await sharedService();
    const absent = { ...database, name: 'millrace_not_there' };
    const project = await setUpProject(service, [database.entry(), { ...database.entry(), db_name: absent.name }]);
    moments = new TableClient(service, project, database, 'moments');
    nowhere = new TableClient(service, project, absent as TestDatabase, 'moments');
    const row = (id: number, at: string, day: string, flag: unknown) => ({ id, at, tz: at.slice(0, 19), day, flag });
    const [yes, no] = engine === 'postgres' || engine === 'clickhouse' ? [true, false] : [1, 0];
    const rows = [
      row(1, '2005-08-01T00:00:00', '2005-08-01', yes),
      row(2, '2005-08-31T23:59:59.999', '2005-08-31', no),
      row(3, '2005-09-01T00:00:00', '2005-09-01', yes),
    ];
    expect((await moments.post(rows)).text).toBe('{"rows_affected":3}');
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  it('a range of timestamps that ends with a day includes that day', async () => {
    for (const column of ['at', 'tz', 'day']) {
      expect(await moments.ids(`${column}=bw.2005-08-01.2005-08-31`), column).toEqual([1, 2]);
      expect(await moments.ids(`${column}=bw."2005-08-31"."2005-08-31"`), column).toEqual([2]);
    }
    expect(await moments.ids('at=bw.2005-08-01.2005-08-31T12:00:00')).toEqual([1]);
    expect(await moments.ids('at=le.2005-08-31')).toEqual([1]);
  });

  it('accepts true and false for the boolean type of the engine', async () => {
    expect(await moments.ids('flag=eq.true')).toEqual([1, 3]);
    expect(await moments.ids('flag=in.false')).toEqual([2]);
    expect(await moments.ids('flag=ne.0')).toEqual([1, 3]);
    expect((await moments.get('pg=0&ps=1&flag=eq.yes')).status).toBe(400);
  });

  it('a repeated column is selected once, so that no name occurs twice in a row', async () => {
    for (const query of ['$select=id,id', '$select=id,day,"id"']) {
      const response = await moments.get(`pg=0&ps=1&${query}`);
      expect([response.status, response.text]).toEqual([400, expect.stringContaining('names id twice')]);
    }
  });

  it('a database that does not exist is 404', async () => {
    const response = await nowhere.get('pg=0&ps=1');
    expect([response.status, response.text]).toEqual([404, expect.stringContaining('does not exist')]);
  });

  (engine === 'postgres' ? it : () => undefined)('arrays of boxes come back as they were sent', async () => {
    const boxes = ['(2,2),(1,1)', '(4,4),(3,3)'];
    expect(
      (
        await moments.post([
          { id: 10, boxes },
          { id: 11, boxes: [] },
          { id: 12, boxes: null },
        ])
      ).status,
    ).toBe(201);
    expect((await moments.post([{ id: 13, boxes }])).status).toBe(201);
    const rows = await moments.rows<{ boxes: unknown }>('id=ge.10');
    expect(rows.map((row) => row.boxes)).toEqual([boxes, [], null, boxes]);
  });
});
