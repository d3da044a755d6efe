// SQLite is added to the engines by one folder and one line; no other file changes.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { OWN_ENGINES } from '../../src/engines/index.ts';
import { Engines } from '../../src/engines/registry.ts';
import { Bench } from '../custom/definitions.ts';
import { clientOf, type ServiceClient, setUpProject, type TestProject } from '../support/service.ts';
import { sqliteEngine } from './sqlite/index.ts';

const NAME = 'shop';

let directory: string;
let service: Service;
let client: ServiceClient;
let project: TestProject;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'millrace-fifth-'));
  const file = new Database(join(directory, `${NAME}.db`));
  file.exec(`CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, height REAL);
    INSERT INTO users VALUES (1, 'Ada', 1.65), (2, 'Bo "B" Åse', NULL), (9007199254740993, 'Cy', 1.8)`);
  file.close();
  const serverKey = randomBytes(24).toString('hex');
  const { config } = loadConfig({
    MILLRACE_PORT: '0',
    MILLRACE_HOST: '127.0.0.1',
    MILLRACE_DATA_DIR: join(directory, 'data'),
    MILLRACE_SERVER_KEY: serverKey,
    MILLRACE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    MILLRACE_LOG_LEVEL: 'fatal',
  });
  service = await startService(config, new Engines([...OWN_ENGINES, sqliteEngine(directory)]));
  client = clientOf(service.url, serverKey);
  project = await setUpProject(client, [
    { db_type: 'sqlite', db_name: NAME, host_details: [{ host: 'localhost', port: '1' }], username: 'nobody', password: '' },
  ]);
});
afterAll(async () => {
  await service.close(1);
  rmSync(directory, { recursive: true, force: true });
});

const auto = (method: string, query: string, body?: unknown) =>
  client.request(method, `${project.autoPath('sq', NAME, 'users')}?${query}`, { headers: project.headers, body });

test('a fifth engine describes its tables', async () => {
  const detail = await client.request('GET', `/svc/rest/meta/v1/table/detail?type=sq&schema=${NAME}&table=users`, {
    headers: project.headers,
  });
  expect(detail.json()).toMatchObject({
    table: 'users',
    columns: [
      { name: 'id', type: 'INTEGER', nullable: false, primary_key: true },
      { name: 'name', type: 'TEXT', nullable: false, primary_key: false },
      { name: 'height', type: 'REAL', nullable: true, primary_key: false },
    ],
  });
});

test('a fifth engine filters and sorts a GET, and keeps every digit', async () => {
  const all = await auto('GET', 'pg=0&ps=10');
  expect([all.status, all.text]).toEqual([
    200,
    '[{"id":1,"name":"Ada","height":1.65},{"id":2,"name":"Bo \\"B\\" Åse","height":null},{"id":9007199254740993,"name":"Cy","height":1.8}]',
  ]);
  const some = await auto('GET', 'pg=0&ps=10&height=gt.1.5&$order=height.desc&$select=name');
  expect(some.text).toBe('[{"name":"Cy"},{"name":"Ada"}]');
});

test('a fifth engine writes rows, and reports what it rejects', async () => {
  expect((await auto('POST', '', [{ id: 4, name: 'Di' }])).json()).toEqual({ rows_affected: 1 });
  expect(
    (
      await auto('POST', '', [
        { id: 5, name: 'Ed' },
        { id: 4, name: 'Di' },
      ])
    ).status,
  ).toBe(409);
  expect((await auto('PUT', 'id=eq.4&set=height.2.5')).json()).toEqual({ rows_affected: 1 });
  expect((await auto('DELETE', 'id=ge.4&id=le.5')).json()).toEqual({ rows_affected: 1 });
});

test('a fifth engine runs the steps of a definition', async () => {
  const bench = new Bench(client, project, { dbType: 'sq', name: NAME });
  await bench.deploy({ uri: 'named', logic: [{ sql: "SELECT id FROM users WHERE name LIKE '?:start%' AND id < ?:most" }] });
  expect(await bench.rows('GET', 'named?start=A&most=100')).toEqual([{ id: 1 }]);
});

test('a fifth engine is in the list of types', async () => {
  const unknown = await client.request('GET', `${project.autoPath('zz', NAME, 'users')}?pg=0&ps=1`, { headers: project.headers });
  expect(unknown.text).toContain('use ms, ma, pg, ch or sq');
});
