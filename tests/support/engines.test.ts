// The test engines: versions, logins, databases per test, and restarts after a crash.
import { connect } from 'node:net';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { createDatabase, ENGINE_NAMES, engineAddress, startPrivateEngine } from './engines.ts';

const VERSIONS = { postgres: /^PostgreSQL 18\./, mysql: /^9\./, mariadb: /^10\.11\..*MariaDB/, clickhouse: /^26\.7\./ } as const;

describe.each(ENGINE_NAMES)('%s', (engine) => {
  test('is the engine and version under test', async () => {
    const database = await createDatabase(engine);
    const [row] = await database.run('SELECT version() AS version');
    expect(row?.['version']).toMatch(VERSIONS[engine]);
    await database.drop();
  });

  test('gives each test a database of its own, and takes it away again', async () => {
    const [one, other] = [await createDatabase(engine), await createDatabase(engine)];
    const storage = engine === 'clickhouse' ? 'ENGINE = MergeTree ORDER BY id' : '';
    await one.run(`CREATE TABLE t (id int) ${storage}`);
    await one.run('INSERT INTO t VALUES (1), (2)');
    expect(await one.run('SELECT id FROM t ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
    await expect(other.run('SELECT id FROM t')).rejects.toThrow();
    await one.drop();
    await other.drop();
    await expect(one.run('SELECT 1')).rejects.toThrow();
  });
});

/** tests/spec/stream-broken.long.test.ts kills and restarts the other engines. */
test.each(['postgres', 'mariadb'] as const)('%s comes back after a crash, on its port and with its data', async (engine) => {
  const own = await startPrivateEngine(engine);
  try {
    const database = await createDatabase(engine, own.address);
    await database.run('CREATE TABLE t (id int)');
    // The tests' PostgreSQL does not write commits to disk at once.
    if (engine === 'postgres') await database.run('CHECKPOINT');
    await own.kill();
    await expect(database.run('SELECT 1')).rejects.toThrow();
    await own.restart();
    expect(await database.run('SELECT id FROM t')).toEqual([]);
    await database.drop();
  } finally {
    await own.stop();
  }
});

test('an engine that is not there is an error that says what to do', () => {
  expect(() => engineAddress('mysql', {})).toThrow('MILLRACE_TEST_MYSQL_URL is not set: run `npm test`');
});

test('PostgreSQL wants a password from those that need one', async () => {
  const { host, port } = engineAddress('postgres');
  const attempt = async (password: string): Promise<void> => {
    const client = new pg.Client({ host, port, user: 'locked', password, database: 'postgres' });
    await client.connect().finally(() => client.end());
  };
  await attempt('secret');
  await expect(attempt('wrong')).rejects.toThrow('password authentication failed');
});

test.each(['mysql', 'mariadb'] as const)('%s wants the password of a user that has one', async (engine) => {
  const database = await createDatabase(engine);
  const { host, port } = database.address;
  const user = database.name.slice(0, 32);
  await database.run(`CREATE USER ${user}@'127.0.0.1' IDENTIFIED BY 'right'`);
  const attempt = async (password: string): Promise<void> => (await mysql.createConnection({ host, port, user, password })).end();
  await attempt('right');
  await expect(attempt('wrong')).rejects.toThrow('Access denied');
  await database.run(`DROP USER ${user}@'127.0.0.1'`);
  await database.drop();
});

test.each(['mysql', 'mariadb'] as const)(
  '%s keeps its temporary tables apart: a server that starts removes those in its folder',
  async (engine) => {
    const [shared, own] = [await createDatabase(engine), await startPrivateEngine(engine)];
    try {
      const [one] = await shared.run('SELECT @@tmpdir AS folder');
      const [other] = await (await createDatabase(engine, own.address)).run('SELECT @@tmpdir AS folder');
      expect(other?.['folder']).not.toBe(one?.['folder']);
    } finally {
      await own.stop();
      await shared.drop();
    }
  },
);

describe('ClickHouse', () => {
  test('knows a user that may only read', async () => {
    const database = await createDatabase('clickhouse');
    const { host, port } = database.address;
    const headers = { 'X-ClickHouse-User': 'ro', 'X-ClickHouse-Key': 'ro' };
    const ask = (sql: string): Promise<globalThis.Response> => fetch(`http://${host}:${port}/`, { method: 'POST', headers, body: sql });
    expect((await ask('SELECT 1')).status).toBe(200);
    expect(await (await ask(`CREATE TABLE ${database.name}.t (id Int32) ENGINE = Memory`)).text()).toContain('ACCESS_DENIED');
    await database.drop();
  });

  test('outlives a failed login and a hang-up on its native port', async () => {
    const { host, nativePort = 0 } = engineAddress('clickhouse');
    const string = (text: string): Buffer => Buffer.from([text.length, ...Buffer.from(text)]);
    // Hello: client name, version 1.0, protocol revision (varint), database, user, password.
    const hello = Buffer.concat([
      Buffer.from([0]),
      string('test'),
      Buffer.from([1, 0, 0xbb, 0xa9, 0x03]),
      string('default'),
      string('svc'),
      string('no'),
    ]);
    for (const payload of [hello, Buffer.from([0])])
      await new Promise<void>((resolve) => {
        const socket = connect(nativePort, host, () => (payload === hello ? socket.write(payload) : socket.end(payload)));
        socket.on('data', (answer) => {
          expect(answer.toString('latin1')).toContain('Authentication failed');
          socket.destroy();
        });
        socket.on('close', () => resolve());
      });
    const database = await createDatabase('clickhouse');
    expect(await database.run('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await database.drop();
  });
});
