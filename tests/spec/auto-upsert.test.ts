// Upserts: of some of the columns, by primary and other unique keys, all or nothing, on each
// engine.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Databases } from '../support/databases.ts';
import { ENGINE_NAMES, type EngineName } from '../support/engines.ts';
import { type Response, type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { type ErrorBody, TableClient } from './users-table.ts';

const TRANSACTIONAL: readonly EngineName[] = ['postgres', 'mysql', 'mariadb'];
const COLUMNS =
  "id int PRIMARY KEY, email varchar(50) UNIQUE, org int, code varchar(10), name varchar(50) NOT NULL, age int NOT NULL, note varchar(50) DEFAULT 'none', UNIQUE (org, code)";

interface Person {
  readonly id: number;
  readonly email: string | null;
  readonly org: number | null;
  readonly code: string | null;
  readonly name: string;
  readonly age: number;
  readonly note: string | null;
}

const person = (id: number, more: Partial<Person> = {}): Person => ({
  id,
  email: `p${id}@x.org`,
  org: 1,
  code: `c${id}`,
  name: `P${id}`,
  age: 20 + id,
  note: null,
  ...more,
});
const PEOPLE: readonly Person[] = [person(1), person(2), person(3, { email: null })];

let service: Service;
let project: TestProject;
const databases = new Databases();

beforeAll(async () => {
  await databases.create(ENGINE_NAMES);
  service = await sharedService();
  project = await setUpProject(service, databases.entries());
});

afterAll(async () => {
  await service?.stop();
  await databases.drop();
});

/** A table of its own for each test, with three rows. */
async function people(engine: EngineName, name: string): Promise<TableClient> {
  const database = databases.on(engine);
  await database.run(`CREATE TABLE ${name} (${COLUMNS})`);
  const client = new TableClient(service, project, database, name);
  expect((await client.post(PEOPLE)).status).toBe(201);
  return client;
}

const said = (response: Response): readonly [number, string] => [response.status, response.json<ErrorBody>().message ?? ''];
const affected = (rows: number) => ({ rows_affected: rows });

it.concurrent.each(TRANSACTIONAL)('an upsert with some columns updates an existing row, on %s', async (engine) => {
  const table = await people(engine, 'parts');
  expect((await table.post([{ id: 1, name: 'changed' }], '$upsert=true')).json()).toEqual(affected(1));
  const mixed = [
    { id: 2, age: 90 },
    person(9),
    { id: 3, note: 'n' },
    { id: 1, age: 91 },
    { id: 10, name: 'ten', age: 10 },
    { id: 2, email: 'p2@x.org', name: 'two', age: 92 },
  ];
  // Rows of the same columns are written together; none of these has the key of another of them.
  expect((await table.post(mixed.slice(0, 5), '$upsert=true')).json()).toEqual(affected(5));
  expect((await table.post(mixed.slice(5), '$upsert=true')).json()).toEqual(affected(1));
  expect((await table.post([{ id: 3 }], '$upsert=true')).json()).toEqual(affected(1));
  const wanted = [
    person(1, { name: 'changed', age: 91 }),
    person(2, { name: 'two', age: 92 }),
    person(3, { email: null, note: 'n' }),
    person(9),
    { id: 10, email: null, org: null, code: null, name: 'ten', age: 10, note: 'none' },
  ];
  expect(await table.rows()).toEqual(wanted);

  for (const query of ['$upsert=true', '$upsert=true&$dry_run=true', '$upsert=true&$return=rows']) {
    const absent = await table.post([person(11), { id: 1, age: 1 }, { id: 77, age: 2 }, { id: 2, age: 3 }], query);
    expect(said(absent)).toEqual([422, expect.stringMatching(/^Row 2: .*"name" is required/)]);
    expect(said(await table.post([{ id: 78 }], query))).toEqual([422, expect.stringMatching(/^Row 0: .*"name"/)]);
  }
  expect(said(await table.post([{ id: 1, age: 1, nope: 2 }], '$upsert=true'))[0]).toBe(422);
  expect(said(await table.post([{ id: 1, age: null }], '$upsert=true'))[0]).toBe(422);
  expect(said(await table.post([{ age: 1 }], '$upsert=true'))).toEqual([422, expect.stringContaining('"id" is required')]);
  expect(said(await table.post([{ id: 1, age: 1 }]))).toEqual([422, expect.stringContaining('"name" is required')]);
  const refused = [
    { id: 1, age: 5 },
    { id: 2, age: 6 },
    { id: 3, email: 'p1@x.org' },
  ];
  expect(said(await table.post(refused, '$upsert=true'))).toEqual([409, expect.stringContaining('Row 2')]);
  expect((await table.post([{ id: 1, age: 6 }, { id: 2, age: 7 }], '$upsert=true&$max_affected=1')).status).toBe(422); // biome-ignore format: one request a line
  expect(await table.rows()).toEqual(wanted);
});

it.concurrent.each(TRANSACTIONAL)('upserted rows are returned with $return=rows and $dry_run, on %s', async (engine) => {
  const table = await people(engine, 'given_back');
  const rows = [{ id: 2, age: 50 }, person(8), { id: 1, age: 51 }, { id: 3, name: 'three' }];
  const wanted = [person(2, { age: 50 }), person(8), person(1, { age: 51 }), person(3, { email: null, name: 'three' })];
  const dry = await table.post(rows, '$upsert=true&$return=rows&$dry_run=true');
  expect([dry.status, dry.headers['x-rows-affected'], dry.json()]).toEqual([201, '4', wanted]);
  expect(await table.rows()).toEqual(PEOPLE);
  expect((await table.post(rows, '$upsert=id&$return=rows')).json()).toEqual(wanted);
  const byEmail = await table.post(
    [
      { email: 'p8@x.org', note: 'eight' },
      { email: 'p1@x.org', note: 'one' },
    ],
    '$upsert=email&$return=rows&$select=id,note',
  );
  expect(byEmail.json()).toEqual([
    { id: 8, note: 'eight' },
    { id: 1, note: 'one' },
  ]);
  const many = Array.from({ length: 1500 }, (_, i) => person(i + 100));
  expect((await table.post(many)).status).toBe(201);
  const changed = await table.post(
    many.map(({ email }, i) => ({ email, age: i })),
    '$upsert=email',
  );
  expect(changed.json()).toEqual(affected(1500));
  expect((await table.rows<Person>('id=ge.100&$select=age&ps=2000'.replace('&ps=2000', ''))).slice(0, 3)).toEqual([{ age: 0 }, { age: 1 }, { age: 2 }]); // biome-ignore format: one request a line
});

it.concurrent.each(TRANSACTIONAL)('another unique key can identify the row, on %s', async (engine) => {
  const table = await people(engine, 'other_keys');
  expect((await table.post([{ email: 'p1@x.org', age: 1 }], '$upsert=email')).json()).toEqual(affected(1));
  expect((await table.post([person(7, { email: 'p2@x.org' }), person(8)], '$upsert=email')).json()).toEqual(affected(2));
  expect((await table.post([{ code: 'c8', org: 1, note: 'eight' }], '$upsert=code,org')).json()).toEqual(affected(1));
  // NULL is equal to nothing: such a row is new.
  expect((await table.post([person(9, { email: null }), person(10, { email: null })], '$upsert=email')).json()).toEqual(affected(2));
  const wanted = [
    person(1, { age: 1 }),
    person(3, { email: null }),
    person(7, { email: 'p2@x.org' }),
    person(8, { note: 'eight' }),
    person(9, { email: null }),
    person(10, { email: null }),
  ];
  expect(await table.rows()).toEqual(wanted);

  const refusals: readonly (readonly [unknown, string, number, RegExp])[] = [
    [[person(1)], '$upsert=name', 400, /\bid or email or org,code\b|\bid or org,code or email\b/],
    [[person(1)], '$upsert=email,id', 400, /not a unique key/],
    [[person(1)], '$upsert=nope', 400, /"nope"/],
    [[person(1)], '$upsert=', 400, /\$upsert/],
    [[{ id: 1, name: 'x', age: 1 }], '$upsert=email', 422, /Row 0.*"email"/],
    [[{ email: 'new@x.org', age: 1 }], '$upsert=email', 422, /Row 0.*"id"/],
    [[{ email: null, age: 1 }], '$upsert=email', 422, /Row 0.*"id"/],
    // Each of these is in the way of a row by another key than the one that is meant.
    [[person(1, { email: 'free@x.org', code: 'free' })], '$upsert=email', 409, /Row 0/],
    [[person(50), person(51, { code: 'c8' })], '$upsert=email', 409, /Row 1/],
    [[person(3, { email: null, code: 'free' })], '$upsert=email', 409, /Row 0/],
    [[person(52, { email: 'p1@x.org', code: 'free' })], '$upsert=org,code', 409, /Row 0/],
    [[person(1, { email: 'p2@x.org', code: 'free' })], '$upsert=email', 409, /Row 0/],
  ];
  for (const [rows, query, status, words] of refusals)
    expect([query, ...said(await table.post(rows, query))]).toEqual([query, status, expect.stringMatching(words)]);
  expect(await table.rows()).toEqual(wanted);
  expect((await table.post([{ ...person(1), code: 'c1' }], '$upsert="email"')).json()).toEqual(affected(1));
});

it.concurrent.each(TRANSACTIONAL)('concurrent upserts of the same row lose no update, on %s', async (engine) => {
  const table = await people(engine, 'at_once');
  const changes = [{ age: 77 }, { note: 'together' }, { name: 'N' }, { org: 5 }, { code: 'z' }];
  const answers = await Promise.all(
    changes.flatMap((change) => [
      table.post([{ id: 1, ...change }], '$upsert=true'),
      table.post([{ email: 'p1@x.org', ...change }], '$upsert=email'),
    ]),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  const [first] = await table.rows<Person>('id=eq.1');
  expect(first).toEqual({ ...person(1), ...Object.assign({}, ...changes) });
});

it('ClickHouse has no unique keys', async () => {
  const database = databases.on('clickhouse');
  await database.run('CREATE TABLE keyless (id Int32, v Int32) ENGINE = ReplacingMergeTree ORDER BY id');
  const table = new TableClient(service, project, database, 'keyless');
  for (const query of ['$upsert=true', '$upsert=id']) expect((await table.post([{ id: 1 }], query)).status).toBe(422);
  expect(await table.rows()).toEqual([]);
});

it.concurrent.each(TRANSACTIONAL)('an absent nullable key is not treated as generated by the database, on %s', async (engine) => {
  const database = databases.on(engine);
  const id = engine === 'postgres' ? 'id serial PRIMARY KEY' : 'id int AUTO_INCREMENT PRIMARY KEY';
  await database.run(`CREATE TABLE keyed_by_null (${id}, code int UNIQUE, name varchar(20) NOT NULL)`);
  // The next id is the code of another row.
  await database.run("INSERT INTO keyed_by_null (code, name) VALUES (2, 'other')");
  const table = new TableClient(service, project, database, 'keyed_by_null');
  const posted = await table.post([{ name: 'mine' }], '$upsert=code&$return=rows&$select=id,code,name');
  if (posted.status === 201) expect(posted.json()).toEqual([{ id: 2, code: null, name: 'mine' }]);
  else expect(said(posted)).toEqual([422, expect.stringContaining('code')]);
  expect(await table.rows('code=eq.2')).toEqual([{ id: 1, code: 2, name: 'other' }]);
});
