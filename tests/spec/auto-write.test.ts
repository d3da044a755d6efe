// POST, PUT and DELETE of the Auto API on each engine: atomic batches, checks before SQL, counts,
// and errors without effects.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, ENGINE_NAMES, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService } from '../support/service.ts';
import { type ErrorBody, TABLE, TableClient, USERS } from './users-table.ts';

/** Tests of what only some engines can do are not there for the others. */
const onlyWith = (can: boolean): ((name: string, test: () => Promise<void>) => void) => (can ? it : () => undefined);

describe.each(ENGINE_NAMES)('writes on %s', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let users: TableClient;

  beforeAll(async () => {
    database = await createDatabase(engine);
    await database.run(TABLE[engine]);
    service = await sharedService();
    users = new TableClient(service, await setUpProject(service, [database.entry()]), database, 'users');
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  beforeEach(async () => {
    await database.run('TRUNCATE TABLE users');
    expect((await users.post(USERS)).status).toBe(201);
  });

  const user = (id: number, changes: object = {}): object => ({ id, name: `n${id}`, email: `${id}@example.org`, ...changes });

  it('inserts rows with different columns, and defaults for absent ones', async () => {
    const response = await users.post([user(10), { ...user(11), note: 'hi' }, { email: 'z@example.org', name: 'z', id: 12 }]);
    expect(response.status).toBe(201);
    expect(response.json()).toEqual({ rows_affected: 3 });
    const rows = await users.rows('id=ge.10');
    expect(rows.map((row) => row.note)).toEqual([null, 'hi', null]);
    expect(rows.every((row) => /^\d{4}-\d\d-\d\dT/.test(row.created_at))).toBe(true);
  });

  it('keeps rows with different columns apart, in any mixture', async () => {
    const at = '2023-05-05T05:05:05Z';
    const mixed = [
      user(20, { created_at: at }),
      user(21, { note: 'n', created_at: at }),
      user(22, { note: 'm' }),
      user(23),
      user(24, { note: null }),
    ];
    expect((await users.post(mixed)).json()).toEqual({ rows_affected: 5 });
    const rows = await users.rows('id=ge.20');
    expect(rows.map((row) => row.note)).toEqual([null, 'n', 'm', null, null]);
    expect(rows.map((row) => row.created_at === at)).toEqual([true, true, false, false, false]);
    expect(rows.every((row) => row.created_at > '2023')).toBe(true);
  });

  it('accepts ten thousand rows in one request', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => user(1000 + index, { note: 'x'.repeat(20) }));
    expect((await users.post(rows)).json()).toEqual({ rows_affected: 10_000 });
    expect((await users.get('pg=0&ps=1&$count=exact&id=ge.1000')).headers['x-total-count']).toBe('10000');
  });

  const refused: readonly (readonly [string, unknown, number, RegExp])[] = [
    ['an empty array', [], 400, /array/],
    ['an object', {}, 400, /array/],
    ['a number in the array', [1], 400, /Row 0/],
    ['null where it may not be', [user(10), user(11, { name: null })], 422, /Row 1.*name/],
    ['a missing required column', [{ id: 10, name: 'x' }], 422, /Row 0.*email/],
    ['an unknown key', [user(10, { nope: 1 })], 422, /Row 0.*nope/],
    ['a text for a number', [user(10, { id: 'x' })], 422, /Row 0.*id/],
    ['a number for a text', [user(10, { name: 5 })], 422, /Row 0.*name/],
    ['a boolean for a text', [user(10, { name: true })], 422, /Row 0.*name/],
    ['an object for a text', [user(10, { name: { a: 1 } })], 422, /Row 0.*name/],
    ['a number out of range', [user(99_999_999_999)], 422, /Row 0.*id/],
    ['a bad timestamp', [user(10, { created_at: '2024-02-30T00:00:00Z' })], 422, /Row 0.*created_at/],
  ];
  it.each(refused)('rejects %s and writes nothing', async (_, body, status, message) => {
    const response = await users.post(body);
    expect(response.status).toBe(status);
    expect(response.json<ErrorBody>().message).toMatch(message);
    expect(await users.rows()).toEqual(USERS);
  });

  it('rejects bodies that are not JSON, are too deep or have another type', async () => {
    const send = (body: string, type = 'application/json') => users.send('POST', '', { body, headers: { 'content-type': type } });
    expect((await send('[{"id":1')).status).toBe(400);
    expect((await send(`[{"id":${'['.repeat(70)}${']'.repeat(70)}}]`)).status).toBe(400);
    expect((await send('[{"id":1}]', 'text/plain')).status).toBe(415);
    expect(
      (await users.send('POST', '', { body: '[]', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } })).status,
    ).toBe(415);
    expect((await users.send('POST', 'id=eq.1', { body: [user(10)] })).status).toBe(400);
  });

  it('updates matching rows and counts them', async () => {
    const response = await users.send('PUT', 'id=in.1,2&set=note.New%20note.');
    expect(response.status).toBe(200);
    expect(response.json()).toEqual({ rows_affected: 2 });
    expect((await users.rows('id=le.2')).map((row) => row.note)).toEqual(['New note.', 'New note.']);
    expect((await users.send('PUT', 'id=in.1,2&set=note.New%20note.')).json()).toEqual({ rows_affected: 2 });
    expect((await users.send('PUT', 'id=eq.99&set=note.x')).json()).toEqual({ rows_affected: 0 });
    expect((await users.send('PUT', 'id=eq.1&set=note.')).json()).toEqual({ rows_affected: 1 });
    expect((await users.rows('id=eq.1'))[0]?.note).toBe('');
  });

  it('deletes matching rows', async () => {
    expect((await users.send('DELETE', 'id=bw.2.4')).json()).toEqual({ rows_affected: 3 });
    expect(await users.ids('')).toEqual([1, 5]);
    const again = await users.send('DELETE', 'id=bw.2.4');
    expect(again.status).toBe(200);
    expect(again.json()).toEqual({ rows_affected: 0 });
  });

  const unchanged: readonly (readonly [string, string, number])[] = [
    ['PUT', 'set=note.x', 406],
    ['PUT', 'set=note.x&pg=0&ps=1&format=json', 400],
    ['PUT', 'id=eq.1', 400],
    ['PUT', 'id=eq.1&set=note.a&set=note.b', 400],
    ['PUT', 'id=eq.1&set=note', 400],
    ['PUT', 'id=eq.1&set=.x', 400],
    ['PUT', 'id=eq.1&set=nope.x', 400],
    ['PUT', 'id=eq.1&set=id.abc', 422],
    ['PUT', 'nope=eq.1&set=note.x', 400],
    ['PUT', 'id=ne.abc&set=note.x', 400],
    ['PUT', 'id=is.null&set=note.x', 417],
    ['DELETE', '', 406],
    ['DELETE', 'pg=0&ps=10', 400],
    ['DELETE', 'idd=eq.1', 400],
    ['DELETE', 'id=ne.abc', 400],
    ['DELETE', 'id=eq.1%27%20or%201=1', 400],
    ['DELETE', 'id=foo.1', 417],
    ['DELETE', 'id=1', 417],
    ['DELETE', 'id=in.', 400],
    ['DELETE', '$or=()', 400],
    ['DELETE', "name=eq.'+or+'1'='1", 200],
    ['DELETE', 'name=li.%25%25', 200],
  ];
  it.each(unchanged)('%s ?%s is %i and changes nothing', async (method, query, status) => {
    const response = await users.send(method, query);
    expect(response.status).toBe(status);
    if (status === 200) expect(response.json()).toEqual({ rows_affected: 0 });
    expect(await users.rows()).toEqual(USERS);
  });

  it('responds to writes in the requested format', async () => {
    const response = await users.send('PUT', 'id=eq.1&set=note.x&format=xml');
    expect(response.text).toBe('<?xml version="1.0" encoding="UTF-8"?><response><row><rows_affected>1</rows_affected></row></response>');
  });

  it('limits writes with $max_affected', async () => {
    const response = await users.send('DELETE', 'id=gt.1&$max_affected=3');
    expect(response.status).toBe(422);
    expect(await users.rows()).toEqual(USERS);
    expect((await users.send('DELETE', 'id=gt.1&$max_affected=4')).json()).toEqual({ rows_affected: 4 });
  });

  onlyWith(engine !== 'clickhouse')('refuses duplicates with 409 on POST and 422 on PUT', async () => {
    const within = await users.post([user(10), user(11), user(10)]);
    expect(within.status).toBe(409);
    expect(within.json<ErrorBody>().message).toMatch(/Row 2/);
    const against = await users.post([user(10), user(11, { email: 'ada@example.org' })]);
    expect(against.status).toBe(409);
    expect(against.json<ErrorBody>().message).toMatch(/Row 1/);
    expect((await users.send('PUT', 'id=eq.1&set=email.bob@example.org')).status).toBe(422);
    expect((await users.post([user(10, { name: 'x'.repeat(101) })])).status).toBe(422);
    expect((await users.send('PUT', `id=eq.1&set=name.${'x'.repeat(101)}`)).status).toBe(422);
    expect(await users.rows()).toEqual(USERS);
  });

  onlyWith(engine !== 'clickhouse')('does, counts and rolls back with $dry_run', async () => {
    expect((await users.send('DELETE', 'id=gt.1&$dry_run=true')).json()).toEqual({ rows_affected: 4 });
    expect((await users.send('PUT', 'id=gt.1&set=note.x&$dry_run=true')).json()).toEqual({ rows_affected: 4 });
    expect((await users.post([user(10)], '$dry_run=true')).json()).toEqual({ rows_affected: 1 });
    expect((await users.post([user(1)], '$dry_run=true')).status).toBe(409);
    expect(await users.rows()).toEqual(USERS);
  });

  onlyWith(engine !== 'clickhouse')('updates rows whose key is taken with $upsert', async () => {
    const response = await users.post([user(1, { name: 'Ada L.', email: 'ada@example.org' }), user(10)], '$upsert=true');
    expect(response.json()).toEqual({ rows_affected: 2 });
    expect(await users.rows('id=eq.1')).toEqual([{ ...USERS[0], name: 'Ada L.' }]);
    expect(await users.ids('id=ge.10')).toEqual([10]);
  });

  onlyWith(engine === 'clickhouse')('says what this engine cannot do', async () => {
    expect((await users.send('DELETE', 'id=gt.1&$dry_run=true')).status).toBe(422);
    expect((await users.post([user(1)], '$upsert=true')).status).toBe(422);
    expect(await users.rows()).toEqual(USERS);
  });
});
