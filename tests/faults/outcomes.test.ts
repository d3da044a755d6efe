// Writes that are cut off or time out: the reported outcome agrees with the tables, and no
// statement is sent twice. Each engine is behind a network that can break or fall silent while the
// server continues.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Bench } from '../custom/definitions.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { eventually } from '../support/patience.ts';
import { FaultProxy } from '../support/proxy.ts';
import { type Response, type Service, setUpProject, sharedService } from '../support/service.ts';
import { through } from './slow-database.ts';

/** Time limit of a statement, and duration of a statement that a test has to find running. */
const LIMIT_SECS = 3;
const NAP_SECS = 1.5;

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

/**
 * How each engine is slowed down, how executions are counted across rollbacks, and how running
 * statements are listed.
 */
interface Side {
  readonly schema: readonly string[];
  /** Counts one run, then sleeps. */
  readonly tick: string;
  /** Ends its own session, having counted. */
  readonly suicide: string;
  readonly running: string;
  readonly ticks: string;
  readonly sleep: (secs: number) => string;
}

const POSTGRES: Side = {
  schema: [
    'CREATE SEQUENCE runs',
    'CREATE TABLE slow (id int PRIMARY KEY, secs float NOT NULL DEFAULT 0)',
    `CREATE FUNCTION nap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('runs'), pg_sleep(NEW.secs); RETURN NEW; END $$`,
    'CREATE TRIGGER naps BEFORE INSERT ON slow FOR EACH ROW EXECUTE FUNCTION nap()',
    'CREATE TABLE stubborn (id int PRIMARY KEY, cancels int NOT NULL)',
    `CREATE FUNCTION outlast() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      FOR i IN 1 .. NEW.cancels LOOP BEGIN PERFORM pg_sleep(9); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP;
      IF NEW.cancels < 2 THEN PERFORM pg_sleep(9); END IF; RETURN NEW; END $$`,
    'CREATE TRIGGER outlasts BEFORE INSERT ON stubborn FOR EACH ROW EXECUTE FUNCTION outlast()',
    'CREATE TABLE late (id int PRIMARY KEY, secs float NOT NULL DEFAULT 0)',
    'CREATE CONSTRAINT TRIGGER late_naps AFTER INSERT ON late DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION nap()',
    'CREATE TABLE quick (id int PRIMARY KEY)',
    `CREATE VIEW ticking AS SELECT 1 AS id, nextval('runs') AS run, pg_sleep(${NAP_SECS})::text AS slept`,
  ],
  tick: 'ticking',
  suicide: "SELECT nextval('runs') AS run, pg_terminate_backend(pg_backend_pid())",
  running: `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()
    AND application_name = 'millrace' AND wait_event = 'PgSleep'`,
  ticks: 'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS n FROM runs',
  sleep: (secs) => `SELECT pg_sleep(${secs})`,
};

const MYSQL: Side = {
  schema: [
    'CREATE TABLE runs (id int AUTO_INCREMENT PRIMARY KEY) ENGINE = MyISAM',
    'CREATE TABLE slow (id int PRIMARY KEY, secs float NOT NULL DEFAULT 0) ENGINE = InnoDB',
    'CREATE TRIGGER naps BEFORE INSERT ON slow FOR EACH ROW BEGIN INSERT INTO runs VALUES (NULL); DO SLEEP(NEW.secs); END',
    `CREATE FUNCTION tick() RETURNS int MODIFIES SQL DATA BEGIN INSERT INTO runs VALUES (NULL); DO SLEEP(${NAP_SECS}); RETURN 1; END`,
    'CREATE TABLE quick (id int PRIMARY KEY) ENGINE = InnoDB',
    'CREATE VIEW ticking AS SELECT 1 AS id, tick() AS run',
    'CREATE PROCEDURE die() BEGIN INSERT INTO runs VALUES (NULL); KILL CONNECTION_ID(); END',
  ],
  tick: 'ticking',
  suicide: 'CALL die()',
  running: `SELECT COUNT(*) AS n FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND STATE = 'User sleep'`,
  ticks: 'SELECT COUNT(*) AS n FROM runs',
  sleep: (secs) => `SELECT SLEEP(${secs}) AS slept`,
};

const heard = ({ status, headers }: Response): unknown[] => [status, headers['x-outcome']];
const said = (response: Response): string => response.json<{ message: string }>().message;

describe.concurrent.each(['postgres', 'mysql', 'mariadb'] as const)('%s', (engine) => {
  const side = engine === 'postgres' ? POSTGRES : MYSQL;
  let database: TestDatabase;
  let proxy: FaultProxy;
  let bench: Bench;
  let auto: (method: string, path: string, body?: unknown) => Promise<Response>;
  beforeAll(async () => {
    database = await createDatabase(engine);
    for (const sql of side.schema) await database.run(sql);
  });
  afterAll(() => database?.drop());
  beforeEach(async () => {
    proxy = await FaultProxy.start(database.address);
    await settled();
    await database.run('DELETE FROM slow');
    const entry = { ...database.entry(), ...through(proxy), timeout_secs: LIMIT_SECS, connect_timeout_secs: LIMIT_SECS };
    const project = await setUpProject(service, [entry]);
    bench = new Bench(service, project, database);
    auto = (method, path, body) =>
      service.request(method, `/svc/api/rest/auto/v1/${database.dbType}/${database.name}/${path}`, {
        headers: project.headers,
        ...(body !== undefined && { body }),
      });
    // The table is cached now, so that the rest concerns the write alone.
    expect((await auto('POST', 'slow', [{ id: 0, secs: 0 }])).status).toBe(201);
  });
  afterEach(() => proxy.stop());

  const count = async (sql: string): Promise<number> => Number((await database.run(sql))[0]?.['n']);
  const sleeping = (): Promise<void> => eventually(async () => expect(await count(side.running)).toBe(1));
  const settled = (): Promise<void> => eventually(async () => expect(await count(side.running)).toBe(0));
  const stored = (id: number): Promise<number> => count(`SELECT COUNT(*) AS n FROM slow WHERE id = ${id}`);

  test.sequential('a write that the server stopped in time: nothing happened, and that is said', async () => {
    const response = await auto('POST', 'slow', [{ id: 1, secs: 60 }]);
    expect([...heard(response), said(response)]).toEqual([
      504,
      'none',
      expect.stringContaining(`${LIMIT_SECS} seconds. Nothing was changed`),
    ]);
    await settled();
    expect(await stored(1)).toBe(0);
    // The connection, or another one, serves on.
    expect((await auto('POST', 'slow', [{ id: 2, secs: 0 }])).status).toBe(201);
  });

  test.sequential('a write that is cut off: nobody knows, it is said, and it ran once', async () => {
    const before = await count(side.ticks);
    const write = auto('POST', 'slow', [{ id: 3, secs: NAP_SECS }]);
    await sleeping();
    proxy.resetAll();
    const response = await write;
    expect([...heard(response), said(response)]).toEqual([424, 'unknown', expect.stringMatching(/may have taken effect/)]);
    await settled();
    expect(await count(side.ticks)).toBe(before + 1);
  });

  test.sequential('a write whose answer never comes is not said to have been stopped: its row is there', async () => {
    const write = auto('POST', 'slow', [{ id: 4, secs: NAP_SECS }]);
    await sleeping();
    await proxy.set({ kind: 'blackhole' });
    const response = await write;
    expect(heard(response)).toEqual([504, 'unknown']);
    expect(said(response)).not.toMatch(/stopped|nothing/i);
    expect(await stored(4)).toBe(1);
  });

  test.sequential('a database that cannot be reached has changed nothing', async () => {
    await proxy.set({ kind: 'refuse' });
    proxy.resetAll();
    for (const [method, path, body] of [
      ['POST', 'slow', [{ id: 5 }]],
      ['PUT', 'slow?id=eq.0&set=secs.1', undefined],
      ['DELETE', 'slow?id=eq.0', undefined],
    ] as const)
      expect(heard(await auto(method, path, body))).toEqual([424, 'none']);
    expect(heard(await auto('GET', 'slow?pg=0&ps=1'))).toEqual([424, undefined]);
  });

  test.sequential('connections that ended at rest cost neither reads nor writes anything', async () => {
    for (let round = 0; round < 5; round++) {
      await Promise.all([auto('GET', 'slow?pg=0&ps=1'), auto('GET', 'slow?pg=0&ps=1')]);
      proxy.resetAll();
      const id = 100 + round;
      const answers = await Promise.all([
        auto('GET', 'slow?pg=0&ps=1'),
        auto('POST', 'slow', [{ id }]),
        auto('DELETE', `slow?id=eq.${id - 1}`),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 201, 200]);
    }
  });

  test.sequential('a read that is cut off is not sent again: what it calls may write', async () => {
    const before = await count(side.ticks);
    const read = auto('GET', `${side.tick}?pg=0&ps=1`);
    await sleeping();
    proxy.resetAll();
    expect(heard(await read)).toEqual([424, undefined]);
    await settled();
    expect(await count(side.ticks)).toBe(before + 1);
  });

  test.sequential('a statement that ends its own session runs once, whatever stands behind it', async () => {
    await database.run(engine === 'postgres' ? "SELECT setval('runs', 1, false)" : 'DELETE FROM runs');
    const method = 'post';
    for (const [version, rollback] of [
      ['1', undefined],
      ['2', '1'],
      ['3', '2'],
      ['4', '3'],
    ] as const)
      await bench.deploy({
        uri: 'suicide',
        method,
        version,
        logic: [{ sql: side.suicide }],
        ...(rollback !== undefined && { config: { rollback_version: rollback } }),
      });
    expect((await bench.call('POST', 'suicide', { body: {} })).status).toBe(424);
    expect(await count(side.ticks)).toBe(1);
  });

  test.sequential('a Custom call that is cut off before its commit, and one that runs out of time', async () => {
    const insert = { sql: 'INSERT INTO quick (id) VALUES (?:id)' };
    const inserted = (id: number): Promise<number> => count(`SELECT COUNT(*) AS n FROM quick WHERE id = ${id}`);
    const ref = { ref: `${database.dbType}/${database.name}`, timeout_secs: LIMIT_SECS };
    await bench.deploy({ uri: 'steps', method: 'post', logic: [insert, { sql: side.sleep(NAP_SECS) }], database: ref });
    const call = bench.call('POST', 'steps', { body: { id: 6 } });
    await sleeping();
    proxy.resetAll();
    // On MySQL and MariaDB a table without transactions would have kept the row.
    expect(heard(await call)).toEqual([424, engine === 'postgres' ? 'none' : 'unknown']);
    await eventually(async () => expect(await inserted(6)).toBe(0));
    await bench.deploy({ uri: 'late', method: 'post', logic: [insert, { sql: side.sleep(60) }], database: ref });
    const late = await bench.call('POST', 'late', { body: { id: 7 } });
    expect(heard(late)).toEqual([504, 'none']);
    await eventually(async () => expect(await inserted(7)).toBe(0));
    await bench.deploy({ uri: 'single', method: 'post', logic: [{ sql: `INSERT INTO slow VALUES (8, ${NAP_SECS})` }], database: ref });
    const single = bench.call('POST', 'single', { body: {} });
    await sleeping();
    proxy.resetAll();
    expect(heard(await single)).toEqual([424, 'unknown']);
  });

  if (engine !== 'postgres') return;

  test.sequential('a write that does not heed the server’s limit is stopped by ours: what it left is told as the server tells it', async () => {
    const gives_up = await auto('POST', 'stubborn', [{ id: 1, cancels: 1 }]);
    expect(heard(gives_up)).toEqual([504, 'none']);
    // This statement succeeds in spite of the cancel requests, and is reported as done.
    expect((await auto('POST', 'stubborn', [{ id: 2, cancels: 2 }])).status).toBe(201);
    expect(await database.run('SELECT id FROM stubborn')).toEqual([{ id: 2 }]);
  });

  test.sequential('a commit that is cut off: nobody knows', async () => {
    await auto('POST', 'late', [{ id: 1 }]);
    // Rows of two shapes are two statements, and the trigger runs with the commit.
    const write = auto('POST', 'late', [{ id: 2, secs: NAP_SECS }, { id: 3 }]);
    await sleeping();
    proxy.resetAll();
    expect(heard(await write)).toEqual([424, 'unknown']);
    await bench.deploy({
      uri: 'commit',
      method: 'post',
      logic: [{ sql: `INSERT INTO late VALUES (4, ${NAP_SECS})` }, { expr: 'a', code: '1' }],
    });
    await settled();
    const call = bench.call('POST', 'commit', { body: {} });
    await sleeping();
    proxy.resetAll();
    const response = await call;
    expect([...heard(response), said(response)]).toEqual([424, 'unknown', expect.stringMatching(/what step 0 \(sql\) wrote may stay/)]);
    await settled();
  });
});

describe.concurrent('clickhouse, which cannot take anything back', () => {
  let database: TestDatabase;
  let proxy: FaultProxy;
  let bench: Bench;
  let auto: (method: string, path: string, body?: unknown) => Promise<Response>;
  beforeAll(async () => {
    database = await createDatabase('clickhouse');
    await database.run('CREATE TABLE slow (id Int32, slept UInt8 DEFAULT sleep(3)) ENGINE = MergeTree ORDER BY id');
    const { host, port, nativePort = port } = database.address;
    proxy = await FaultProxy.start({ host, port: nativePort });
    const project = await setUpProject(service, [{ ...database.entry(), ...through(proxy) }]);
    bench = new Bench(service, project, database);
    auto = (method, path, body) =>
      service.request(method, `/svc/api/rest/auto/v1/ch/${database.name}/${path}`, {
        headers: project.headers,
        ...(body !== undefined && { body }),
      });
    expect((await auto('POST', 'slow', [{ id: 0, slept: 0 }])).status).toBe(201);
  });
  afterAll(async () => {
    await proxy?.stop();
    await database?.drop();
  });

  const sleeping = (command: 'insert into' | 'select count()'): Promise<void> =>
    eventually(async () => {
      const ofDatabase = `SELECT query FROM system.processes WHERE current_database = '${database.name}'`;
      const running = (await database.run(ofDatabase)).map(({ query }) => String(query).toLowerCase());
      expect(running.filter((query) => query.includes(command))).toHaveLength(1);
    });

  test.sequential('a write that is cut off: nobody knows; one that never came there: nothing happened', async () => {
    const write = auto('POST', 'slow', [{ id: 1 }]);
    await sleeping('insert into');
    proxy.resetAll();
    const response = await write;
    expect([...heard(response), said(response)]).toEqual([424, 'unknown', expect.stringMatching(/may have taken effect/)]);
    await proxy.set({ kind: 'refuse' });
    proxy.resetAll();
    expect(heard(await auto('POST', 'slow', [{ id: 2 }]))).toEqual([424, 'none']);
    expect(heard(await auto('DELETE', 'slow?id=eq.0'))).toEqual([424, 'none']);
    await proxy.set({ kind: 'pass' });
  });

  test.sequential('a change that is cut off or runs out of time while its rows are counted: nothing happened', async () => {
    await database.run('CREATE TABLE counted (id Int32, word String, slept UInt8 ALIAS sleep(3)) ENGINE = MergeTree ORDER BY id');
    await database.run("INSERT INTO counted VALUES (1, 'old')");
    const cut = auto('PUT', 'counted?slept=eq.0&set=word.new');
    await sleeping('select count()');
    proxy.resetAll();
    expect(heard(await cut)).toEqual([424, 'none']);
    const { headers } = await setUpProject(service, [{ ...database.entry(), ...through(proxy), timeout_secs: 1 }]);
    const path = `/svc/api/rest/auto/v1/ch/${database.name}/counted?slept=eq.0`;
    expect(heard(await service.request('DELETE', path, { headers }))).toEqual([504, 'none']);
    expect(await database.run('SELECT id, word FROM counted')).toEqual([{ id: 1, word: 'old' }]);
  });

  test.sequential('a step that runs out of time may have written; one that is refused before it begins has not', async () => {
    const ref = { ref: `ch/${database.name}`, timeout_secs: 1 };
    const old = { uri: 'late', method: 'post', logic: [{ expr: 'a', code: '1' }], database: ref };
    const config = { rollback_version: '1.0.0' };
    await bench.deploy(old);
    await bench.deploy({ ...old, version: '2.0.0', logic: [{ sql: 'INSERT INTO slow (id) VALUES (3)' }], config });
    expect(heard(await bench.call('POST', 'late', { body: {} }))).toEqual([504, 'unknown']);
    const wrong = [
      'INSERT INTO no_such_table VALUES (3)',
      'INSERT INTO slow (id) SELECT no_such_function(3)',
      'INSERT INTO slow (id) SELEC 3',
    ];
    for (const [index, sql] of wrong.entries()) {
      await bench.deploy({ ...old, version: `${3 + index}.0.0`, logic: [{ sql }], config });
      const refused = await bench.call('POST', 'late', { body: {} });
      expect([sql, refused.status, refused.headers['x-served-version']]).toEqual([sql, 200, '1.0.0']);
    }
  });
});
