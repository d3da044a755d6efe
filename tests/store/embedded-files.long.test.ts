// Files of the embedded store: the main file alone is a whole store after a clean stop, damage is
// noticed while the service runs, and a start never replaces a lost store by an empty one.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { ulid } from 'ulid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const KEYS = { MILLRACE_SERVER_KEY: randomBytes(24).toString('hex'), MILLRACE_ENCRYPTION_KEY: randomBytes(32).toString('hex') };

let folder: string;
let services: Service[] = [];
const file = (name = ''): string => join(folder, `millrace.db${name}`);
const start = async (dataDir = folder): Promise<Service> => {
  const service = await startService({ dataDir, env: KEYS });
  services.push(service);
  return service;
};
const makeOrg = (service: Service) =>
  service.request('POST', '/svc/system/api/v1/org', {
    headers: { 'x-server-key': service.serverKey, 'x-user-id': ulid() },
    body: { name: 'One', abbreviation: `one-${randomBytes(4).toString('hex')}` },
  });
const orgs = async (service: Service): Promise<unknown[]> =>
  (
    await service.request('GET', '/svc/system/api/v1/org/list', { headers: { 'x-server-key': service.serverKey, 'x-user-id': ulid() } })
  ).json();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-files-'));
});
afterEach(async () => {
  await Promise.all(services.map((service) => service.stop()));
  services = [];
  rmSync(folder, { recursive: true, force: true });
});

describe('the main file of the embedded store', () => {
  /** Number of organizations in a copy of the main file alone. */
  const inCopy = async (): Promise<number> => {
    const other = mkdtempSync(join(tmpdir(), 'millrace-copy-'));
    copyFileSync(file(), join(other, 'millrace.db'));
    const service = await startService({ dataDir: other, env: KEYS });
    const found = await orgs(service);
    await service.stop();
    rmSync(other, { recursive: true });
    return found.length;
  };

  test('is complete after a clean stop', async () => {
    const service = await start();
    for (let i = 0; i < 5; i++) expect((await makeOrg(service)).status).toBe(201);
    expect((await service.stop()).code).toBe(0);
    expect(await inCopy()).toBe(5);
  });

  test('is complete soon after each write', async () => {
    const service = await start();
    expect((await makeOrg(service)).status).toBe(201);
    // SQLite has the file open, so the test reads a copy.
    await expect
      .poll(() => {
        const copy = file('.copy');
        copyFileSync(file(), copy);
        const database = new Database(copy);
        const [row] = database.prepare('SELECT count(*) AS n FROM organizations').all() as { n: number }[];
        database.close();
        rmSync(copy);
        return row?.n;
      }, PATIENCE)
      .toBe(1);
  });
});

describe('while the service runs', () => {
  const damages: Readonly<Record<string, () => void>> = {
    'all files are deleted': () => {
      for (const name of ['', '-wal', '-shm']) rmSync(file(name));
    },
    'the main file is deleted': () => rmSync(file()),
    'the log of SQLite is deleted': () => rmSync(file('-wal')),
    'the main file is replaced': () => {
      copyFileSync(file(), file('.new'));
      renameSync(file('.new'), file());
    },
    'the folder is moved away': () => {
      renameSync(folder, `${folder}.away`);
      rmSync(`${folder}.away`, { recursive: true });
    },
  };

  test.each(Object.keys(damages))('writes and /readyz return 503 when %s', async (name) => {
    const service = await start();
    const project: TestProject = await setUpProject(service, []);
    const path = `/${project.orgAbbr}/${project.projectAbbr}/nothing`;
    expect((await service.request('GET', '/readyz')).status).toBe(200);
    expect((await service.request('GET', path, { headers: project.headers })).status).toBe(404);
    damages[name]?.();
    const refused = await makeOrg(service);
    expect([refused.status, refused.json<{ message: string }>().message]).toEqual([503, expect.stringContaining('deleted or replaced')]);
    const ready = await service.request('GET', '/readyz');
    expect([ready.status, ready.json<{ message: string }>().message]).toEqual([503, expect.stringContaining('deleted or replaced')]);
    // Work that needs no new record continues.
    expect((await service.request('GET', path, { headers: project.headers })).status).toBe(404);
    await expect.poll(() => service.logs().filter(({ msg }) => String(msg).includes('deleted or replaced')).length, PATIENCE).toBe(1);
  });
});

describe('the start', () => {
  /** Expects the start to fail with this code and message. */
  const refusal = (): Promise<{ code: unknown; said: string }> =>
    new Promise((resolve) => {
      const env = { PATH: process.env['PATH'] ?? '', ...KEYS, MILLRACE_DATA_DIR: folder, MILLRACE_PORT: '0' };
      execFile(process.execPath, [MAIN, 'serve'], { cwd: folder, env, timeout: 60_000 }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, said: `${stdout}${stderr}` }),
      );
    });
  let seed: string;
  beforeAll(async () => {
    seed = mkdtempSync(join(tmpdir(), 'millrace-seed-'));
    const service = await startService({ dataDir: seed, env: KEYS });
    await makeOrg(service);
    await service.stop();
  });
  afterAll(() => rmSync(seed, { recursive: true, force: true }));
  /** A store as a clean stop leaves it. */
  const made = async (): Promise<void> => {
    for (const name of readdirSync(seed)) copyFileSync(join(seed, name), join(folder, name));
  };
  const anotherProgram = (): void => {
    const database = new Database(file());
    database.exec('CREATE TABLE songs (name TEXT)');
    database.close();
  };

  test.each<[string, () => void | Promise<void>, RegExp]>([
    ['a directory in its place', () => mkdirSync(file()), /millrace\.db is a directory; /],
    ['a file that is no database', () => writeFileSync(file(), 'hello, world\n'.repeat(500)), /is not an SQLite file/],
    ["another program's database", anotherProgram, /is another program's/],
    [
      'a store whose file has gone',
      async () => {
        await made();
        for (const name of ['', '-wal', '-shm']) rmSync(file(name), { force: true });
      },
      /is missing, though it existed before; restore a copy of it, or remove \S+ to begin/,
    ],
    ['a store whose file was emptied', async () => made().then(() => truncateSync(file(), 0)), /is empty, though it existed before/],
    ['a store whose file was cut short', async () => made().then(() => truncateSync(file(), 40_960)), /is damaged/],
    [
      'a main file whose records were in the log that is not there',
      () => {
        const database = new Database(file());
        database.prepare('PRAGMA journal_mode = WAL').all();
        database.close();
        for (const name of ['-wal', '-shm']) rmSync(file(name), { force: true });
      },
      /contains no records/,
    ],
  ])('rejects %s with one line', async (_, prepare, words) => {
    await prepare();
    const before = readdirSync(folder).sort();
    const { code, said } = await refusal();
    expect(said).toMatch(words);
    expect(said.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(1);
    expect(readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(before.filter((name) => !/-(wal|shm)$/.test(name)));
  });

  test('creates a new store when all files of the old one were removed', async () => {
    await made();
    for (const name of readdirSync(folder)) if (name.startsWith('millrace.db')) rmSync(join(folder, name));
    expect(await orgs(await start())).toEqual([]);
    expect(existsSync(file())).toBe(true);
  });

  test('finds all records after SIGKILL', async () => {
    const service = await start();
    expect((await makeOrg(service)).status).toBe(201);
    service.kill('SIGKILL');
    await service.exited;
    expect(await orgs(await start())).toHaveLength(1);
  });
});
