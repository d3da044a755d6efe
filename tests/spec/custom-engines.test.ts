// Custom calls with SQL steps on every engine: binding, transactions, types, hostile values.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Bench } from '../custom/definitions.ts';
import { createDatabase, ENGINE_NAMES, type EngineName } from '../support/engines.ts';
import { type Service, setUpProject, sharedService } from '../support/service.ts';

const TABLES: Readonly<Record<EngineName, readonly string[]>> = {
  postgres: ['CREATE TABLE people (id int PRIMARY KEY, name varchar(40) NOT NULL, age int, price numeric(12,2))'],
  mysql: ['CREATE TABLE people (id int PRIMARY KEY, name varchar(40) NOT NULL, age int, price decimal(12,2))'],
  mariadb: ['CREATE TABLE people (id int PRIMARY KEY, name varchar(40) NOT NULL, age int, price decimal(12,2))'],
  clickhouse: ['CREATE TABLE people (id Int32, name String, age Nullable(Int32), price Decimal(12,2)) ENGINE = MergeTree ORDER BY id'],
};
const ROWS = "INSERT INTO people VALUES (1, 'alice', 30, 1.50), (2, 'bob', 40, 2.00), (3, 'carol', NULL, 10.25), (4, '0', 50, 0.10)";

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(async () => {
  await service.stop();
});

describe.each(ENGINE_NAMES)('%s', (engine) => {
  let bench: Bench;
  const transactional = engine !== 'clickhouse';
  const mysqlFamily = engine === 'mysql' || engine === 'mariadb';

  beforeAll(async () => {
    const database = await createDatabase(engine);
    for (const statement of [...TABLES[engine], ROWS]) await database.run(statement);
    bench = new Bench(
      service,
      await setUpProject(service, [database.entry({ max_open_connections: 2, connect_timeout_secs: 5 })]),
      database,
    );
  });
  afterAll(async () => {
    await bench?.database.drop();
  });

  test('values of a query are bound, whether the slot is quoted or not', async () => {
    await bench.deploy({
      uri: 'find',
      logic: [{ sql: "SELECT id, name FROM people WHERE id = ?:id AND name = '?:name' -- ?:nothing" }],
    });
    expect(await bench.rows('GET', 'find?id=2&name=bob')).toEqual([{ id: 2, name: 'bob' }]);
    expect(await bench.rows('GET', "find?id=2&name=bob'%20OR%20'1'%3D'1")).toEqual([]);
    const missing = await bench.get('find?id=2');
    expect(missing.status).toBe(400);
    expect(missing.json<{ message: string }>().message).toContain('"name"');
  });

  test('slots work inside a literal and in a limit', async () => {
    await bench.deploy({
      uri: 'search',
      logic: [{ sql: "SELECT name FROM people WHERE name LIKE '%?:q%' ORDER BY id LIMIT ?:n OFFSET ?:skip" }],
    });
    expect(await bench.rows('GET', 'search?q=o&n=5&skip=0')).toEqual([{ name: 'bob' }, { name: 'carol' }]);
    expect(await bench.rows('GET', 'search?q=o&n=1&skip=1')).toEqual([{ name: 'carol' }]);
    expect((await bench.get('search?q=o&n=abc&skip=0')).status).toBe(422);
  });

  test('lists are bound, also empty ones', async () => {
    const sql = 'SELECT id FROM people WHERE id IN (?:ids) AND id NOT IN (?:not) ORDER BY id';
    await bench.deploy({ uri: 'among', method: 'post', logic: [{ sql }] });
    const among = (ids: unknown, not: unknown): Promise<unknown> => bench.rows('POST', 'among', { body: { ids, not } });
    expect(await among([1, 2, 3], [2])).toEqual([{ id: 1 }, { id: 3 }]);
    expect(await among([1, 2, 3, 4, 5, 6, 7], [])).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]);
    expect(await among([], [1])).toEqual([]);
    expect(await among(3, [1])).toEqual([{ id: 3 }]);
    expect(await among(['1', '2'], ['9'])).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test('the types of one caller never affect the result of another', async () => {
    await bench.deploy({ uri: 'by-name', method: 'post', logic: [{ sql: 'SELECT id FROM people WHERE name = ?:name ORDER BY id' }] });
    const ids = async (name: unknown): Promise<unknown> => {
      const response = await bench.call('POST', 'by-name', { body: { name } });
      return response.status === 200 ? response.json<{ id: number }[]>().map(({ id }) => id) : response.status;
    };
    const values = ['alice', 0, true, null, 1.5, 'zzz'];
    for (const first of values) {
      for (const second of values) {
        await ids(first);
        expect(await ids('zzz')).toEqual([]);
        await ids(second);
        expect(await ids('alice')).toEqual([1]);
      }
    }
    const zero = await ids(0);
    expect(engine === 'clickhouse' ? zero === 422 : JSON.stringify(zero) === '[4]').toBe(true);
  });

  test('numbers are exact', async () => {
    const cast: Record<string, string> = {
      postgres: 'SELECT ?:big::numeric AS big, ?:price::numeric AS price',
      mysql: 'SELECT ?:big AS big, ?:price AS price',
      mariadb: 'SELECT ?:big AS big, ?:price AS price',
      clickhouse: 'SELECT ?:big AS big, ?:price AS price',
    };
    await bench.deploy({ uri: 'exact', method: 'post', logic: [{ sql: cast[engine] }] });
    const response = await bench.call('POST', 'exact', {
      headers: { 'content-type': 'application/json' },
      body: '{"big": 18446744073709551615, "price": 0.10}',
    });
    expect(response.text).toBe('[{"big":18446744073709551615,"price":0.10}]');
  });

  test('later steps can read the rows of earlier steps', async () => {
    await bench.deploy({
      uri: 'chain',
      logic: [
        { sql: 'SELECT id, name, age FROM people WHERE id = ?:id' },
        { sql: "SELECT id, '?:name' AS copied FROM people WHERE age > ?:age ORDER BY id" },
        { sql: 'SELECT ?:step_1[0].id AS first, ?:input.id AS asked FROM people WHERE id = ?:step_0.id' },
      ],
    });
    const [row] = await bench.rows<Record<string, unknown>[]>('GET', 'chain?id=1');
    expect({ first: Number(row?.['first']), asked: row?.['asked'] }).toEqual({ first: 2, asked: '1' });
    // The second step finds no age in an empty result, nor in the input.
    expect((await bench.get('chain?id=99')).status).toBe(400);
  });

  test('writes return the number of rows, and reads stream in any format', async () => {
    await bench.deploy({
      uri: 'people',
      method: 'post',
      logic: [{ sql: 'INSERT INTO people (id, name, age, price) VALUES (?:id, ?:name, ?:age, ?:price)' }],
    });
    expect(await bench.rows('POST', 'people', { body: { id: 10, name: 'dora', age: null, price: 3.5 } })).toEqual({ rows_affected: 1 });
    await bench.deploy({ uri: 'people', logic: [{ sql: 'SELECT id, name, age, price FROM people WHERE id = ?:id' }] });
    expect((await bench.get('people?id=10')).text).toBe('[{"id":10,"name":"dora","age":null,"price":3.50}]');
    expect((await bench.get('people?id=10&format=csv')).text).toBe('id,name,age,price\r\n10,dora,,3.50\r\n');
    expect((await bench.get('people?id=10&format=xml')).text).toContain(
      '<row><id>10</id><name>dora</name><age nil="true"/><price>3.50</price></row>',
    );
    expect((await bench.get('people?id=77')).text).toBe('[]');
  });

  if (transactional)
    test('all sql steps are one transaction', async () => {
      const insert = (id: string): object => ({ sql: `INSERT INTO people (id, name) VALUES (${id}, 'tx')` });
      await bench.deploy({ uri: 'two', method: 'post', logic: [insert('?:a'), insert('?:b')] });
      expect(await bench.rows('POST', 'two', { body: { a: 20, b: 21 } })).toEqual({ rows_affected: 1 });
      const failed = await bench.call('POST', 'two', { body: { a: 22, b: 20 } });
      expect(failed.status).toBe(422);
      expect(failed.json<{ message: string }>().message).toContain('Step 1 (sql)');
      expect(await bench.database.run('SELECT id FROM people WHERE id = 22')).toEqual([]);

      await bench.deploy({ uri: 'loose', method: 'post', config: { transaction: false }, logic: [insert('?:a'), insert('?:b')] });
      expect((await bench.call('POST', 'loose', { body: { a: 23, b: 20 } })).status).toBe(422);
      expect(await bench.database.run('SELECT id FROM people WHERE id = 23')).toHaveLength(1);

      // A step of another kind that fails takes the write back too.
      await bench.deploy({ uri: 'refused', method: 'post', logic: [insert('?:a'), { lark: 'check', code: 'fail("no")\nresult = 1' }] });
      expect((await bench.call('POST', 'refused', { body: { a: 24 } })).status).toBe(422);
      expect(await bench.database.run('SELECT id FROM people WHERE id = 24')).toEqual([]);
    });

  test('a statement that takes too long is cancelled, and its connection is released', async () => {
    const sleep: Record<EngineName, string> = {
      postgres: 'SELECT pg_sleep(60)',
      mysql: 'SELECT SLEEP(60)',
      mariadb: 'SELECT SLEEP(60)',
      clickhouse: 'SELECT count() FROM numbers(100000000000) WHERE sipHash64(number) = 1',
    };
    await bench.deploy({
      uri: 'slow',
      logic: [{ sql: sleep[engine] }],
      database: { ref: `${bench.database.dbType}/${bench.database.name}`, timeout_secs: 1 },
    });
    const began = performance.now();
    const answers = await Promise.all([1, 2].map(() => bench.get('slow')));
    expect(answers.map(({ status }) => status)).toEqual([504, 504]);
    expect(performance.now() - began).toBeLessThan(30_000);
    expect(await bench.rows('GET', 'find?id=1&name=alice')).toHaveLength(1);
  });

  test('each kind of failure has its status', async () => {
    await bench.deploy({ uri: 'no-table', logic: [{ sql: 'SELECT * FROM no_such_table' }] });
    const missing = await bench.get('no-table');
    expect(missing.status).toBe(500);
    expect(missing.json<{ message: string }>().message).toMatch(/^Step 0 \(sql\) failed: .*no_such_table/);
    await bench.deploy({ uri: 'bad-syntax', logic: [{ sql: 'SELEC 1' }] });
    expect((await bench.get('bad-syntax')).status).toBe(500);
    const { address } = bench.database;
    const own = { type: engine, source_ip: address.host, port: '1', username: 'x', password: 'y', name: 'z', connect_timeout_secs: 2 };
    await bench.deploy({ uri: 'unreachable', logic: [{ sql: 'SELECT 1' }], database: own });
    expect((await bench.get('unreachable')).status).toBe(424);
  });

  test('a definition may have a database of its own, whose password stays secret', async () => {
    const { address, name } = bench.database;
    const own = {
      type: engine,
      machine: [{ host: address.host, port: String(address.nativePort ?? address.port) }],
      username: address.user,
      password: address.password,
      name,
      tls: 'disable',
      max_open_connections: 2,
    };
    await bench.deploy({ uri: 'own', logic: [{ sql: 'SELECT name FROM people WHERE id = ?:id' }], database: own });
    expect(await bench.rows('GET', 'own?id=1')).toEqual([{ name: 'alice' }]);
  });

  test('any value in any place is returned unchanged', async () => {
    const text: Record<EngineName, string> = {
      postgres: "SELECT ?:a::text AS a, '?:b' AS b, '<?:c>' AS c, $$?:a$$ AS d /* ?:a */",
      mysql: "SELECT ?:a AS a, '?:b' AS b, '<?:c>' AS c, '\\?:a' AS d /* ?:a */",
      mariadb: "SELECT ?:a AS a, '?:b' AS b, '<?:c>' AS c, '\\?:a' AS d /* ?:a */",
      clickhouse: "SELECT ?:a AS a, '?:b' AS b, '<?:c>' AS c, $$?:a$$ AS d /* ?:a */",
    };
    await bench.deploy({ uri: 'echo', method: 'post', logic: [{ sql: text[engine] }] });
    const hostile = fc.constantFrom(
      "' OR 1=1 -- ",
      "\\' OR 1=1 #",
      '?:b',
      '$1',
      '*/ x /*',
      '{p1:String}',
      "'||b||'",
      '\\',
      '\\N',
      'é😀',
      '%',
      ';DROP TABLE people',
    );
    const value = fc.oneof(hostile, fc.string({ unit: 'grapheme', maxLength: 30 })).filter((one) => !one.includes('\0'));
    await fc.assert(
      fc.asyncProperty(value, value, value, async (a, b, c) => {
        expect(await bench.rows('POST', 'echo', { body: { a, b, c } })).toEqual([{ a, b, c: `<${c}>`, d: '?:a' }]);
      }),
      { numRuns: mysqlFamily || engine === 'postgres' ? 150 : 60 },
    );
  });

  if (transactional)
    test('no session state is left for the next call', async () => {
      const poison: Record<string, readonly string[]> = {
        postgres: [
          'SET search_path = pg_catalog',
          'CREATE TEMP TABLE people (id int)',
          "SELECT set_config('my.secret', 'x', false)",
          'LISTEN x',
          'SELECT pg_advisory_lock(42)',
        ],
        mysql: [
          "SET @secret = 'x'",
          "SET sql_mode = ''",
          'CREATE TEMPORARY TABLE people (id int)',
          'USE mysql',
          'SET autocommit = 0',
          "SELECT GET_LOCK('l', 0)",
        ],
        mariadb: [
          "SET @secret = 'x'",
          "SET sql_mode = ''",
          'CREATE TEMPORARY TABLE people (id int)',
          'USE mysql',
          'SET autocommit = 0',
          "SELECT GET_LOCK('l', 0)",
        ],
      };
      const look = mysqlFamily
        ? 'SELECT @secret AS secret, @@sql_mode AS mode, (SELECT count(*) FROM people) > 3 AS ok'
        : "SELECT current_setting('my.secret', true) AS secret, current_setting('search_path') AS mode, (SELECT count(*) FROM people) > 3 AS ok";
      await bench.deploy({ uri: 'look', logic: [{ sql: look }] });
      const [before] = await bench.rows<object[]>('GET', 'look');
      for (const [index, sql] of (poison[engine] ?? []).entries()) {
        await bench.deploy({ uri: `poison-${index}`, method: 'post', logic: [{ sql }] });
        for (let i = 0; i < 4; i++) await bench.call('POST', `poison-${index}`);
        for (let i = 0; i < 4; i++)
          expect(await bench.rows('GET', 'look')).toEqual([{ ...before, secret: expect.toSatisfy((x) => x === null || x === '') }]);
      }
    });
});
