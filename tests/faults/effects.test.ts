// Custom calls that fail half way: reversible effects are rolled back, and after irreversible ones
// no other version runs and nothing is repeated. Each attack runs with and without a rollback
// version; the rows in the tables decide.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Bench, type Sketch } from '../custom/definitions.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, sharedService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

const BROKEN = { sql: 'SELECT * FROM no_such_table' };
const write = (v: string, table = 'log'): object => ({ sql: `INSERT INTO ${table} (v) VALUES ('${v}')` });

/** The result for the caller: status, outcome of the write, and the version that responded. */
const heard = ({ status, headers }: Response): unknown[] => [status, headers['x-outcome'], headers['x-served-version']];
const FELL_BACK = [200, undefined, '1.0.0'];
const NOTHING_STAYS = [500, 'none', undefined];
const SOMETHING_STAYS = [500, 'unknown', undefined];

const POSTGRES = [
  'CREATE TABLE log (v text)',
  "CREATE PROCEDURE half() LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES ('half'); INSERT INTO no_such_table VALUES (1); END $$",
  "CREATE PROCEDURE commits() LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES ('committed'); COMMIT; INSERT INTO no_such_table VALUES (1); END $$",
];
const MYSQL = [
  'CREATE TABLE log (v varchar(20)) ENGINE = InnoDB',
  'CREATE TABLE keeps (v varchar(20)) ENGINE = MyISAM',
  'CREATE TABLE numbers (n int PRIMARY KEY) ENGINE = InnoDB',
  'INSERT INTO numbers VALUES (1), (2), (3), (4)',
  "CREATE PROCEDURE half() BEGIN INSERT INTO log VALUES ('half'); INSERT INTO no_such_table VALUES (1); END",
  "CREATE PROCEDURE commits() BEGIN INSERT INTO log VALUES ('committed'); COMMIT; INSERT INTO no_such_table VALUES (1); END",
  // Afterwards the server reports the state of the second transaction only.
  `CREATE PROCEDURE begins_anew() BEGIN INSERT INTO log VALUES ('committed'); COMMIT; START TRANSACTION; INSERT INTO log VALUES ('taken back');
    INSERT INTO no_such_table VALUES (1); END`,
];

describe.each(['postgres', 'mysql', 'mariadb'] as const)('%s', (engine) => {
  const isPostgres = engine === 'postgres';
  let database: TestDatabase;
  let bench: Bench;
  beforeAll(async () => {
    database = await createDatabase(engine);
    for (const sql of isPostgres ? POSTGRES : MYSQL) await database.run(sql);
    bench = new Bench(service, await setUpProject(service, [database.entry()]), database);
  });
  afterAll(() => database?.drop());
  beforeEach(async () => {
    for (const table of isPostgres ? ['log'] : ['log', 'keeps']) await database.run(`DELETE FROM ${table}`);
  });

  const rows = async (table = 'log'): Promise<unknown[]> => (await database.run(`SELECT v FROM ${table}`)).map(({ v }) => v);

  /** Deploys an attack, alone or before an older version that writes `old`, and calls it. */
  async function attack(uri: string, newer: Partial<Sketch>, behind: 'alone' | 'behind'): Promise<Response> {
    const path = `${uri}-${behind}`;
    if (behind === 'behind') await bench.deploy({ uri: path, method: 'post', logic: [write('old')] });
    const config = { ...newer.config, ...(behind === 'behind' && { rollback_version: '1.0.0' }) };
    await bench.deploy({ uri: path, method: 'post', version: '2.0.0', logic: [], ...newer, config });
    return bench.call('POST', path, { body: {} });
  }

  const call = (name: string): readonly object[] => [{ sql: `CALL ${name}()` }];

  test('a CALL that fails half way leaves nothing', async () => {
    expect(heard(await attack('half', { logic: call('half') }, 'alone'))).toEqual(NOTHING_STAYS);
    expect(await rows()).toEqual([]);
    expect(heard(await attack('half', { logic: call('half') }, 'behind'))).toEqual(FELL_BACK);
    expect(await rows()).toEqual(['old']);
  });

  test('a CALL that commits inside: what it committed is there once, and is told', async () => {
    const alone = await attack('commits', { logic: call('commits') }, 'alone');
    // PostgreSQL does not let a procedure commit the transaction that it was called in.
    expect(heard(alone)).toEqual(isPostgres ? NOTHING_STAYS : SOMETHING_STAYS);
    if (!isPostgres) expect(alone.json<{ message: string }>().message).toMatch(/what step 0 \(sql\) wrote may stay/);
    expect(await rows()).toEqual(isPostgres ? [] : ['committed']);
    const behind = await attack('commits', { logic: call('commits') }, 'behind');
    expect(heard(behind)).toEqual(isPostgres ? FELL_BACK : SOMETHING_STAYS);
    expect(await rows()).toEqual(isPostgres ? ['old'] : ['committed', 'committed']);
  });

  test('without a transaction a CALL may commit, and nothing answers for it', async () => {
    const config = { transaction: false };
    expect(heard(await attack('loose', { logic: call('commits'), config }, 'behind'))).toEqual(SOMETHING_STAYS);
    expect(await rows()).toEqual(['committed']);
    const steps = await attack('loose-steps', { logic: [write('new'), BROKEN], config }, 'behind');
    expect(heard(steps)).toEqual(SOMETHING_STAYS);
    expect(steps.json<{ message: string }>().message).toMatch(/What step 0 \(sql\) wrote stays/);
    expect(await rows()).toEqual(['committed', 'new']);
  });

  test('an INSERT, a change of the schema, then a step that fails', async () => {
    const create = (name: string): object => ({ sql: `CREATE TABLE ${name} (v int)` });
    const behind = await attack('ddl', { logic: [write('new'), create('made'), BROKEN] }, 'behind');
    expect(heard(behind)).toEqual(isPostgres ? FELL_BACK : SOMETHING_STAYS);
    expect(await rows()).toEqual([isPostgres ? 'old' : 'new']);
    // A failed schema change has committed the statements before it.
    const failing = await attack('ddl-fails', { logic: [write('newer'), create('log')] }, 'behind');
    expect(heard(failing)).toEqual(isPostgres ? FELL_BACK : SOMETHING_STAYS);
    expect(await rows()).toEqual(isPostgres ? ['old', 'old'] : ['new', 'newer']);
  });

  test('the error of the version whose writes stay is the answer, not that of the one before it', async () => {
    const lasting = { logic: [write('second'), BROKEN], config: { transaction: false, rollback_version: '1.0.0' } };
    await bench.deploy({ uri: 'chain', method: 'post', logic: [write('old')] });
    await bench.deploy({ uri: 'chain', method: 'post', version: '2.0.0', ...lasting });
    await bench.deploy({ uri: 'chain', method: 'post', version: '3.0.0', logic: [BROKEN], config: { rollback_version: '2.0.0' } });
    expect(heard(await bench.call('POST', 'chain', { body: {} }))).toEqual(SOMETHING_STAYS);
    expect(await rows()).toEqual(['second']);
  });

  if (isPostgres) {
    test('a statement that cannot be part of a transaction runs by itself', async () => {
      const { status } = await attack('vacuum', { logic: [{ sql: 'VACUUM log' }] }, 'alone');
      expect(status).toBe(200);
    });
    return;
  }

  test('a CALL that commits and begins anew does not look whole', async () => {
    expect(heard(await attack('anew', { logic: call('begins_anew') }, 'behind'))).toEqual(SOMETHING_STAYS);
    expect(await rows()).toEqual(['committed']);
  });

  test('a table without transactions keeps what a later step cannot take back', async () => {
    expect(heard(await attack('myisam', { logic: [write('new', 'keeps'), write('log'), BROKEN] }, 'behind'))).toEqual(SOMETHING_STAYS);
    expect([await rows('keeps'), await rows()]).toEqual([['new'], []]);
  });

  test('a single statement that fails half way in such a table is not made up for, in one that takes it back it is', async () => {
    const half = (table: string): object => ({
      sql: `INSERT INTO ${table} (v) SELECT IF(n = 3, (SELECT n FROM numbers), 'part') FROM numbers ORDER BY n`,
    });
    expect(heard(await attack('half-myisam', { logic: [half('keeps')] }, 'behind'))).toEqual(SOMETHING_STAYS);
    expect([await rows('keeps'), await rows()]).toEqual([['part', 'part'], []]);
    expect(heard(await attack('half-innodb', { logic: [half('log')] }, 'behind'))).toEqual(FELL_BACK);
    expect(await rows()).toEqual(['old']);
  });
});
