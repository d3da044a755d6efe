// Errors of triggers and constraints: the message of a trigger reaches the caller, deferred
// constraints are reported with the right row, and a dry run checks them too.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Bench } from '../custom/definitions.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, sharedService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

const message = (response: Response): string => response.json<{ message: string }>().message;

const RAISES = {
  postgres: [
    'CREATE TABLE guarded (id int PRIMARY KEY, note text)',
    `CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'rows stay here'; END IF;
      IF NEW.note = 'plain' THEN RAISE EXCEPTION 'no plain notes'; END IF;
      IF NEW.note LIKE 'code %' THEN RAISE EXCEPTION 'no coded notes' USING ERRCODE = substr(NEW.note, 6); END IF;
      RETURN NEW; END $$`,
    'CREATE TRIGGER guards BEFORE INSERT OR UPDATE OR DELETE ON guarded FOR EACH ROW EXECUTE FUNCTION guard()',
  ],
  mysql: [
    'CREATE TABLE guarded (id int PRIMARY KEY, note varchar(30))',
    `CREATE TRIGGER guards_insert BEFORE INSERT ON guarded FOR EACH ROW BEGIN
      IF NEW.note = 'plain' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no plain notes'; END IF;
      IF NEW.note = 'number' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no coded notes', MYSQL_ERRNO = 31000; END IF;
      IF NEW.note = 'class' THEN SIGNAL SQLSTATE '77001' SET MESSAGE_TEXT = 'no coded notes'; END IF; END`,
    "CREATE TRIGGER guards_update BEFORE UPDATE ON guarded FOR EACH ROW IF NEW.note = 'plain' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no plain notes'; END IF",
    "CREATE TRIGGER guards_delete BEFORE DELETE ON guarded FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'rows stay here'",
  ],
};
/**
 * Codes of every class that RAISE accepts, also of classes that otherwise mean a lost connection, a
 * timeout or a missing privilege.
 */
const CODED = {
  postgres: ['45000', 'UX001', '57014', '57P01', '08006', '42501', '42P01', '42883', '40001', '53300', '0A000', '23514', '22023'].map(
    (code) => `code ${code}`,
  ),
  mysql: ['number', 'class'],
};

describe.each(['postgres', 'mysql', 'mariadb'] as const)('a trigger on %s', (engine) => {
  const family = engine === 'postgres' ? 'postgres' : 'mysql';
  let database: TestDatabase;
  let bench: Bench;
  let auto: (method: string, path: string, body?: unknown) => Promise<Response>;
  beforeAll(async () => {
    database = await createDatabase(engine);
    for (const sql of RAISES[family]) await database.run(sql);
    const project = await setUpProject(service, [database.entry()]);
    bench = new Bench(service, project, database);
    auto = (method, path, body) =>
      service.request(method, `/svc/api/rest/auto/v1/${database.dbType}/${database.name}/${path}`, {
        headers: project.headers,
        ...(body !== undefined && { body }),
      });
    expect((await auto('POST', 'guarded', [{ id: 1, note: 'fine' }])).status).toBe(201);
  });
  afterAll(() => database?.drop());

  test('rejects a row with its own message and the row number, whatever its code', async () => {
    const post = await auto('POST', 'guarded', [
      { id: 2, note: 'fine' },
      { id: 3, note: 'plain' },
      { id: 4, note: 'fine' },
    ]);
    expect([post.status, post.headers['x-outcome'], message(post)]).toEqual([422, 'none', expect.stringMatching(/Row 1.*no plain notes/)]);
    for (const note of CODED[family]) {
      const response = await auto('POST', 'guarded', [{ id: 5, note }]);
      expect([note, response.status, message(response)]).toEqual([note, 422, expect.stringContaining('no coded notes')]);
    }
    const put = await auto('PUT', 'guarded?id=eq.1&set=note.plain');
    expect([put.status, message(put)]).toEqual([422, expect.stringContaining('no plain notes')]);
    const remove = await auto('DELETE', 'guarded?id=eq.1');
    expect([remove.status, message(remove)]).toEqual([422, expect.stringContaining('rows stay here')]);
    expect((await auto('GET', 'guarded?pg=0&ps=9')).json()).toEqual([{ id: 1, note: 'fine' }]);
  });

  test('rejects the data of a step with 422, and no rollback version runs', async () => {
    const step = { sql: "INSERT INTO guarded VALUES (9, 'plain')" };
    await bench.deploy({ uri: 'guarded', method: 'post', logic: [{ expr: 'a', code: '1' }] });
    await bench.deploy({ uri: 'guarded', method: 'post', version: '2', logic: [step], config: { rollback_version: '1.0.0' } });
    const response = await bench.call('POST', 'guarded', { body: {} });
    expect([response.status, message(response)]).toEqual([422, expect.stringContaining('no plain notes')]);
  });
});

describe('deferred constraints of PostgreSQL', () => {
  let database: TestDatabase;
  let auto: (method: string, path: string, body?: unknown) => Promise<Response>;
  beforeAll(async () => {
    database = await createDatabase('postgres');
    for (const sql of [
      'CREATE TABLE tree (id int PRIMARY KEY, parent int REFERENCES tree DEFERRABLE INITIALLY DEFERRED)',
      'CREATE TABLE codes (id int PRIMARY KEY, a text, b int, UNIQUE (a, b) DEFERRABLE INITIALLY DEFERRED)',
      "INSERT INTO codes VALUES (1, 'x, y', 1)",
      'CREATE TABLE ledger (id int PRIMARY KEY, amount int NOT NULL)',
      `CREATE FUNCTION balanced() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF (SELECT sum(amount) FROM ledger) <> 0 THEN RAISE EXCEPTION 'the ledger is not balanced'; END IF; RETURN NULL; END $$`,
      'CREATE CONSTRAINT TRIGGER balances AFTER INSERT ON ledger DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION balanced()',
    ])
      await database.run(sql);
    const { headers } = await setUpProject(service, [database.entry()]);
    auto = (method, path, body) =>
      service.request(method, `/svc/api/rest/auto/v1/pg/${database.name}/${path}`, { headers, ...(body !== undefined && { body }) });
  });
  afterAll(() => database?.drop());

  /**
   * The parent of the first row is inserted later, so that no prefix of the batch identifies the
   * wrong row.
   */
  const TREE = [
    { id: 1, parent: 3 },
    { id: 2, parent: 99 },
    { id: 3, parent: null },
    { id: 4, parent: 1 },
  ];

  test.each(['', '?$dry_run=true'])('report the row with a missing reference (%s)', async (query) => {
    const response = await auto('POST', `tree${query}`, TREE);
    expect([response.status, response.headers['x-outcome'], message(response)]).toEqual([
      422,
      'none',
      expect.stringMatching(/Row 1, column "parent"/),
    ]);
    expect(await database.run('SELECT * FROM tree')).toEqual([]);
  });

  test.each(['', '?$dry_run=true'])('report the row with a duplicate key (%s)', async (query) => {
    const taken = await auto('POST', `codes${query}`, [
      { id: 2, a: 'z', b: 1 },
      { id: 3, a: 'x, y', b: 1 },
      { id: 4, a: 'x, y', b: 2 },
    ]);
    expect([taken.status, message(taken)]).toEqual([409, expect.stringMatching(/Row 1, column "a, b"/)]);
    const twice = await auto('POST', `codes${query}`, [
      { id: 2, a: 'q', b: 1 },
      { id: 3, a: 'r', b: 1 },
      { id: 4, a: 'q', b: 1 },
    ]);
    expect([twice.status, message(twice)]).toEqual([409, expect.stringMatching(/Row 2, column "a, b"/)]);
  });

  test.each(['', '?$dry_run=true'])('report no row if no single one is the cause (%s)', async (query) => {
    const response = await auto('POST', `ledger${query}`, [
      { id: 1, amount: 5 },
      { id: 2, amount: -5 },
      { id: 3, amount: 1 },
    ]);
    expect([response.status, message(response)]).toEqual([422, expect.stringMatching(/the ledger is not balanced/)]);
    expect(message(response)).not.toMatch(/Row \d/);
  });

  test('accept a batch that is valid as a whole, and reject an invalid update', async () => {
    expect(
      (
        await auto('POST', 'tree?$dry_run=true', [
          { id: 1, parent: 3 },
          { id: 3, parent: null },
        ])
      ).status,
    ).toBe(201);
    expect(await database.run('SELECT * FROM tree')).toEqual([]);
    expect(
      (
        await auto('POST', 'tree', [
          { id: 1, parent: 3 },
          { id: 3, parent: null },
        ])
      ).status,
    ).toBe(201);
    for (const query of ['', '&$dry_run=true']) {
      const put = await auto('PUT', `tree?id=eq.1&set=parent.77${query}`);
      expect([put.status, put.headers['x-outcome']]).toEqual([422, 'none']);
      expect((await auto('DELETE', `tree?id=eq.3${query}`)).status).toBe(422);
    }
    expect(await database.run('SELECT * FROM tree ORDER BY id')).toHaveLength(2);
  });
});
