// Returned rows ($return=rows) and PATCH of rows by their keys, on engines with transactions.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService } from '../support/service.ts';
import { TableClient } from './users-table.ts';

type Transactional = Exclude<EngineName, 'clickhouse'>;
const ENGINES: readonly Transactional[] = ['postgres', 'mysql', 'mariadb'];

const THINGS: Record<Transactional, string> = {
  postgres: "CREATE TABLE things (id serial PRIMARY KEY, name varchar(40) NOT NULL, state varchar(10) DEFAULT 'new', n int, doubled int GENERATED ALWAYS AS (n * 2) STORED, CONSTRAINT low CHECK (n < 1000))",
  mysql: "CREATE TABLE things (id int AUTO_INCREMENT PRIMARY KEY, name varchar(40) NOT NULL, state varchar(10) DEFAULT 'new', n int, doubled int GENERATED ALWAYS AS (n * 2) STORED, CONSTRAINT low CHECK (n < 1000))",
  mariadb: "CREATE TABLE things (id int AUTO_INCREMENT PRIMARY KEY, name varchar(40) NOT NULL, state varchar(10) DEFAULT 'new', n int, doubled int GENERATED ALWAYS AS (n * 2) STORED, CONSTRAINT low CHECK (n < 1000))",
}; // biome-ignore format: one statement a line
const CODES: Record<Transactional, string> = {
  postgres: 'CREATE TABLE codes (a varchar(20), b date, v numeric(8,2), PRIMARY KEY (a, b))',
  mysql: 'CREATE TABLE codes (a varchar(20), b date, v decimal(8,2), PRIMARY KEY (a, b))',
  mariadb: 'CREATE TABLE codes (a varchar(20), b date, v decimal(8,2), PRIMARY KEY (a, b))',
};

/** Notes for each row that changes when its statement began. */
const TOLD = 'CREATE TRIGGER tells AFTER UPDATE ON codes FOR EACH ROW INSERT INTO told VALUES (now(6))';
const TELLING: Record<Transactional, readonly string[]> = {
  postgres: [
    'CREATE TABLE told (at timestamptz)',
    'CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO told VALUES (statement_timestamp()); RETURN NULL; END $$',
    'CREATE TRIGGER tells AFTER UPDATE ON codes FOR EACH ROW EXECUTE FUNCTION tell()',
  ],
  mysql: ['CREATE TABLE told (at datetime(6))', TOLD],
  mariadb: ['CREATE TABLE told (at datetime(6))', TOLD],
};

/** Gives each row a key of its own. */
const KEYED = 'CREATE TRIGGER keying BEFORE INSERT ON things FOR EACH ROW SET NEW.id = 5000 + NEW.n';
const KEYING: Record<Transactional, readonly string[]> = {
  postgres: [
    'CREATE FUNCTION give_key() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.id = 5000 + NEW.n; RETURN NEW; END $$',
    'CREATE TRIGGER keying BEFORE INSERT ON things FOR EACH ROW EXECUTE FUNCTION give_key()',
  ],
  mysql: [KEYED],
  mariadb: [KEYED],
};

interface Thing {
  readonly id: number;
  readonly name: string;
  readonly state: string;
  readonly n: number | null;
  readonly doubled: number | null;
}

describe.each(ENGINES)('written rows on %s', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let things: TableClient;
  let codes: TableClient;
  let plain: TableClient;

  beforeAll(async () => {
    database = await createDatabase(engine);
    for (const statement of [THINGS[engine], CODES[engine], 'CREATE TABLE plain (a int)']) await database.run(statement);
    service = await sharedService();
    const project = await setUpProject(service, [database.entry()]);
    things = new TableClient(service, project, database, 'things');
    codes = new TableClient(service, project, database, 'codes');
    plain = new TableClient(service, project, database, 'plain');
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  beforeEach(async () => {
    for (const table of ['things', 'codes', 'plain']) await database.run(`DELETE FROM ${table}`);
    const rows = [1, 2, 3, 4].map((id) => ({ id, name: `t${id}`, n: id * 10 }));
    expect((await things.post(rows)).status).toBe(201);
  });

  it('returns inserted rows in the order of the body, with keys and defaults', async () => {
    await database.run(engine === 'postgres' ? "SELECT setval('things_id_seq', 100)" : 'ALTER TABLE things AUTO_INCREMENT = 101');
    const response = await things.post([{ name: 'z' }, { name: 'a', n: 5 }, { name: 'm' }], '$return=rows');
    expect([response.status, response.headers['x-rows-affected']]).toEqual([201, '3']);
    const rows = response.json<Thing[]>();
    expect(rows.map(({ name, state, n, doubled }) => [name, state, n, doubled])).toEqual([
      ['z', 'new', null, null],
      ['a', 'new', 5, 10],
      ['m', 'new', null, null],
    ]);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(3);
    for (const row of rows) expect(await things.rows(`id=eq.${row.id}`)).toEqual([row]);
    const one = await things.post([{ name: 'one' }], '$return=rows&$select=name,id&format=csv');
    expect(one.text).toMatch(/^name,id\r\none,\d+\r\n$/);
    const given = await things.post(
      [
        { id: 9, name: 'n9' },
        { id: 7, name: 'n7' },
      ],
      '$return=rows&$select=id',
    );
    expect(given.text).toBe('[{"id":9},{"id":7}]');
    const falling = Array.from({ length: 1200 }, (_, i) => ({ id: 9000 - i, name: `f${i}` }));
    const backwards = await things.post(falling, '$return=rows&$select=name');
    expect(backwards.json<Thing[]>()).toEqual(falling.map(({ name }) => ({ name })));
    const many = await things.post(
      Array.from({ length: 2500 }, (_, i) => ({ name: `many ${i}`, n: i % 100 })),
      '$return=rows&$select=name,n',
    );
    expect(many.json<Thing[]>().map(({ name }) => name)).toEqual(Array.from({ length: 2500 }, (_, i) => `many ${i}`));
    expect((await things.post([{ name: 'x' }], '$return=count')).text).toBe('{"rows_affected":1}');
    expect((await things.post([{ name: 'x' }], '$return=all')).status).toBe(400);
    expect((await things.post([{ name: 'x' }], '$select=id')).status).toBe(400);
  });

  it('returns one inserted row with any kind of generated key, or inserts nothing', async () => {
    if (engine === 'postgres') await database.run("SELECT setval('things_id_seq', 100)");
    const posted = async (row: object, query = '$return=rows'): Promise<unknown[]> => {
      const response = await things.post([row], query);
      return [response.status, response.headers['x-outcome'], response.status === 201 ? response.json<unknown>() : undefined];
    };
    const [, , made] = (await posted({ name: 'made', n: 2 })) as [number, undefined, Thing[]];
    expect(await things.rows('name=eq.made')).toEqual(made);
    expect(await posted({ id: 800, name: 'given' }, '$return=rows&$select=name,id')).toEqual([
      201,
      undefined,
      [{ name: 'given', id: 800 }],
    ]);
    expect(await posted({ name: 'unkeyed', n: 4 }, '$return=rows&$select=doubled')).toEqual([201, undefined, [{ doubled: 8 }]]);
    expect(await posted({ id: 800, name: 'again' })).toEqual([409, 'none', undefined]);
    expect(await posted({ name: 'low', n: 1000 })).toEqual([422, 'none', undefined]);
    expect((await posted({ name: 'tried' }, '$return=rows&$dry_run=true'))[0]).toBe(201);
    expect((await posted({ name: 'too many' }, '$return=rows&$max_affected=0'))[0]).toBe(422);
    expect(await posted({ id: 800, name: 'anew' }, '$return=rows&$upsert=true&$select=id,name')).toEqual([
      201,
      undefined,
      [{ id: 800, name: 'anew' }],
    ]);
    const names = (await things.rows<Thing>()).map(({ name }) => name);
    expect(names.filter((name) => !/^t\d$/.test(name)).sort()).toEqual(['anew', 'made', 'unkeyed']);
  });

  it('returns a row with the key that a trigger generated', async () => {
    for (const statement of KEYING[engine]) await database.run(statement);
    try {
      for (const n of [1, 2]) {
        const response = await things.post([{ name: 'x', n }], '$return=rows&$select=id,n');
        expect(response.json<unknown>()).toEqual([{ id: 5000 + n, n }]);
      }
    } finally {
      await database.run(`DROP TRIGGER keying${engine === 'postgres' ? ' ON things' : ''}`);
    }
  });

  it('returns updated rows with new values, and deleted rows with old ones', async () => {
    const put = await things.send('PUT', 'id=le.2&set=n.7&$return=rows&$select=id,n,doubled');
    expect([put.status, put.headers['x-rows-affected']]).toEqual([200, '2']);
    expect(put.json<Thing[]>().toSorted((a, b) => a.id - b.id)).toEqual([
      { id: 1, n: 7, doubled: 14 },
      { id: 2, n: 7, doubled: 14 },
    ]);
    const patch = await things.send('PATCH', 'id=eq.1&$return=rows&$select=id,name', { body: { id: 50, name: 'moved' } });
    expect(patch.text).toBe('[{"id":50,"name":"moved"}]');
    const none = await things.send('PATCH', 'id=eq.999&$return=rows&$select=id', { body: { name: 'x' } });
    expect([none.text, none.headers['x-rows-affected']]).toEqual(['[]', '0']);
    const deleted = await things.send('DELETE', 'id=ge.3&id=le.4&$return=rows&$select=name');
    expect(
      deleted
        .json<Thing[]>()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['t3', 't4']);
    expect((await things.rows<Thing>()).map(({ id }) => id)).toEqual([2, 50]);
  });

  it('returns the would-be rows with $dry_run', async () => {
    const dry = await things.send('PATCH', 'id=eq.1&$return=rows&$dry_run=true&$select=name', { body: { name: 'tried' } });
    expect(dry.text).toBe('[{"name":"tried"}]');
    const insert = await things.post([{ id: 77, name: 'tried' }], '$return=rows&$dry_run=true&$select=id');
    expect([insert.status, insert.text]).toEqual([201, '[{"id":77}]']);
    expect((await things.send('DELETE', 'id=le.4&$return=rows&$dry_run=true&$select=id')).json()).toHaveLength(4);
    expect((await things.send('DELETE', 'id=le.4&$return=rows&$max_affected=2')).status).toBe(422);
    // Conditions that no row can meet, which some planners find out before they look at any.
    const none = await things.send('DELETE', 'id=eq.1&id=in.2,3&$return=rows');
    expect([none.status, none.json(), none.headers['x-rows-affected']]).toEqual([200, [], '0']);
    expect((await things.rows<Thing>()).map(({ name }) => name)).toEqual(['t1', 't2', 't3', 't4']);
  });

  it('requires a key if the engine does not return rows', async () => {
    await plain.post([{ a: 1 }]);
    const canInsert = engine !== 'mysql';
    const canUpdate = engine === 'postgres';
    expect((await plain.post([{ a: 2 }], '$return=rows')).status).toBe(canInsert ? 201 : 422);
    expect((await plain.send('PUT', 'a=eq.1&set=a.3&$return=rows')).status).toBe(canUpdate ? 200 : 422);
    expect((await plain.send('DELETE', 'a=ge.1&$return=rows')).status).toBe(canInsert ? 200 : 422);
  });

  it('patches rows by their keys, each with different columns', async () => {
    const response = await things.send('PATCH', '', {
      body: [
        { id: 2, name: 'two', n: 3 },
        { name: 'four', id: 4 },
        { id: 1, n: null },
        { id: 3, name: 'three', n: 4 },
      ],
    });
    expect([response.status, response.text]).toEqual([200, '{"rows_affected":4}']);
    expect((await things.rows<Thing>()).map(({ name, n }) => [name, n])).toEqual([
      ['t1', null],
      ['two', 3],
      ['three', 4],
      ['four', 40],
    ]);
    const returned = await things.send('PATCH', '$return=rows&$select=id,name', {
      body: [
        { id: 4, name: 'b' },
        { id: 1, name: 'a' },
      ],
    });
    expect(returned.text).toBe('[{"id":4,"name":"b"},{"id":1,"name":"a"}]');
  });

  it('patches all rows or none', async () => {
    const before = await things.rows();
    const refuse = async (body: unknown, status: number, words: RegExp, query = '') => {
      const response = await things.send('PATCH', query, { body });
      expect([response.status, response.text], JSON.stringify(body)).toEqual([status, expect.stringMatching(words)]);
    };
    await refuse(
      [
        { id: 1, name: 'x' },
        { id: 99, name: 'y' },
        { id: 2, name: 'z' },
      ],
      404,
      /Row 1/,
    );
    await refuse(
      [
        { id: 1, name: 'x' },
        { id: 2, name: 'y' },
        { id: 1, name: 'z' },
      ],
      422,
      /Row 2/,
    );
    await refuse(
      [
        { id: 1, name: 'x' },
        { id: 1, n: 5 },
      ],
      422,
      /Row 1/,
    );
    await refuse([{ id: 1, name: 'x' }, { name: 'y' }], 400, /Row 1/);
    await refuse([{ id: 1 }], 400, /Row 0/);
    await refuse([{ id: 1, nothing: 1 }], 400, /nothing/);
    await refuse([{ id: 1, name: null }], 422, /name/);
    await refuse(
      [
        { id: 1, name: 'x' },
        { id: 2, n: 5000 },
        { id: 3, n: 5 },
      ],
      422,
      /Row 1/,
    );
    await refuse(
      [
        { id: 3, name: 'x', n: 1 },
        { id: 1, name: 'y', n: 2 },
        { id: 2, name: 'z', n: 1001 },
        { id: 4, name: 'z', n: 1001 },
      ],
      422,
      /Row 2/,
    );
    await refuse(
      [
        { id: 1, name: 'x' },
        { id: 2, doubled: 5 },
      ],
      422,
      /doubled/,
    );
    await refuse(
      [
        { id: 1, name: 'x' },
        { id: 2, name: 'y' },
      ],
      422,
      /./,
      '$max_affected=1',
    );
    await refuse([{ id: 1, name: 'x' }], 400, /filter/, 'id=eq.1');
    await refuse([1], 400, /Row 0/);
    expect(await things.rows()).toEqual(before);
    expect((await things.send('PATCH', '$dry_run=true', { body: [{ id: 1, name: 'x' }] })).text).toBe('{"rows_affected":1}');
    expect(await things.rows()).toEqual(before);
  });

  it('finds rows by keys of other types, with the equality of the engine', async () => {
    await codes.post([
      { a: 'x', b: '2024-01-01', v: 1 },
      { a: 'y', b: '2024-01-02', v: 2 },
    ]);
    const done = await codes.send('PATCH', '', {
      body: [
        { a: 'y', b: '2024-01-02', v: '2.50' },
        { a: 'x', b: '2024-01-01', v: '1.50' },
      ],
    });
    expect([done.status, done.text]).toEqual([200, '{"rows_affected":2}']);
    expect((await codes.get('pg=0&ps=9&$select=v')).text).toBe('[{"v":1.50},{"v":2.50}]');
    const twice = await codes.send('PATCH', '', {
      body: [
        { a: 'x', b: '2024-01-01', v: 5 },
        { a: engine === 'postgres' ? 'x' : 'X', b: '2024-01-01', v: 6 },
      ],
    });
    expect([twice.status, twice.text]).toEqual([422, expect.stringContaining('Row 1')]);
    const missing = await codes.send('PATCH', '', {
      body: [
        { a: 'x', b: '2024-01-01', v: 5 },
        { a: 'q', b: '2024-01-01', v: 6 },
      ],
    });
    expect([missing.status, missing.text]).toEqual([404, expect.stringContaining('Row 1')]);
    expect((await codes.get('pg=0&ps=9&$select=v')).text).toBe('[{"v":1.50},{"v":2.50}]');
  });

  it('patches many rows by string and date keys in one statement', async () => {
    for (const statement of TELLING[engine]) await database.run(statement);
    const keys = Array.from({ length: 1200 }, (_, i) => ({ a: `ключ ${i}`, b: `2024-02-${String((i % 29) + 1).padStart(2, '0')}` }));
    expect((await codes.post(keys.map((key) => ({ ...key, v: 1 })))).status).toBe(201);
    const response = await codes.send('PATCH', '', { body: keys.map((key, i) => ({ v: i, ...key })) });
    expect([response.status, response.text]).toEqual([200, '{"rows_affected":1200}']);
    const [told] = await database.run('SELECT count(*) AS n, count(DISTINCT at) AS statements FROM told');
    expect([Number(told?.['n']), Number(told?.['statements'])]).toEqual([1200, 1]);
    await database.run(engine === 'postgres' ? 'DROP TRIGGER tells ON codes' : 'DROP TRIGGER tells');
    expect(await codes.rows('$agg=sum.v,count')).toEqual([{ sum_v: 719_400, count: 1200 }]);
    const wrong = keys.map((key, i) => ({ v: i, ...key, ...(i === 700 && { a: 'nobody' }) }));
    expect((await codes.send('PATCH', '', { body: wrong })).text).toMatch(/Row 700/);
  });

  it('patches ten thousand rows', async () => {
    const ids = Array.from({ length: 10_000 }, (_, i) => 1000 + i);
    await things.post(ids.map((id) => ({ id, name: 'old', n: 1 })));
    const body = ids.map((id) => ({ id, name: `new ${id}`, n: id % 50 })).reverse();
    const response = await things.send('PATCH', '$return=rows&$select=id,name', { body });
    expect([response.status, response.headers['x-rows-affected']]).toEqual([200, '10000']);
    expect(response.json<Thing[]>()).toEqual(body.map(({ id, name }) => ({ id, name })));
    expect(await things.rows('id=in.1000,10999&$select=name,n')).toEqual([
      { name: 'new 1000', n: 0 },
      { name: 'new 10999', n: 49 },
    ]);
  });
});
