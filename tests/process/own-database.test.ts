// `npm start -- URL` on each engine: registers the database and finds its tables, and the printed
// requests work. A second start updates the entry; an unusable database is reported.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DemoClient } from '../../src/cli/demo/demo-client.ts';
import { registerDatabase } from '../../src/cli/demo/own-database.ts';
import { startPage } from '../../src/cli/demo/start-page.ts';
import { loadConfig } from '../../src/config.ts';
import { createDatabase, ENGINE_NAMES, type EngineName } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';

let service: Service;
let project: TestProject;
beforeAll(async () => {
  service = await sharedService();
  project = await setUpProject(service, []);
});
afterAll(() => service?.stop());

const TABLES: Readonly<Record<EngineName, string>> = {
  postgres: 'CREATE TABLE "my beans" (id int PRIMARY KEY, name text)',
  mysql: 'CREATE TABLE `my beans` (id int PRIMARY KEY, name text)',
  mariadb: 'CREATE TABLE `my beans` (id int PRIMARY KEY, name text)',
  clickhouse: 'CREATE TABLE `my beans` (id Int32, name String) ENGINE = MergeTree ORDER BY id',
};

test.concurrent.each(ENGINE_NAMES)('%s', async (engine) => {
  const database = await createDatabase(engine);
  try {
    const quote = engine === 'postgres' ? '"' : '`';
    await database.run(TABLES[engine]);
    await database.run(`INSERT INTO ${quote}my beans${quote} VALUES (1, 'pinto')`);
    const { user, password, host, port, nativePort = port } = database.address;
    const login = `${encodeURIComponent(user)}${password === '' ? '' : `:${encodeURIComponent(password)}`}`;
    const url = `${engine}://${login}@${host}:${nativePort}/${database.name}`;
    const config = loadConfig({ MILLRACE_SERVER_KEY: service.serverKey }, 'none').config;
    const client = new DemoClient(config, service.url);
    const ids = { org_id: project.orgId, project_id: project.projectId, space_id: project.spaces.dev, user_id: project.userId };
    for (let start = 0; start < 2; start++) {
      const own = await registerDatabase(client, ids, url);
      expect(own).toMatchObject({ entry: { db_type: database.dbType, db_name: database.name }, tables: ['my beans'], problem: undefined });
      const page = startPage({
        url: service.url,
        prefix: 'svc',
        place: { org: project.orgAbbr, project: project.projectAbbr, database: 'shop' },
        server: { host: '', port: 0 },
        loginFile: '',
        dataDir: '',
        curlFile: 'file',
        token: '',
        consoleToken: undefined,
        examples: [],
        apps: [],
        own,
      });
      const line = new RegExp(`# rows of your my beans\\ncurl -sK 'file' '${service.url}(/[^']*)'`).exec(page)?.[1] ?? '';
      const answer = await service.request('GET', line, { headers: project.headers });
      expect([answer.status, answer.json()]).toEqual([200, [{ id: 1, name: 'pinto' }]]);
    }
    const wrong = await registerDatabase(client, ids, url.replace(`@${host}:${nativePort}`, `@${host}:1`));
    expect(wrong).toMatchObject({ tables: [], problem: expect.stringContaining('refused') });
    await client.send('DELETE', `system/api/v1/project/database?type=${database.dbType}&name=${database.name}`, ids);
  } finally {
    await database.drop();
  }
});
