// GET of the Auto API on each engine: paging, the thirteen operators, quoting, type checks, errors.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, ENGINE_NAMES, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { type ErrorBody, TABLE, TableClient, USERS } from './users-table.ts';

describe.each(ENGINE_NAMES)('GET on %s', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let project: TestProject;
  let users: TableClient;

  beforeAll(async () => {
    database = await createDatabase(engine);
    await database.run(TABLE[engine]);
    service = await sharedService();
    project = await setUpProject(service, [database.entry()]);
    users = new TableClient(service, project, database, 'users');
    const posted = await users.post(USERS);
    expect(posted.text).toBe('{"rows_affected":5}');
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  it('returns the posted rows in the order of the key', async () => {
    expect(await users.rows()).toEqual(USERS);
  });

  it('pages from 0, and returns an empty page past the end', async () => {
    expect((await users.get('pg=0&ps=2')).json()).toEqual(USERS.slice(0, 2));
    expect((await users.get('pg=2&ps=2')).json()).toEqual(USERS.slice(4));
    const past = await users.get('pg=9&ps=2');
    expect(past.status).toBe(200);
    expect(past.text).toBe('[]');
  });

  const filters: readonly (readonly [string, readonly number[]])[] = [
    ['id=eq.3', [3]],
    ['id=ne.3', [1, 2, 4, 5]],
    ['id=lt.3', [1, 2]],
    ['id=gt.3', [4, 5]],
    ['id=le.3', [1, 2, 3]],
    ['id=ge.3', [3, 4, 5]],
    ['id=bw.2.4', [2, 3, 4]],
    ['id=in.1,3,99', [1, 3]],
    ['id=nin.1,3,99', [2, 4, 5]],
    ['name=li.da', [1, 5]],
    ['name=rli.Bob', [2]],
    ['email=nli.ada', [2, 3, 4]],
    ['name=il.ADA', [1, 5]],
    ['name=li.%25', [2]],
    ['name=li._', [3]],
    ['name=li.%5C', [4]],
    ["name=li.'", [4]],
    ['name=eq.Bob+50%25', [2]],
    ['name=eq."Ada"', [1]],
    ['name=in."Ada",Cy_d', [1, 3]],
    ['note=in."x,y.z",first', [1, 4]],
    ['note=eq.', [3]],
    ['note=ne.first', [3, 4]],
    ['note=nin.first', [3, 4]],
    ['note=nli.first', [3, 4]],
    ['name=eq.0', []],
    ['id=gt.1&id=lt.4', [2, 3]],
    ['"id"=eq.2', [2]],
    ['id=eq."2"', [2]],
    ['created_at=gt.2024-01-03T10:00:00Z', [4, 5]],
    ['created_at=bw.2024-01-02T10:00:00.0Z.2024-01-03T12:00:00.0%2B02:00', [2, 3]],
    ['created_at=lt.2024-01-02', [1]],
    ['$or=(id=eq.1,$and=(id=gt.2,id=lt.5))', [1, 3, 4]],
    ['$not=(id=in.1,2)', [3, 4, 5]],
    ['$null=note', [2, 5]],
    ['$notnull=note', [1, 3, 4]],
    ['$or=($null=note,name="Ada")'.replace('name="Ada"', 'name=eq."Ada"'), [1, 2, 5]],
    ['$order=id.desc', [5, 4, 3, 2, 1]],
    ['$order=created_at.desc&id=lt.3', [2, 1]],
  ];
  it.each(filters)('%s', async (query, ids) => {
    expect(await users.ids(query)).toEqual(ids);
  });

  const errors: readonly (readonly [string, number, RegExp])[] = [
    ['ps=10', 406, /pg/],
    ['pg=0', 406, /ps/],
    ['pg=-1&ps=10', 400, /pg/],
    ['pg=0&ps=0', 400, /ps/],
    ['pg=0x1&ps=1', 400, /pg/],
    ['pg=0&ps=10001', 400, /ps/],
    ['pg=0&pg=1&ps=1', 400, /pg/],
    ['pg=0&ps=1&id=is.null', 417, /is/],
    ['pg=0&ps=1&name=lli.a', 417, /lli/],
    ['pg=0&ps=1&id=EQ.1', 417, /EQ/],
    ['pg=0&ps=1&id=1', 417, /id/],
    ['pg=0&ps=1&nope=eq.1', 400, /nope/],
    ['pg=0&ps=1&id=eq.abc', 400, /id/],
    ['pg=0&ps=1&id=eq.', 400, /id/],
    ['pg=0&ps=1&id=eq.1.5', 400, /id/],
    ['pg=0&ps=1&id=eq.99999999999', 400, /id/],
    ['pg=0&ps=1&id=in.', 400, /id/],
    ['pg=0&ps=1&id=in.1,x', 400, /id/],
    ['pg=0&ps=1&id=bw.1', 400, /id/],
    ['pg=0&ps=1&name=bw.a.b.c', 400, /quote/],
    ['pg=0&ps=1&id=li.1', 400, /id/],
    ['pg=0&ps=1&name=eq."open', 400, /quote/],
    ['pg=0&ps=1&created_at=gt.yesterday', 400, /created_at/],
    ['pg=0&ps=1&created_at=gt.2024-02-30', 400, /created_at/],
    ['pg=0&ps=1&format=toml', 406, /toml/],
    ['pg=0&ps=1&name=eq.%ff', 400, /UTF-8/],
    ['pg=0&ps=1&name=eq.%00', 400, /NUL/],
    ['pg=0&ps=1&$nonsense=1', 400, /nonsense/],
    ['pg=0&ps=1&$select=nope', 400, /nope/],
    ['pg=0&ps=1&$or=()', 400, /or/],
    ['pg=0&ps=1&$count=all', 400, /count/],
  ];
  it.each(errors)('%s is %i', async (query, status, message) => {
    const response = await users.get(query);
    expect(response.status).toBe(status);
    const body = response.json<ErrorBody>();
    expect(body.code).toBe(status);
    expect(body.message).toMatch(message);
  });

  it('accepts at most a hundred parameters', async () => {
    const many = Array.from({ length: 99 }, () => 'id=gt.0').join('&');
    expect((await users.get(`pg=0&ps=1&${many}`)).status).toBe(400);
  });

  it('selects columns and counts', async () => {
    const response = await users.get('pg=0&ps=2&$select=name,id&$count=exact&id=gt.1');
    expect(response.headers['x-total-count']).toBe('4');
    expect(response.json()).toEqual([
      { name: 'Bob 50%', id: 2 },
      { name: 'Cy_d', id: 3 },
    ]);
  });

  it('follows cursors to the end, whatever the order', async () => {
    for (const order of ['', '&$order=note.desc', '&$order=note', '&$order=name.desc,id']) {
      const whole = await users.ids(order.slice(1));
      const seen: number[] = [];
      let cursor = '';
      for (let page = 0; page < 10; page++) {
        const response = await users.get(`pg=0&ps=2&$select=id&$after=${encodeURIComponent(cursor)}${order}`);
        expect(response.status).toBe(200);
        seen.push(...response.json<{ id: number }[]>().map((row) => row.id));
        const next = response.headers['x-next-cursor'];
        if (next === undefined) break;
        cursor = String(next);
      }
      expect(seen).toEqual(whole);
    }
    expect((await users.get('pg=0&ps=2&$after=rubbish')).status).toBe(400);
  });

  it('responds on the short path too', async () => {
    const path = `/svc/api/rest/auto/v1/${database.dbType}/${database.name}/users?pg=0&ps=1`;
    const response = await service.request('GET', path, { headers: project.headers });
    expect(response.json()).toEqual(USERS.slice(0, 1));
  });

  it('names the missing table or column', async () => {
    const get = (path: string) => service.request('GET', `${path}?pg=0&ps=1`, { headers: project.headers });
    expect((await get(project.autoPath(database.dbType, database.name, 'nope'))).status).toBe(404);
    expect((await get(project.autoPath(database.dbType, 'nope', 'users'))).status).toBe(404);
    expect((await get(project.autoPath('or', database.name, 'users'))).json<ErrorBody>().message).toMatch(/announced/);
    expect((await get(project.autoPath('zz', database.name, 'users'))).status).toBe(404);
    expect((await get(`/svc/api/rest/auto/v1/other/${project.projectAbbr}/${database.dbType}/${database.name}/users`)).status).toBe(403);
  });

  it.each([
    ['json', 'application/json'],
    ['xml', 'application/xml'],
    ['yaml', 'application/x-yaml'],
    ['csv', 'text/csv'],
    ['bson', 'application/bson'],
  ])('format=%s', async (format, type) => {
    const response = await users.get(`pg=0&ps=2&format=${format}`);
    expect(response.status).toBe(200);
    expect(String(response.headers['content-type']).split(';')[0]).toBe(type);
    expect(response.body.length).toBeGreaterThan(20);
  });

  it('detects a changed table within five seconds, and at once when a statement fails', async () => {
    await database.run(
      engine === 'clickhouse' ? 'ALTER TABLE users ADD COLUMN extra Int32 DEFAULT 7' : 'ALTER TABLE users ADD COLUMN extra int DEFAULT 7',
    );
    await expect.poll(async () => Object.keys((await users.rows('id=eq.1'))[0] ?? {}), { timeout: 6000 }).toContain('extra');
    await database.run('ALTER TABLE users DROP COLUMN extra');
    expect(await users.rows('id=eq.1')).toEqual(USERS.slice(0, 1));
  });
});
