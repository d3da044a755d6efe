// Writes under personas, over HTTP on every engine: inserts, updates, deletes, rows by key and
// returned rows.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ENGINE_NAMES } from '../support/engines.ts';
import { type Service, sharedService } from '../support/service.ts';
import { ITEMS, message, PersonaSpace, said, user } from './persona-space.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

describe.each(ENGINE_NAMES)('writes under personas on %s', (engine) => {
  let space: PersonaSpace;
  const isColumnar = engine === 'clickhouse';
  beforeAll(async () => {
    space = await PersonaSpace.make(engine, service);
  });
  beforeEach(() => space.fill(ITEMS));
  afterAll(() => space?.drop());

  test('updates change rows that match the rule and the filters, whether or not they are readable', async () => {
    await space.only({
      items: { read: { rows: ['status=eq.new'] }, update: { columns: ['note', 'status'], rows: ['owner=eq.?:claims.name'] } },
    });
    const ann = user({ name: 'ann' });
    const put = (query: string, headers = ann) => space.auto('PUT', 'items', query, headers);
    expect((await put('id=ge.0&set=note.seen')).json()).toEqual({ rows_affected: 2 });
    expect((await put('id=eq.2&set=note.seen')).json()).toEqual({ rows_affected: 0 });
    expect((await space.items()).filter(({ note }) => note === 'seen').map(({ id }) => id)).toEqual([1, 4]);
    expect(said(await put('id=eq.1&set=amount.5'))).toEqual([403, expect.stringContaining('amount')]);
    expect(said(await put('id=eq.1&set=owner.bob'))).toEqual([403, expect.stringContaining('owner')]);
    expect(said(await put('id=eq.1&set=amount.many'))).toEqual([403, expect.stringContaining('amount')]);
    expect((await put('id=ge.0&set=note.x', user())).status).toBe(403);
    if (!isColumnar) {
      expect((await put('id=ge.0&set=note.x&$dry_run=true')).json()).toEqual({ rows_affected: 2 });
      expect((await space.items()).some(({ note }) => note === 'x')).toBe(false);
    }
    expect((await put('id=ge.0&set=note.x&$max_affected=1')).status).toBe(422);
    expect((await put('id=ge.0&set=note.x&$max_affected=2')).json()).toEqual({ rows_affected: 2 });
  });

  test('the service sets the columns of `set` itself, in updates and inserts', async () => {
    await space.only({
      items: {
        read: true,
        insert: { columns: ['id', 'status'], set: { owner: '?:user_id', region: '?:claims.region', note: 'made', amount: 5 } },
        update: { except: ['amount'], set: { owner: '?:claims.name', secret: null } },
      },
    });
    const headers = user({ region: 'a,"b', name: 7 });
    const posted = await space.auto('POST', 'items', '', headers, [
      { id: 10, status: 'x' },
      { status: 'y', id: 11 },
    ]);
    expect([posted.status, posted.json()]).toEqual([201, { rows_affected: 2 }]);
    const made = { owner: space.project.userId, region: 'a,"b', note: 'made', amount: 5, secret: null };
    expect((await space.items()).slice(6)).toEqual([
      { id: 10, status: 'x', ...made },
      { id: 11, status: 'y', ...made },
    ]);
    expect((await space.auto('PUT', 'items', 'id=eq.1&set=note.z', headers)).json()).toEqual({ rows_affected: 1 });
    expect((await space.items())[0]).toEqual({ ...ITEMS[0], note: 'z', owner: '7', secret: null });
    for (const name of ['owner', 'amount', 'note'])
      expect(said(await space.auto('POST', 'items', '', headers, [{ id: 12, status: 'x', [name]: name === 'amount' ? 1 : 'a' }]))).toEqual([
        403,
        expect.stringContaining(name),
      ]);
    expect(said(await space.auto('PUT', 'items', 'id=eq.1&set=owner.me', headers))).toEqual([403, expect.stringContaining('owner')]);
    expect(said(await space.auto('POST', 'items', '', user({}), [{ id: 12, status: 'x' }]))).toEqual([
      403,
      expect.stringContaining('claims.region'),
    ]);
    expect(await space.items()).toHaveLength(8);
  });

  test('inserts accept granted columns only; absent ones get their default', async () => {
    await space.only({ items: { insert: { columns: ['id', 'status', 'note'] } } });
    expect(
      (
        await space.auto('POST', 'items', '', user(), [
          { id: 10, status: 'x' },
          { id: 11, status: 'y', note: 'n' },
        ])
      ).status,
    ).toBe(201);
    expect((await space.items())[6]).toEqual({ id: 10, status: 'x', region: null, owner: null, note: null, secret: null, amount: 7 });
    expect((await space.auto('POST', 'items', '', user(), [{ id: 12, status: 'x', amount: 1 }])).status).toBe(422);
    await space.only({ items: { insert: { columns: ['id'] }, read: { columns: ['id'] } } });
    const lacking = await space.auto('POST', 'items', '', user(), [{ id: 12 }]);
    expect([lacking.status, message(lacking).includes('status')]).toEqual([422, false]);
    expect(await space.items()).toHaveLength(8);
  });

  test('deletes remove rows that match the rule and the filters', async () => {
    await space.only({ items: { read: true, delete: { rows: ['owner=eq.?:claims.name'] } } });
    expect((await space.auto('DELETE', 'items', 'id=ge.0', user({ name: 'bob' }))).json()).toEqual({ rows_affected: 2 });
    expect((await space.auto('DELETE', 'items', '$or=(id=ge.0,id=lt.0)', user({ name: 'nobody' }))).json()).toEqual({ rows_affected: 0 });
    expect((await space.items()).map(({ id }) => id)).toEqual([1, 4, 5, 6]);
    await space.only({ items: { delete: true } });
    expect((await space.auto('DELETE', 'items', 'id=ge.0', user())).status).toBe(400);
  });

  test('upserts require both grants, set the columns of both, and skip rows that the rule forbids', async () => {
    await space.only({ items: { read: true, insert: true } });
    const post = (rows: readonly object[], headers = user({ name: 'ann' }), query = '$upsert=true') =>
      space.auto('POST', 'items', query, headers, rows);
    if (isColumnar) {
      expect((await post([{ id: 1, status: 'x' }])).status).toBe(422);
      return;
    }
    expect(said(await post([{ id: 1, status: 'x' }]))).toEqual([403, expect.stringContaining('update')]);
    await space.only({
      items: {
        read: true,
        insert: { columns: ['id', 'status', 'note', 'amount'], set: { owner: '?:claims.name' } },
        update: { columns: ['status', 'note', 'secret'], rows: ['owner=eq.?:claims.name'] },
      },
    });
    expect(
      (
        await post([
          { id: 1, status: 'up', note: 'u', amount: 99 },
          { id: 10, status: 'in', amount: 98 },
        ])
      ).json(),
    ).toEqual({ rows_affected: 2 });
    const after = await space.items();
    expect(after[0]).toEqual({ ...ITEMS[0], status: 'up', note: 'u' });
    expect(after[6]).toMatchObject({ id: 10, status: 'in', owner: 'ann', amount: 98 });
    for (const rows of [
      [{ id: 2, status: 'mine' }],
      [
        { id: 11, status: 'new' },
        { id: 1, status: 'q' },
        { id: 2, status: 'mine' },
      ],
      [{ id: 5, status: 'null' }],
    ])
      for (const query of ['$upsert=true', '$upsert=true&$dry_run=true'])
        expect((await post(rows, user({ name: 'ann' }), query)).status).toBe(409);
    expect(await space.items()).toEqual(after);
    expect(said(await post([{ id: 1, status: 'x', secret: 's' }]))).toEqual([403, expect.stringContaining('secret')]);
    expect((await post([{ id: 1, status: 'dry' }], user({ name: 'ann' }), '$upsert=true&$dry_run=true')).json()).toEqual({
      rows_affected: 1,
    });
    expect(await space.items()).toEqual(after);
    // Without what a new row needs: the same rules for the rows that are there.
    expect((await post([{ id: 1, note: 'part', amount: 1 }])).json()).toEqual({ rows_affected: 1 });
    expect((await space.items())[0]).toEqual({ ...after[0], note: 'part' });
    expect((await post([{ id: 1, note: 'u' }])).status).toBe(201);
    expect((await post([{ id: 2, note: 'mine' }])).status).toBe(409);
    expect(said(await post([{ id: 1, note: 'q' }, { id: 10, note: 'q' }, { id: 99, note: 'new' }]))).toEqual([422, expect.stringMatching(/Row 2.*status/)]); // biome-ignore format: one request a line
    expect(said(await post([{ id: 1, secret: 's' }]))).toEqual([403, expect.stringContaining('secret')]);
    expect((await post([{ id: 1, note: 'x' }], user({ name: 'ann' }), '$upsert=owner')).status).toBe(400);
    expect((await post([{ id: 1, note: 'x' }], user({ name: 'ann' }), '$upsert=nothing')).status).toBe(400);
    expect(await space.items()).toEqual(after);
  });

  test('rows by key obey the rules on every method, with ETags of the readable columns', async () => {
    await space.only({
      items: {
        read: { except: ['secret'], rows: ['region=eq.eu'], mask: { note: '***' } },
        update: { columns: ['note', 'amount'], rows: ['owner=eq.ann'], set: { status: 'touched' } },
        delete: { rows: ['owner=eq.bob'] },
      },
    });
    const row = (method: string, key: string, query = '', body?: unknown, headers: Record<string, string> = {}) =>
      space.auto(method, `items/${key}`.replace('items/', 'items%2F'), query, { ...user(), ...headers }, body);
    const at = (method: string, key: string, query = '', body?: unknown, headers: Record<string, string> = {}) => {
      const path = space.project.autoPath(space.database.dbType, space.database.name, 'items');
      return space.send(method, `${path}/${key}${query === '' ? '' : `?${query}`}`, { ...user(), ...headers }, body);
    };
    expect((await row('GET', '1')).status).toBe(404);
    const got = await at('GET', '1');
    expect([got.status, got.json()]).toEqual([200, { id: 1, status: 'new', region: 'eu', owner: 'ann', note: '***', amount: 10 }]);
    expect((await at('GET', '2')).text).toBe((await at('GET', '99')).text);
    expect((await at('GET', '1', '$select=secret')).status).toBe(400);
    const tag = String(got.headers.etag);
    await space.database.run(
      isColumnar
        ? "ALTER TABLE items UPDATE secret = 'other', note = 'other' WHERE id = 1 SETTINGS mutations_sync = 2"
        : "UPDATE items SET secret = 'other', note = 'other' WHERE id = 1",
    );
    expect((await at('GET', '1')).headers.etag).toBe(tag);
    expect((await at('GET', '1', '', undefined, { 'if-none-match': tag })).status).toBe(304);
    if (!isColumnar) {
      expect((await at('PATCH', '1', '', { amount: 11 }, { 'if-match': 'W/"other"' })).status).toBe(412);
      expect((await at('PATCH', '1', '', { amount: 11 }, { 'if-match': tag })).json()).toEqual({ rows_affected: 1 });
    } else expect((await at('PATCH', '1', '', { amount: 11 })).json()).toEqual({ rows_affected: 1 });
    expect((await space.items())[0]).toMatchObject({ id: 1, amount: 11, status: 'touched' });
    expect((await at('PATCH', '2', '', { amount: 11 })).status).toBe(404);
    expect(said(await at('PATCH', '1', '', { owner: 'x' }))).toEqual([403, expect.stringContaining('owner')]);
    expect(said(await at('PATCH', '1', '', { status: 'x' }))).toEqual([403, expect.stringContaining('status')]);
    expect(said(await at('PATCH', '1', '', { secret: 'x' }))).toEqual([
      400,
      message(await at('PATCH', '1', '', { absent: 'x' })).replace('absent', 'secret'),
    ]);
    expect((await at('PUT', '1', 'set=amount.12')).json()).toEqual({ rows_affected: 1 });
    expect((await at('DELETE', '1')).status).toBe(404);
    expect((await at('DELETE', '3')).json()).toEqual({ rows_affected: 1 });
    await space.only({ items: { read: { except: ['id'] }, update: true } });
    expect((await at('GET', '1')).status).toBe(400);
    expect((await at('PUT', '1', 'set=note.x')).status).toBe(400);
  });

  test('PATCH obeys the rules, for matching rows and for rows by their keys', async () => {
    await space.only({
      items: { read: true, update: { columns: ['note', 'amount'], rows: ['owner=eq.?:claims.name'], set: { status: '?:claims.name' } } },
    });
    const patch = (body: unknown, query = '') => space.auto('PATCH', 'items', query, user({ name: 'bob' }), body);
    expect((await patch({ note: 'p', amount: 1 }, 'id=ge.0')).json()).toEqual({ rows_affected: 2 });
    expect((await space.items()).filter(({ status }) => status === 'bob').map(({ id, note, amount }) => [id, note, amount])).toEqual([
      [2, 'p', 1],
      [3, 'p', 1],
    ]);
    if (isColumnar) return;
    expect(
      (
        await patch([
          { id: 2, note: 'q' },
          { id: 3, amount: 5 },
        ])
      ).json(),
    ).toEqual({ rows_affected: 2 });
    expect(
      (
        await patch([
          { id: 2, note: 'r' },
          { id: 3, note: 'r' },
        ])
      ).json(),
    ).toEqual({ rows_affected: 2 });
    const before = await space.items();
    expect(
      (
        await patch([
          { id: 2, note: 's' },
          { id: 1, note: 's' },
        ])
      ).status,
    ).toBe(404);
    expect(said(await patch([{ id: 2, owner: 's' }]))).toEqual([403, expect.stringContaining('owner')]);
    expect(said(await patch([{ id: 2, status: 's' }]))).toEqual([403, expect.stringContaining('status')]);
    expect(await space.items()).toEqual(before);
  });

  test('returned rows are limited to readable rows and columns', async () => {
    if (isColumnar) return;
    const tables = { insert: true, update: true, delete: true } as const;
    await space.only({ items: tables });
    for (const [method, query, body] of [
      ['POST', '', [{ id: 9, status: 'x' }]],
      ['PUT', 'id=eq.1&set=note.x', undefined],
      ['DELETE', 'id=eq.1', undefined],
    ] as const)
      expect([method, (await space.auto(method, 'items', `${query}&$return=rows`.replace(/^&/, ''), user(), body)).status]).toEqual([
        method,
        403,
      ]);
    await space.only({ items: { ...tables, read: { columns: ['id', 'region', 'note'], rows: ['region=eq.eu'], mask: { note: '***' } } } });
    const send = (method: string, query: string, body?: unknown) => space.auto(method, 'items', `${query}$return=rows`, user(), body);
    const posted = await send('POST', '', [
      { id: 11, status: 'x', region: 'us' },
      { id: 10, status: 'x', region: 'eu', note: 'n' },
    ]);
    expect([posted.status, posted.json(), posted.headers['x-rows-affected']]).toEqual([201, [{ id: 10, region: 'eu', note: '***' }], '2']);
    const put = await send('PUT', 'id=in.1,2&set=note.x&');
    expect([put.json(), put.headers['x-rows-affected']]).toEqual([[{ id: 1, region: 'eu', note: '***' }], '2']);
    expect((await send('PUT', 'id=in.1,2&set=region.us&')).json()).toEqual([]);
    await space.only({ items: { ...tables, read: { columns: ['region', 'note'], rows: ['region=eq.eu'] } } });
    expect((await send('POST', '', [{ id: 12, status: 'x', region: 'eu' }])).json()).toEqual([{ region: 'eu', note: null }]);
    expect((await send('PUT', 'region=in.eu,us&set=note.y&')).json()).toContainEqual({ region: 'eu', note: 'y' });
    expect((await space.auto('DELETE', 'items', 'id=eq.12', {})).status).toBe(200);
    await space.only({ items: { ...tables, read: { columns: ['id', 'region', 'note'], rows: ['region=eq.eu'], mask: { note: '***' } } } });
    const gone = await send('DELETE', 'id=in.3,2&');
    expect([gone.json(), gone.headers['x-rows-affected']]).toEqual([[{ id: 3, region: 'eu', note: '***' }], '2']);
    expect((await space.auto('POST', 'items', '$return=rows&$select=secret', user(), [{ id: 12, status: 'x' }])).status).toBe(400);
  });

  test('errors of constraints mention no hidden names', async () => {
    if (isColumnar) return;
    const unique = `uq_secret_${engine}`;
    await space.database.run(`CREATE UNIQUE INDEX ${unique} ON items (secret)`);
    try {
      await space.only({ items: { read: { columns: ['id', 'status'] }, insert: { columns: ['id', 'status'], set: { secret: 's1' } } } });
      const answer = await space.auto('POST', 'items', '', user(), [{ id: 20, status: 'x' }]);
      expect([answer.status, /secret|s1/.test(answer.text)]).toEqual([409, false]);
      const twice = await space.auto('POST', 'items', '', user(), [{ id: 1, status: 'x' }]);
      expect(twice.status).toBe(409);
    } finally {
      await space.database.run(engine === 'postgres' ? `DROP INDEX ${unique}` : `DROP INDEX ${unique} ON items`);
    }
  });

  test('rows are written and returned by a key that the service sets partly or completely', async () => {
    const [tail, number] = isColumnar ? [' ENGINE = MergeTree ORDER BY (tenant, id)', 'Int32'] : ['', 'int'];
    const keys = isColumnar ? '' : ', PRIMARY KEY (tenant, id), UNIQUE (tenant, code)';
    const text = isColumnar ? 'String' : 'varchar(20) NOT NULL';
    await space.database.run(`CREATE TABLE pairs (tenant ${text}, id ${number}, code ${text}, note ${text}${keys})${tail}`);
    const pairs = (method: string, query: string, body?: unknown, tenant = 'a') =>
      space.auto(method, 'pairs', query, user({ tenant }), body);
    const rule = { rows: ['tenant=eq.?:claims.tenant'] };
    const insert = { set: { tenant: '?:claims.tenant' } };
    await space.only({ pairs: { read: rule, insert, update: { ...rule, except: ['id'] } } });
    const row = (id: number, note: string, tenant = 'a') => ({ tenant, id, code: `c${id}`, note });
    const { tenant: _, ...body } = row(1, 'n');
    if (isColumnar) {
      expect((await pairs('POST', '', [body])).json()).toEqual({ rows_affected: 1 });
      expect((await pairs('POST', '$return=rows', [body])).status).toBe(422);
      expect((await pairs('GET', 'pg=0&ps=9')).json()).toEqual([row(1, 'n')]);
      return;
    }
    const other = await pairs('POST', '$return=rows', [body], 'b');
    expect([other.status, other.json()]).toEqual([201, [row(1, 'n', 'b')]]);
    const made = await pairs('POST', '$return=rows', [{ ...body, id: 2, code: 'c2' }, body]);
    expect([made.status, made.json(), made.headers['x-rows-affected']]).toEqual([201, [row(2, 'n'), row(1, 'n')], '2']);
    expect((await pairs('POST', '', [body])).status).toBe(409);
    // Upserts by the primary key, by another unique key, and with rows that lack insert columns.
    expect((await pairs('POST', '$upsert=true&$return=rows', [{ ...body, note: 'u' }])).json()).toEqual([row(1, 'u')]);
    expect((await pairs('POST', '$upsert=true&$return=rows', [{ id: 1, note: 'v' }])).json()).toEqual([row(1, 'v')]);
    expect((await pairs('POST', '$upsert=tenant,code&$return=rows', [{ code: 'c2', note: 'w' }])).json()).toEqual([row(2, 'w')]);
    expect((await pairs('POST', '$upsert=true', [{ id: 9, note: 'v' }])).status).toBe(422);
    expect((await pairs('PATCH', '$return=rows', [{ tenant: 'a', id: 2, note: 'x' }])).json()).toEqual([row(2, 'x')]);
    // A key column that the update sets: the row is found by the old key and returned by the new
    // one. The body must not contain the column.
    const moving = { except: ['id'], set: { tenant: 'z' } };
    await space.only({ pairs: { read: true, insert, update: moving } });
    expect((await pairs('PATCH', 'tenant=eq.a&id=eq.2&$return=rows', { note: 'y' })).json()).toEqual([row(2, 'y', 'z')]);
    expect(said(await pairs('PATCH', '$return=rows', [{ tenant: 'a', id: 1, note: 'y' }]))).toEqual([
      403,
      expect.stringContaining('tenant'),
    ]);
    const all = await pairs('GET', 'pg=0&ps=9');
    expect(all.json()).toEqual([row(1, 'v'), row(1, 'n', 'b'), row(2, 'y', 'z')]);
    // The whole key, which the database would make otherwise.
    const counted = { postgres: 'serial', mysql: 'int AUTO_INCREMENT', mariadb: 'int AUTO_INCREMENT' }[engine as 'postgres'];
    await space.database.run(`CREATE TABLE counted (id ${counted} PRIMARY KEY, note varchar(20))`);
    await space.only({ counted: { read: true, insert: { set: { id: '?:claims.tenant' } }, update: { columns: ['note'] } } });
    const count = (query: string, id: string) => space.auto('POST', 'counted', query, user({ tenant: id }), [{ note: `of ${id}` }]);
    expect((await count('$return=rows', '70')).json()).toEqual([{ id: 70, note: 'of 70' }]);
    expect((await count('$return=rows&$select=note', '7')).json()).toEqual([{ note: 'of 7' }]);
    expect((await count('$return=rows&$upsert=true', '7')).json()).toEqual([{ id: 7, note: 'of 7' }]);
    expect((await count('', '7')).status).toBe(409);
  });
});
