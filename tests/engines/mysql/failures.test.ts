/** Errors that are provoked on the servers become the failure kinds of all engines. */
import { afterAll, beforeAll, expect, describe as suite, test } from 'vitest';
import { type Connection, DbFailure, type FailureKind } from '../../../src/engines/contract/engine.ts';
import { serverFailure } from '../../../src/engines/mysql/dialect/failures.ts';
import { admin, connect, entryOf, freshDatabase, OPTIONS, SERVERS, type Server, sql } from './support.ts';

async function failureOf(work: Promise<unknown>): Promise<DbFailure> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DbFailure)) throw new Error(`no failure but ${String(error)}`);
  return error;
}

suite.each(SERVERS)('%s: failures', (label, at: Server) => {
  const database = 'millrace_failures';
  let connection: Connection;

  beforeAll(async () => {
    connection = await freshDatabase(at, database);
    await sql(connection, 'CREATE TABLE parents (id int PRIMARY KEY)');
    await sql(
      connection,
      `CREATE TABLE rows_of (id int PRIMARY KEY, code varchar(3) UNIQUE, parent int, small tinyint, d date, need int NOT NULL, doc json, doubled int AS (id * 2) STORED,
        e enum('a'), CONSTRAINT fk_parent FOREIGN KEY (parent) REFERENCES parents (id), CONSTRAINT small_positive CHECK (small > 0))`,
    );
    await sql(connection, 'INSERT INTO parents VALUES (1)');
    await sql(connection, "INSERT INTO rows_of (id, code, parent, need) VALUES (1, 'abc', 1, 1)");
    await sql(connection, 'CREATE VIEW counted AS SELECT count(*) AS n FROM rows_of');
    await sql(connection, 'CREATE VIEW small_ones AS SELECT id, need FROM rows_of WHERE id < 10 WITH CHECK OPTION');
    await admin(
      at,
      database,
      "CREATE TRIGGER refuse BEFORE INSERT ON parents FOR EACH ROW IF NEW.id = 13 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not thirteen'; END IF",
    );
    await sql(connection, "DROP USER IF EXISTS 'weak'@'%', 'locked'@'%'");
    await sql(connection, "CREATE USER 'weak'@'%' IDENTIFIED BY 'secret word'");
    await sql(connection, "CREATE USER 'locked'@'%' IDENTIFIED BY 'secret word' ACCOUNT LOCK");
    await sql(connection, `GRANT SELECT ON ${database}.parents TO 'weak'@'%'`);
  });
  afterAll(() => connection.close());

  test.each<[string, FailureKind, Partial<{ column: string; constraint: string }>]>([
    ['SELECT * FROM nowhere', 'missing_table', {}],
    ['SELECT nothing FROM rows_of', 'missing_column', { column: 'nothing' }],
    ['SELEC 1', 'syntax', {}],
    ['', 'syntax', {}],
    ['INSERT INTO rows_of (id, need) VALUES (1, 1)', 'duplicate', { constraint: 'PRIMARY' }],
    ["INSERT INTO rows_of (id, code, need) VALUES (2, 'abc', 1)", 'duplicate', { constraint: 'code' }],
    ['INSERT INTO rows_of (id, need) VALUES (2, NULL)', 'constraint', { column: 'need' }],
    ['INSERT INTO rows_of (id) VALUES (2)', 'constraint', { column: 'need' }],
    ['INSERT INTO rows_of (id, need, parent) VALUES (2, 1, 9)', 'constraint', { constraint: 'fk_parent' }],
    ['DELETE FROM parents', 'constraint', { constraint: 'fk_parent' }],
    ['INSERT INTO rows_of (id, need, small) VALUES (2, 1, -1)', 'constraint', { constraint: 'small_positive' }],
    ['INSERT INTO parents VALUES (13)', 'raised', {}],
    ['INSERT INTO small_ones VALUES (20, 1)', 'constraint', {}],
    ["INSERT INTO rows_of (id, need, code) VALUES (2, 1, 'abcd')", 'invalid', { column: 'code' }],
    ['INSERT INTO rows_of (id, need, small) VALUES (2, 1, 300)', 'invalid', { column: 'small' }],
    ["INSERT INTO rows_of (id, need, d) VALUES (2, 1, '2024-13-01')", 'invalid', { column: 'd' }],
    ["INSERT INTO rows_of (id, need, e) VALUES (2, 1, 'z')", 'invalid', { column: 'e' }],
    ["INSERT INTO rows_of (id, need) VALUES ('x', 1)", 'invalid', { column: 'id' }],
    ['INSERT INTO counted VALUES (1)', 'unsupported', {}],
    ['UPDATE counted SET n = 1', 'unsupported', {}],
    ['DELETE FROM counted', 'unsupported', {}],
    ['INSERT INTO rows_of (id, need, doubled) VALUES (2, 1, 7)', 'unsupported', {}],
  ])('%s', async (text, kind, details) => {
    const failure = await failureOf(sql(connection, text));
    expect({ kind: failure.kind, ...details, message: failure.message }).toMatchObject({ kind, message: expect.stringMatching(/./) });
    for (const [name, value] of Object.entries(details)) expect({ [name]: failure[name as 'column'] }).toEqual({ [name]: value });
    expect(connection.usable).toBe(true);
  });

  test('rejects a document that is not JSON', async () => {
    const failure = await failureOf(sql(connection, "INSERT INTO rows_of (id, need, doc) VALUES (2, 1, '{')"));
    expect(failure.kind).toBe(label === 'MariaDB' ? 'constraint' : 'invalid');
  });

  test('rejects a write in a read-only transaction', async () => {
    await admin(at, database, 'SELECT 1');
    await sql(connection, 'SET SESSION TRANSACTION READ ONLY');
    expect((await failureOf(sql(connection, 'INSERT INTO parents VALUES (5)'))).kind).toBe('read_only');
    expect(await connection.reset()).toBe(true);
  });

  test('reports a conflict to one of two transactions in a deadlock', async () => {
    await sql(connection, 'INSERT IGNORE INTO parents VALUES (2)');
    const other = await connect(at, database);
    await connection.begin(OPTIONS);
    await other.begin(OPTIONS);
    await sql(connection, 'SELECT * FROM parents WHERE id = 1 FOR UPDATE');
    await sql(other, 'SELECT * FROM parents WHERE id = 2 FOR UPDATE');
    const outcomes = await Promise.allSettled([
      sql(connection, 'SELECT * FROM parents WHERE id = 2 FOR UPDATE'),
      sql(other, 'SELECT * FROM parents WHERE id = 1 FOR UPDATE'),
    ]);
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as DbFailure] : []));
    expect(reasons.map((reason) => reason.kind)).toEqual(['conflict']);
    await connection.rollback(OPTIONS);
    await other.rollback(OPTIONS);
    other.close();
  });

  test('reports a missing privilege as denied, without the account in the message', async () => {
    const weak = await connect(at, database, { username: 'weak', password: 'secret word' });
    expect((await sql(weak, 'SELECT id FROM parents WHERE id = 1')).values).toEqual([['1']]);
    for (const text of ['SELECT * FROM rows_of', 'DELETE FROM parents', 'SET GLOBAL max_connections = 10', 'SELECT * FROM mysql.user']) {
      const failure = await failureOf(sql(weak, text));
      expect({ text, kind: failure.kind }).toEqual({ text, kind: 'denied' });
      expect(failure.message).not.toMatch(/weak|localhost|127\.0\.0\.1/);
    }
    const described = (table: string) => at.engine.catalog.describe(weak, { schema: undefined, table }, OPTIONS);
    expect((await failureOf(described('rows_of'))).kind).toBe('denied');
    expect((await described('parents'))?.name).toBe('parents');
    expect(await described("rows_of' OR 1")).toBeUndefined();
    weak.close();
  });

  test.each<[string, FailureKind, object]>([
    ['a wrong password', 'login', { username: 'weak', password: 'wrong' }],
    ['an unknown user', 'login', { username: 'nobody', password: 'x' }],
    ['a locked account', 'login', { username: 'locked', password: 'secret word' }],
    ['a database it may not use', 'login', { username: 'weak', password: 'secret word', database: 'mysql' }],
    ['a database that is not there', 'missing_table', { database: 'millrace_no_such' }],
  ])('logging in with %s', async (__, kind, changes) => {
    const failure = await failureOf(connect(at, database, changes));
    expect(failure.kind).toBe(kind);
    expect(failure.message).not.toMatch(/weak|nobody|locked'|secret|wrong/);
  });

  test('reports too many connections as full', async () => {
    await sql(connection, "CREATE USER IF NOT EXISTS 'single'@'%' WITH MAX_USER_CONNECTIONS 1");
    await sql(connection, `GRANT SELECT ON ${database}.* TO 'single'@'%'`);
    const first = await connect(at, database, { username: 'single', password: '' });
    expect((await failureOf(connect(at, database, { username: 'single', password: '' }))).kind).toBe('full');
    first.close();
  });

  test('reports a closed port, or one of another protocol, as unreachable', async () => {
    const closed = connect(at, database, {}, 1);
    expect((await failureOf(closed)).kind).toBe('unreachable');
    const aborted = at.engine.connect(entryOf(at, database), {
      host: { host: at.host, port: at.port },
      address: at.host,
      timeoutMs: 1000,
      signal: AbortSignal.abort(),
    });
    expect((await failureOf(aborted)).kind).toBe('cancelled');
  });
});

suite('error numbers', () => {
  test.each<[number, FailureKind]>([
    [1040, 'full'],
    [1461, 'busy'],
    [3024, 'timeout'],
    [1969, 'timeout'],
    [1317, 'lost'],
    [1044, 'denied'],
    [1143, 'denied'],
    [1227, 'denied'],
    [1370, 'denied'],
    [1205, 'conflict'],
    [1020, 'conflict'],
    [1290, 'read_only'],
    [1836, 'read_only'],
    [1348, 'unsupported'],
    [1394, 'unsupported'],
    [1395, 'unsupported'],
    [1443, 'unsupported'],
    [1053, 'lost'],
    [1615, 'stale'],
    [9999, 'other'],
  ])('%i is %s', (code, kind) => {
    expect(serverFailure(code, 'HY000', 'words').kind).toBe(kind);
  });
});
