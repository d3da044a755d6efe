// Grants of personas, over HTTP on every engine. Each sentence of the reference has a test here.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ENGINE_NAMES } from '../support/engines.ts';
import { type Response, type Service, sharedService } from '../support/service.ts';
import { ITEMS, type Item, message, PersonaSpace, said, user } from './persona-space.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

describe.each(ENGINE_NAMES)('personas on %s', (engine) => {
  let space: PersonaSpace;
  const isColumnar = engine === 'clickhouse';
  beforeAll(async () => {
    space = await PersonaSpace.make(engine, service);
  });
  beforeEach(() => space.fill(ITEMS));
  afterAll(() => space?.drop());

  const get = (query: string, headers = user(), table = 'items') => space.auto('GET', table, query, headers);
  const ids = async (query: string, headers = user()): Promise<number[]> => {
    const answer = await get(`pg=0&ps=100${query === '' ? '' : `&${query}`}`, headers);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json<Item[]>().map(({ id }) => id);
  };

  test('a space is open until it has a persona, closed to others with one, and open again without', async () => {
    expect(await ids('')).toEqual([1, 2, 3, 4, 5, 6]);
    expect((await get('pg=0&ps=1', user(undefined, { 'x-persona': 'tester' }))).status).toBe(404);
    await space.only({ items: { read: true } });
    expect(await ids('')).toEqual([1, 2, 3, 4, 5, 6]);
    expect(said(await get('pg=0&ps=1', { 'x-user-roles': 'stranger' }))).toEqual([403, expect.any(String)]);
    expect((await get('pg=0&ps=1', user(undefined, { 'x-persona': 'other' }))).status).toBe(403);
    expect((await get('pg=0&ps=1', { 'x-user-roles': 'admin' }, 'hidden')).status).toBe(200);
    expect((await get('pg=0&ps=1', { 'x-user-roles': 'admin', 'x-persona': 'tester' }, 'hidden')).status).toBe(404);
    expect((await get('pg=0&ps=1', { 'x-user-roles': 'admin', 'x-persona': 'none' })).status).toBe(404);
    await space.remove('tester');
    expect((await get('pg=0&ps=1', user(), 'hidden')).status).toBe(200);
  });

  test('a table without a grant responds like a missing table, on every method', async () => {
    await space.only({ items: { read: true }, hidden: { read: false } });
    const same = async (method: string, query: string, body?: unknown) => {
      const [hidden, missing] = await Promise.all(
        ['hidden', 'nothin'].map(async (table) => {
          const { status, text, headers } = await space.auto(method, table, query, user(), body);
          const { date: _, 'x-request-id': __, ...rest } = headers;
          return { status, text: text.replaceAll(table, 'TABLE'), rest };
        }),
      );
      expect(hidden).toEqual(missing);
      return hidden?.status;
    };
    for (const star of [false, true]) {
      if (star) await space.only({ hidden: {}, '*': { read: true, insert: true, update: true, delete: true } });
      expect(await same('GET', 'pg=0&ps=1')).toBe(404);
      expect(await same('GET', 'pg=0&ps=1&id=eq.1&$order=id')).toBe(404);
      expect(await same('POST', '', [{ id: 1 }])).toBe(404);
      expect(await same('PUT', 'id=eq.1&set=id.2')).toBe(404);
      expect(await same('DELETE', 'id=eq.1')).toBe(404);
    }
    const meta = (path: string, headers = user()) =>
      space.send('GET', `/svc/rest/meta/v1/table/${path}&type=${space.database.dbType}&schema=${space.database.name}`, headers);
    expect((await meta('list?')).json<{ table: string }[]>().map(({ table }) => table)).toEqual(['items', 'other']);
    expect(message(await meta('detail?table=hidden'))).toBe(message(await meta('detail?table=nothin')).replace('nothin', 'hidden'));
    expect((await meta('list?', { 'x-user-roles': 'stranger' })).json()).toEqual([]);
    expect((await meta('detail?table=items', { 'x-user-roles': 'stranger' })).status).toBe(404);
    expect((await meta('list?', { 'x-user-roles': 'admin' })).json()).toHaveLength(3);
  });

  test('the entry of a table replaces the default entry completely', async () => {
    await space.only({ items: { delete: true }, '*': { read: { max_page_size: 2 } } });
    expect(said(await get('pg=0&ps=1'))).toEqual([403, expect.stringMatching(/tester.*read/)]);
    expect((await get('pg=0&ps=2', user(), 'other')).status).toBe(200);
    expect((await get('pg=0&ps=3', user(), 'other')).status).toBe(400);
  });

  test('an operation that is not granted is rejected with the names of persona and operation', async () => {
    await space.only({ items: { read: { columns: ['id'] } } });
    for (const [method, query, operation] of [
      ['POST', '', 'insert'],
      ['PUT', 'id=eq.1&set=id.2', 'update'],
      ['DELETE', 'id=eq.1', 'delete'],
    ] as const)
      expect(said(await space.auto(method, 'items', query, user(), method === 'POST' ? [{ id: 9 }] : undefined))).toEqual([
        403,
        expect.stringMatching(new RegExp(`tester.*${operation}`)),
      ]);
    expect(await space.items()).toEqual(ITEMS);
  });

  test('reads return granted columns in the order of the table; hidden ones are unknown everywhere', async () => {
    await space.only({
      items: { read: { columns: ['amount', 'id', 'status'] }, update: { columns: ['note'] }, insert: { columns: ['id', 'status'] } },
    });
    const [first] = (await get('pg=0&ps=1')).json<object[]>();
    expect(Object.keys(first ?? {})).toEqual(['id', 'status', 'amount']);
    expect((await get('pg=0&ps=1&format=csv')).text.split('\r\n')[0]).toBe('id,status,amount');
    const unknown = async (method: string, query: (name: string) => string, body?: (name: string) => unknown) => {
      const [hidden, missing] = await Promise.all(
        ['secret', 'absent'].map((name) => space.auto(method, 'items', query(name), user(), body?.(name))),
      );
      expect(said(hidden as Response)).toEqual([missing?.status, message(missing as Response).replaceAll('absent', 'secret')]);
      expect(hidden?.status).toBeGreaterThanOrEqual(400);
      expect(hidden?.status).toBeLessThan(500);
    };
    await unknown('GET', (name) => `pg=0&ps=1&${name}=eq.1`);
    await unknown('GET', (name) => `pg=0&ps=1&$or=(id=eq.1,${name}=eq.1)`);
    await unknown('GET', (name) => `pg=0&ps=1&$null=${name}`);
    await unknown('GET', (name) => `pg=0&ps=1&$order=${name}`);
    await unknown('GET', (name) => `pg=0&ps=1&$select=${name}`);
    await unknown('PUT', (name) => `${name}=eq.s1&set=note.x`);
    await unknown('PUT', (name) => `id=eq.1&set=${name}.x`);
    await unknown(
      'POST',
      () => '',
      (name) => [{ id: 9, status: 'x', [name]: 'x' }],
    );
    // Writable, but not readable: it can be given, and nothing can be asked of it.
    expect((await get('pg=0&ps=1&note=eq.n1')).status).toBe(400);
    expect((await get('pg=0&ps=1&$select=note')).status).toBe(400);
    expect((await space.auto('PUT', 'items', 'note=eq.n1&set=note.x', user())).status).toBe(400);
    expect((await space.auto('PUT', 'items', 'id=eq.1&set=note.x', user())).json()).toEqual({ rows_affected: 1 });
    const detail = `/svc/rest/meta/v1/table/detail?table=items&type=${space.database.dbType}&schema=${space.database.name}`;
    const shown = (await space.send('GET', detail, user())).json<{ columns: { name: string }[] }>();
    expect(shown.columns.map(({ name }) => name)).toEqual(['id', 'status', 'note', 'amount']);
  });

  test('`except` hides columns; pages stay ordered without the key, and cursors reveal nothing', async () => {
    await space.only({ items: { read: { except: ['id', 'secret'], rows: ['status=ne.deleted'] } } });
    const seen: number[] = [];
    let cursor = '';
    for (let pages = 0; pages < 9; pages++) {
      const answer = await get(`pg=0&ps=2&$after=${cursor}&$count=exact`);
      const rows = answer.json<Item[]>();
      expect([answer.status, answer.headers['x-total-count']]).toEqual([200, '5']);
      for (const row of rows) expect(Object.keys(row)).toEqual(['status', 'region', 'owner', 'note', 'amount']);
      seen.push(...rows.map(({ amount }) => amount));
      const next = answer.headers['x-next-cursor'];
      if (typeof next !== 'string') break;
      expect(Buffer.from(next, 'base64url').toString('latin1')).not.toContain('id asc');
      cursor = next;
    }
    expect(seen).toEqual([10, 20, 30, 50, 60]);
    const forged = Buffer.from(JSON.stringify(['id asc', '1'])).toString('base64url');
    expect((await get(`pg=0&ps=2&$after=${forged}`)).status).toBe(400);
    const plain = await space.auto('GET', 'items', 'pg=0&ps=2&$after=', {});
    expect((await get(`pg=0&ps=2&$after=${plain.headers['x-next-cursor']}`)).status).toBe(400);
    await space.put('second', ['second'], { items: { read: { except: ['id', 'secret'] } } });
    expect((await get(`pg=0&ps=2&$after=${cursor}`, { 'x-user-roles': 'second' })).status).toBe(400);
    await space.remove('second');
  });

  test('only rows that match the rules are read and counted, regardless of the filters', async () => {
    await space.only({ items: { read: { rows: ['status=ne.deleted', '$or=(region=in.?:claims.regions,owner=eq.?:claims.name)'] } } });
    const eu = user({ regions: ['eu'], name: 'nobody' });
    expect(await ids('', eu)).toEqual([1, 3]);
    expect(await ids('id=ge.0', eu)).toEqual([1, 3]);
    expect(await ids('$or=(id=eq.2,id=eq.3,id=eq.4)', eu)).toEqual([3]);
    expect(await ids('$not=(id=eq.1)', eu)).toEqual([3]);
    // A guess would be made of all rows.
    for (const count of ['exact', 'estimated'])
      expect((await get(`pg=0&ps=1&$count=${count}`, eu)).headers).toMatchObject({ 'x-total-count': '2', 'x-count': 'exact' });
    expect(await ids('', user({ regions: [], name: 'bob' }))).toEqual([2, 3]);
    expect(await ids('', user({ regions: ['us', 'eu'], name: 'bob' }))).toEqual([1, 2, 3]);
    expect(await ids('$order=id.desc', user({ regions: ['us', 'eu'], name: 'bob' }))).toEqual([3, 2, 1]);
  });

  test('claims are values: they are never parsed, and an unsuitable one is rejected by its name', async () => {
    await space.only({ items: { read: { rows: ['region=eq.?:claims.region'] } }, other: { read: { rows: ['a=in.?:claims.list'] } } });
    expect(await ids('', user({ region: 'a,b' }))).toEqual([6]);
    expect(await ids('', user({ region: 'eu"' }))).toEqual([]);
    expect(await ids('', user({ region: 5 }))).toEqual([]);
    for (const claims of [undefined, {}, { region: null }, { region: ['eu'] }, { region: { a: 1 } }])
      expect(said(await get('pg=0&ps=1', user(claims)))).toEqual([403, expect.stringContaining('claims.region')]);
    await space.auto('POST', 'other', '', {}, [
      { id: 1, a: 1 },
      { id: 2, a: 2 },
      { id: 3, a: null },
    ]);
    const others = async (claims: unknown) => (await get('pg=0&ps=9', user(claims), 'other')).json<{ id: number }[]>().map(({ id }) => id);
    expect(await others({ list: [1, '2'] })).toEqual([1, 2]);
    expect(await others({ list: '1' })).toEqual([1]);
    expect(await others({ list: [] })).toEqual([]);
    for (const list of [['x'], [true], [1, null], { a: 1 }, '1,2'])
      expect(said(await get('pg=0&ps=1', user({ list }), 'other'))).toEqual([403, expect.stringContaining('claims.list')]);
    await space.only({ other: { read: { rows: ['a=nin.?:claims.list'] } } });
    expect(await others({ list: [] })).toEqual([1, 2, 3]);
    expect(await others({ list: [1] })).toEqual([2]);
    await space.only({ other: { read: { rows: ['a=bw.?:claims.low.?:claims.high'] } } });
    expect(await others({ low: 1, high: '1' })).toEqual([1]);
    await space.only({
      items: {
        read: { rows: ['region=in.?:roles', 'owner=ne.?:user_id', 'note=ne.?:org_id', 'note=ne.?:project_id', 'note=ne.?:space_id'] },
      },
    });
    expect(await ids('', { 'x-user-roles': 'user,us' })).toEqual([2]);
    await space.auto('DELETE', 'other', 'id=ge.0', {});
  });

  test('masked columns are returned as the mask in every format, and cannot be queried', async () => {
    await space.only({
      items: { read: { mask: { note: '***', amount: null, secret: 'no "way"' } }, update: { columns: ['note'] }, delete: true },
    });
    const [first, , third] = (await get('pg=0&ps=3')).json<Item[]>();
    expect(first).toEqual({ ...ITEMS[0], note: '***', amount: null, secret: 'no "way"' });
    expect(third).toMatchObject({ id: 3, note: '***', owner: 'bob' });
    expect((await get('pg=0&ps=1&format=csv&$select=amount,id,note')).text).toBe('amount,id,note\r\n,1,***\r\n');
    expect((await get('pg=0&ps=1&format=xml&$select=note')).text).toContain('<note>***</note>');
    for (const query of ['note=eq.n1', '$or=(id=eq.1,note=eq.n1)', '$null=note', '$order=note'])
      expect(said(await get(`pg=0&ps=1&${query}`))).toEqual([400, expect.stringContaining('note')]);
    expect(said(await space.auto('DELETE', 'items', 'note=eq.n1', user()))).toEqual([400, expect.stringContaining('note')]);
    expect(said(await space.auto('PUT', 'items', 'note=eq.n1&set=note.x', user()))).toEqual([400, expect.stringContaining('note')]);
    const paged = await get('pg=0&ps=2&$after=');
    expect(paged.json<Item[]>().map(({ note }) => note)).toEqual(['***', '***']);
  });

  test('the persona limits the size of a page', async () => {
    await space.only({ items: { read: { max_page_size: 3 } } });
    expect((await get('pg=0&ps=3')).status).toBe(200);
    expect(said(await get('pg=0&ps=4'))).toEqual([400, expect.stringContaining('3')]);
  });

  test('a rule whose column was dropped rejects requests with the name of its persona', async () => {
    const none = isColumnar ? 'Nullable(String)' : 'varchar(50) NULL';
    const end = isColumnar ? ' ENGINE = MergeTree ORDER BY id' : '';
    await space.database.run(`CREATE TABLE fragile (id int${isColumnar ? '' : ' PRIMARY KEY'}, region ${none}, note ${none})${end}`);
    await space.auto('POST', 'fragile', '', {}, [
      { id: 1, region: 'eu' },
      { id: 2, region: 'us' },
    ]);
    await space.only({ fragile: { read: { rows: ['region=eq.eu'], mask: { note: 'x' } }, update: { except: ['region'] }, delete: true } });
    expect((await get('pg=0&ps=9', user(), 'fragile')).json()).toEqual([{ id: 1, region: 'eu', note: 'x' }]);
    await space.database.run('ALTER TABLE fragile DROP COLUMN region');
    const put = (): Promise<Response> => space.auto('PUT', 'fragile', 'id=eq.1&set=note.x', user());
    for (const answer of [await get('pg=0&ps=9', user(), 'fragile'), await put()])
      expect(said(answer)).toEqual([500, expect.stringContaining('tester')]);
    await space.only({ fragile: { read: { columns: ['id'] } } });
    expect((await get('pg=0&ps=9', user(), 'fragile')).json()).toEqual([{ id: 1 }, { id: 2 }]);
    await space.database.run('DROP TABLE fragile');
  });

  test('concurrent reads are never shared between personas or sets of claims', async () => {
    await space.only({ items: { read: { rows: ['owner=eq.?:claims.name'] } } });
    await space.put('second', ['second'], { items: { read: { columns: ['id'] } } });
    const callers = [user({ name: 'ann' }), user({ name: 'bob' }), { 'x-user-roles': 'second' }, { 'x-user-roles': 'admin' }];
    const answers = await Promise.all(
      Array.from({ length: 48 }, async (_, i) => [i % 4, (await get('pg=0&ps=50', callers[i % 4])).json<Item[]>()] as const),
    );
    const expected = [
      ITEMS.filter(({ owner }) => owner === 'ann'),
      ITEMS.filter(({ owner }) => owner === 'bob'),
      ITEMS.map(({ id }) => ({ id })),
      ITEMS,
    ];
    for (const [who, rows] of answers) expect(rows).toEqual(expected[who]);
    await space.remove('second');
  });
});
