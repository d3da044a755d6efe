// Input of a caller stays private: engines and languages quote values in their messages, and none
// of them may reach the log, the metrics, or the parts of a definition that non-administrators see.
import { randomBytes, randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { Bench } from '../custom/definitions.ts';
import { createDatabase, type EngineName } from '../support/engines.ts';
import { type Response, setUpProject, startService } from '../support/service.ts';

/** A value that appears nowhere by chance, as a word and as a number. */
const WORD = `zq${randomBytes(6).toString('hex')}`;
const NUMBER = String(randomInt(1_000_000_000, 2_000_000_000));
/** Quotation marks inside a value must not open what is cut out of a message. */
const SPIKY = `it's "${WORD}" or '${WORD}`;

const TABLES: Readonly<Record<EngineName, readonly string[]>> = {
  postgres: [
    'CREATE TABLE t (id int PRIMARY KEY, name varchar(60) NOT NULL UNIQUE, size int CHECK (size < 10))',
    `CREATE FUNCTION say(x text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'nobody is called %', x; END $$`,
    `CREATE FUNCTION run(x text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SELECT 1 FROM ' || quote_ident(x); RETURN 1; END $$`,
    `CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not %', NEW.name; END $$`,
    'CREATE TABLE guarded (id int PRIMARY KEY, name text)',
    'CREATE TRIGGER guard BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION guard()',
  ],
  mysql: [
    'CREATE TABLE t (id int PRIMARY KEY, name varchar(60) NOT NULL UNIQUE, size int, CHECK (size < 10))',
    'CREATE TABLE guarded (id int PRIMARY KEY, name text)',
    "CREATE TRIGGER guard BEFORE INSERT ON guarded FOR EACH ROW BEGIN DECLARE m varchar(99); SET m = concat('not ', NEW.name); SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = m; END",
  ],
  mariadb: [
    'CREATE TABLE t (id int PRIMARY KEY, name varchar(60) NOT NULL UNIQUE, size int, CHECK (size < 10))',
    'CREATE TABLE guarded (id int PRIMARY KEY, name text)',
    "CREATE TRIGGER guard BEFORE INSERT ON guarded FOR EACH ROW BEGIN DECLARE m varchar(99); SET m = concat('not ', NEW.name); SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = m; END",
  ],
  clickhouse: [
    'CREATE TABLE t (id Int32, name String, size Int32) ENGINE = MergeTree ORDER BY id',
    'CREATE TABLE guarded (id Int32, name String) ENGINE = MergeTree ORDER BY id',
  ],
};

/** Statements of a Custom API that fail on the value that is bound. */
const STATEMENTS: Readonly<Record<EngineName, readonly string[]>> = {
  postgres: ['SELECT say(?:x) AS v', 'SELECT run(?:x) AS v', 'SELECT cast(?:x AS int) AS v', "SELECT ('{' || ?:x)::json AS v"],
  mysql: ["SELECT json_extract(?:x, '$.a') AS v", 'SELECT extractvalue(?:x, ?:x) AS v', 'SELECT missing_function(?:x) AS v'],
  mariadb: ['SELECT extractvalue(?:x, ?:x) AS v', 'SELECT missing_function(?:x) AS v', 'INSERT INTO t VALUES (?:x, ?:x, 1)'],
  clickhouse: ['SELECT toInt32(?:x) AS v', 'SELECT throwIf(1, ?:x) AS v', 'SELECT missingFunction(?:x) AS v'],
};

const ENGINES: readonly EngineName[] = ['postgres', 'mysql', 'mariadb', 'clickhouse'];

test.each(ENGINES)('%s: values of callers are in their own answers only', async (engine) => {
  const database = await createDatabase(engine);
  const service = await startService({ env: { MILLRACE_LOG_LEVEL: 'trace' } });
  const shown: string[] = [];
  try {
    for (const statement of TABLES[engine]) await database.run(statement);
    const project = await setUpProject(service, [database.entry()]);
    const bench = new Bench(service, project, database);
    const auto = (method: string, table: string, query: string, body?: unknown): Promise<Response> =>
      service.request(method, `${project.autoPath(database.dbType, database.name, table)}${query}`, { headers: project.headers, body });
    const values = [WORD, SPIKY, NUMBER];

    // The Auto API: what is refused here and what the database refuses.
    for (const [i, value] of values.entries()) {
      const row = { id: i, name: value, size: 1 };
      await auto('POST', 't', '', [row]);
      await auto('POST', 't', '', [{ ...row, id: i + 10 }]);
      await auto('POST', 't', '', [{ ...row, id: value }]);
      await auto('POST', 't', '', [{ ...row, id: i + 20, name: `${value}${'x'.repeat(99)}` }]);
      await auto('POST', 't', '', [{ ...row, id: i + 30, name: `${value}-`, size: Number(NUMBER) }]);
      await auto('POST', 'guarded', '', [{ id: i, name: value }]);
      await auto('GET', 't', `?pg=0&ps=10&size=eq.${encodeURIComponent(value)}`);
      await auto('GET', encodeURIComponent(value), '?pg=0&ps=10');
      await auto('PUT', 't', `?id=eq.${i}&set=size.${encodeURIComponent(value)}`);
    }

    // Custom APIs, with a version to fall back to: each failure is noted, and logged as the reason.
    const programs = [
      ...STATEMENTS[engine].map((sql) => ({ sql })),
      { lark: 'l', code: 'result = int(input.x)' },
      { lark: 'l', code: 'result = {}[input.x]' },
      { expr: 'e', code: 'int(input.x)' },
      { expr: 'e', code: 'fromJSON(input.x)' },
    ];
    const failing = `alone${programs.length - 3}`;
    let quoted = 0;
    for (const [i, step] of programs.entries()) {
      await bench.deploy({ uri: `p${i}`, version: '1.0.0', logic: [{ expr: 'ok', code: '1' }] });
      await bench.deploy({ uri: `p${i}`, version: '2.0.0', logic: [step], config: { rollback_version: '1.0.0' } });
      await bench.deploy({ uri: `alone${i}`, logic: [step] });
      for (const value of values) {
        await bench.get(`p${i}?x=${encodeURIComponent(value)}`);
        const alone = await bench.get(`alone${i}?x=${encodeURIComponent(value)}`);
        if (alone.text.includes(WORD)) quoted += 1;
      }
    }
    // The values are in the answers, or nothing of this would mean anything.
    expect(quoted).toBeGreaterThan(programs.length / 2);

    const as = async (roles: string, path: string): Promise<string> =>
      (await service.request('GET', `/svc/rest/definition/v1${path}`, { headers: { ...project.headers, 'x-user-roles': roles } })).text;
    const author = await as('power', '/list');
    expect(author).toContain(WORD);
    for (const roles of ['viewer', '']) {
      const list = await as(roles, '/list');
      expect(JSON.parse(list)).toContainEqual(
        expect.objectContaining({ uri: failing, last_failure: { time: expect.any(String), message: null } }),
      );
      shown.push(list);
      for (const { definition_id: id } of JSON.parse(list) as { definition_id: string }[])
        shown.push(await as(roles, `?definition_id=${id}`));
    }
    shown.push((await service.request('GET', '/metrics')).text);
  } finally {
    await service.stop();
    await database.drop();
  }
  const log = service.output();
  expect(log.match(/"msg":"failure"|"msg":"rolled back"/g)?.length).toBeGreaterThan(5);
  for (const text of [log, ...shown]) for (const value of [WORD, NUMBER]) expect(hits(text, value)).toEqual([]);
});

/** Lines that contain a value, so that a failure shows the place. */
function hits(text: string, value: string): string[] {
  return text.split('\n').filter((line) => line.includes(value));
}
