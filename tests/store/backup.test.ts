// Backups: each is a consistent state, also during writes, and restores into either kind of store.
// Restoring never overwrites by accident and rejects files that are not backups.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backUp, restore } from '../../src/store/backup.ts';
import { NEWEST_FORMAT } from '../../src/store/migrations.ts';
import type { Store } from '../../src/store/store.ts';
import { PATIENCE } from '../support/patience.ts';
import { type Service, startService } from '../support/service.ts';
import { anEntry, anOrg, aTenant, aToken, KINDS, type Kind, makePlace, type Place } from './stores.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

let folder: string;
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-backups-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const newFile = (): string => join(folder, `backup-${count++}.db`);

async function withPlace<T>(kind: Kind, work: (place: Place) => Promise<T>): Promise<T> {
  const place = await makePlace(kind);
  try {
    return await work(place);
  } finally {
    await place.remove();
  }
}

/** Records of every kind. */
async function fill(store: Store) {
  const scope = await aTenant(store, [anEntry(), anEntry({ database: 'other', password: 'second' })]);
  const token = aToken(scope);
  await store.createToken(token);
  await store.putModule(scope, { module: 'm', code: 'x = "ü\u{1F600}"\n', userId: ulid() });
  await store.putPersonas(scope, [{ persona: 'p', about: 'é', roles: ['a'], rank: 5, document: 'persona: p\n', userId: ulid() } as never]);
  const app = { app: 'a', title: 'é', permission: ['x'], document: '{"app":"a"}', source: 'app: a\n', userId: ulid() };
  await store.putApps(scope, [app]);
  return { scope, hash: token.hash, app };
}

describe.each(KINDS)('a backup of the %s store', (from) => {
  test.each(KINDS)('contains everything when it is restored into the %s store', async (to) => {
    await withPlace(from, async (place) => {
      const store = await place.open();
      const { scope, hash, app } = await fill(store);
      const before = await store.projectContext(scope.orgId, scope.projectId);
      const file = newFile();
      // The store stays open.
      const report = await backUp(place.options, file);
      expect(report).toMatchObject({ format: NEWEST_FORMAT, counts: { organizations: 1, projects: 1, spaces: 3, entries: 2, tokens: 1 } });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      await store.createOrganization(anOrg());
      expect(await store.listOrganizations()).toHaveLength(2);
      await store.close();
      await withPlace(to, async (other) => {
        expect(await restore(other.options, file, { force: false })).toEqual(report);
        const again = await other.open();
        await again.refresh();
        // Including passwords, which only the key can decrypt.
        expect(await again.projectContext(scope.orgId, scope.projectId)).toEqual(before);
        expect(await again.tokenByHash(hash)).toMatchObject({ hash, roles: new Set(['viewer']) });
        expect(await again.modules(scope.orgId, scope.projectId, scope.spaceId)).toEqual(
          new Map([['m', expect.objectContaining({ code: 'x = "ü\u{1F600}"\n' })]]),
        );
        expect(Array.from((await again.personas(scope.orgId, scope.projectId, scope.spaceId)) ?? [], ([name]) => name)).toEqual(['p']);
        expect(await again.app(scope, 'a')).toMatchObject(app);
        expect(await again.appHistory(scope, 'a')).toMatchObject([{ action: 'create', source: 'app: a\n' }]);
        // The restored store works like any other.
        expect(await again.createOrganization(anOrg())).toEqual({ kind: 'created' });
        expect(await again.listOrganizations()).toHaveLength(2);
        await again.close();
        await expect(restore(other.options, file, { force: false })).rejects.toThrow('--force');
        // Another process replaces the embedded store below; this one keeps its file open until GC.
        if (to === 'embedded') return;
        await restore(other.options, file, { force: true });
        const replaced = await other.open();
        expect(await replaced.listOrganizations()).toHaveLength(1);
        // Other instances know an instance once it has its lease.
        await expect.poll(async () => Number((await other.sql('SELECT count(*) AS n FROM instances'))[0]?.['n']), PATIENCE).toBe(1);
        await expect(restore(other.options, file, { force: true })).rejects.toThrow('stop them first');
        await replaced.close();
      });
    });
  });

  test('is a consistent state when it is taken during writes', async () => {
    await withPlace(from, async (place) => {
      const store = await place.open();
      let written = 0;
      let stop = false;
      const writer = (async () => {
        // The embedded store is synchronous: yield to the event loop.
        for (; !stop; written++, await turn()) await aTenant(store, [anEntry()]);
      })();
      for (let i = 0; i < 3; i++) {
        await expect.poll(() => written, { interval: 5, timeout: 60_000 }).toBeGreaterThan(i * 5);
        const least = written;
        const file = newFile();
        const { counts } = await backUp(place.options, file);
        // A project is written with its spaces and its entry, after its organization.
        const projects = counts['projects'] ?? 0;
        expect([counts['spaces'], counts['entries']]).toEqual([projects * 3, projects]);
        expect((counts['organizations'] ?? 0) - projects).toBeOneOf([0, 1]);
        expect(projects).toBeGreaterThanOrEqual(least);
      }
      stop = true;
      await writer;
      await store.close();
    });
  });
});

describe('an invalid backup file is rejected, and the store is unchanged', () => {
  const copy = async (): Promise<string> => {
    const file = newFile();
    await withPlace('embedded', async (place) => {
      const store = await place.open();
      await fill(store);
      await store.close();
      await backUp(place.options, file);
    });
    return file;
  };
  const sqlite = (file: string, ...texts: string[]): void => {
    const database = new Database(file);
    for (const text of texts) database.exec(text);
    database.close();
  };

  const foreign = (file: string): void => {
    rmSync(file);
    sqlite(file, 'CREATE TABLE songs (name TEXT)');
  };

  test.each<[string, (file: string) => void, RegExp]>([
    ['a text', (file) => writeFileSync(file, 'hello'), /is not a backup of Millrace: it is not an SQLite file/],
    ['an empty file', (file) => writeFileSync(file, ''), /it is not an SQLite file/],
    ['a part of one', (file) => truncateSync(file, 20_000), /it is damaged/],
    ["another program's", foreign, /it is another program's/],
    [
      'one of a newer version',
      (file) => sqlite(file, "INSERT INTO migrations VALUES (999, 'x')"),
      /has format 999, this version .* run a newer version/,
    ],
  ])('%s', async (_, spoil, words) => {
    const file = await copy();
    spoil(file);
    await withPlace('embedded', async (place) => {
      const store = await place.open();
      await store.createOrganization(anOrg());
      await store.close();
      const before = readdirSync(place.options.dataDir);
      await expect(restore(place.options, file, { force: true })).rejects.toThrow(words);
      expect(readdirSync(place.options.dataDir)).toEqual(before);
      const again = await place.open();
      expect(await again.listOrganizations()).toHaveLength(1);
      await again.close();
    });
  });

  test('a leftover SQLite log does not become part of a restored store', async () => {
    const file = await copy();
    await withPlace('embedded', async (place) => {
      const path = join(place.options.dataDir, 'millrace.db');
      const store = await place.open();
      await store.createOrganization(anOrg());
      copyFileSync(`${path}-wal`, join(folder, 'wal'));
      await store.close();
      rmSync(path);
      copyFileSync(join(folder, 'wal'), `${path}-wal`);
      const { aside } = await restore(place.options, file, { force: true });
      expect(existsSync(`${aside}-wal`)).toBe(true);
      const again = await place.open();
      expect(await again.listOrganizations()).toHaveLength(1);
      await again.close();
    });
  });
});

describe('the command line', () => {
  const keys = { MILLRACE_SERVER_KEY: randomBytes(24).toString('hex'), MILLRACE_ENCRYPTION_KEY: randomBytes(32).toString('hex') };
  const run = (dataDir: string, args: readonly string[], input?: Buffer): Promise<{ code: unknown; out: Buffer; said: string }> =>
    new Promise((resolve) => {
      const env = { PATH: process.env['PATH'] ?? '', MILLRACE_DATA_DIR: dataDir };
      const child = execFile(process.execPath, [MAIN, ...args], { cwd: folder, env, encoding: 'buffer' }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, out: stdout, said: stderr.toString() }),
      );
      child.stdin?.end(input);
    });
  const orgs = async (service: Service): Promise<unknown[]> =>
    (
      await service.request('GET', '/svc/system/api/v1/org/list', { headers: { 'x-server-key': service.serverKey, 'x-user-id': ulid() } })
    ).json();

  test('backs up a running service, and a new service starts with its records', async () => {
    const service = await startService({ env: keys });
    const fresh = join(folder, 'fresh');
    try {
      const headers = { 'x-server-key': service.serverKey, 'x-user-id': ulid() };
      const made = await service.request('POST', '/svc/system/api/v1/org', { headers, body: { name: 'One', abbreviation: 'one' } });
      expect(made.status).toBe(201);
      const org_id = made.json<{ org_id: string }>().org_id;
      const entry = { host: 'db', port: '1', username: 'u', password: 'p', db_name: 'd', db_type: 'pg' };
      const project = { name: 'P', abbreviation: 'p', database: [entry] };
      const headersOfOrg = { ...headers, 'x-org-id': org_id };
      expect((await service.request('POST', '/svc/system/api/v1/project', { headers: headersOfOrg, body: project })).status).toBe(201);
      const ran = await run(service.dataDir, ['backup', 'b.db']);
      expect(ran).toMatchObject({ code: 0, said: expect.stringMatching(/^b\.db: 1 organizations, 1 projects, 1 databases, .* bytes\n$/) });
      expect(await run(service.dataDir, ['backup', 'b.db'])).toMatchObject({
        code: 2,
        said: expect.stringContaining('--force replaces it'),
      });
      const piped = await run(service.dataDir, ['backup', '-']);
      expect(piped.out.subarray(0, 15).toString()).toBe('SQLite format 3');
      expect((await run(service.dataDir, ['restore', 'b.db', '--force'])).said).toContain('stop it first');
      expect((await service.request('GET', '/readyz')).status).toBe(200);
      const restored = await run(fresh, ['restore', '-'], piped.out);
      expect(restored).toMatchObject({
        code: 0,
        said: expect.stringMatching(/^restored 1 organizations.*\nits passwords need the encryption key \S+: set/),
      });
    } finally {
      await service.stop();
    }
    const again = await startService({ env: keys, dataDir: fresh });
    expect(await orgs(again)).toMatchObject([{ abbreviation: 'one' }]);
    await again.stop();
    const refused = await run(fresh, ['restore', 'b.db']);
    expect([refused.code, refused.said]).toEqual([1, expect.stringContaining('keeps the old one beside it')]);
    expect((await run(fresh, ['restore', 'b.db', '--force'])).said).toMatch(/^the store that was there is now .*replaced-/m);
    expect((await run(join(folder, 'nowhere'), ['backup', 'c.db'])).said).toContain('there is no embedded store in');
    expect(existsSync(join(folder, 'c.db'))).toBe(false);
  });
});
