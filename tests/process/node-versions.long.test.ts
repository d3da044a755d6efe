// The service and the client under the Node.js versions after the one that runs the tests.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bench } from '../custom/definitions.ts';
import { TABLE, TableClient, USERS } from '../spec/users-table.ts';
import { Databases } from '../support/databases.ts';
import { ENGINE_NAMES } from '../support/engines.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const MAIN = join(root, 'dist/main.js');
const run = promisify(execFile);

describe.each([22, 24, 26])('Node.js %i', (major) => {
  const databases = new Databases();
  const folder = mkdtempSync(join(tmpdir(), 'millrace-node-'));
  let node: string;
  let service: Service;
  let project: TestProject;

  beforeAll(async () => {
    node = (await run(process.execPath, [join(root, 'scripts/node-version.mjs'), String(major)])).stdout.trim();
    await databases.create(ENGINE_NAMES, async (database) => void (await database.run(TABLE[database.engine])));
    service = await startService({ node });
    project = await setUpProject(service, databases.entries());
  });
  afterAll(async () => {
    await service?.stop();
    await databases.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is the version under test', async () => {
    expect((await run(node, ['--version'])).stdout).toMatch(new RegExp(`^v${major}\\.`));
  });

  it.each(ENGINE_NAMES)('writes and reads rows on %s', async (engine) => {
    const users = new TableClient(service, project, databases.on(engine), 'users');
    expect((await users.post(USERS)).status).toBe(201);
    expect(await users.rows()).toEqual(USERS);
  });

  it('answers a Custom call', async () => {
    const bench = new Bench(service, project, databases.on('postgres'));
    await bench.deploy({ uri: 'names', logic: [{ sql: 'SELECT name FROM users ORDER BY id LIMIT 1' }] });
    expect((await bench.get('names')).json()).toEqual([{ name: USERS[0]?.name }]);
  });

  it('generates a client and reads with the library', async () => {
    const ids = ['org-id', 'project-id', 'space-id', 'user-id'].flatMap((id) => [`--${id}`, project.headers[`x-${id}`] ?? '']);
    await run(node, [MAIN, 'client', 'generate', '--url', service.url, ...ids, '--out', 'api.ts'], { cwd: folder });
    expect(readFileSync(join(folder, 'api.ts'), 'utf8')).toContain('createClient');

    const { dbType, name } = databases.on('postgres');
    const facts = { prefix: 'svc', org: project.orgAbbr, project: project.projectAbbr, floats: {} };
    writeFileSync(
      join(folder, 'read.mjs'),
      `import { createClient } from ${JSON.stringify(new URL('../../dist/client/index.js', import.meta.url).href)};
const api = createClient(${JSON.stringify({ url: service.url, headers: project.headers })}, ${JSON.stringify(facts)});
console.log(JSON.stringify(await api.db('${dbType}/${name}').users.read({ select: ['id'], order: { id: 'asc' } })));`,
    );
    const read = await run(node, [join(folder, 'read.mjs')]);
    expect(JSON.parse(read.stdout)).toEqual(USERS.map(({ id }) => ({ id })));
  });
});
