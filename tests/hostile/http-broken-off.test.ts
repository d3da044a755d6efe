// Truncated responses as clients see them, over HTTP/1.0 and HTTP/1.1, their log lines, and the
// files of spooled responses.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRead } from '../spec/big-table.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';
import { FaultProxy } from '../support/proxy.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';

const ROWS = 200_000;
const ENV = { MILLRACE_MAX_PAGE_SIZE: '10000000' };

let database: TestDatabase;
let proxy: FaultProxy;
let service: Service;
let project: TestProject;
const folder = mkdtempSync(join(tmpdir(), 'millrace-test-'));

beforeAll(async () => {
  database = await createDatabase('postgres');
  await database.run(`CREATE VIEW big AS SELECT n, 'row ' || n || ' of many, with some text' AS t FROM generate_series(1, ${ROWS}) AS n`);
  proxy = await FaultProxy.start(database.address);
  service = await startService({ env: { ...ENV, TMPDIR: folder } });
  project = await setUpProject(service, [database.entry({ host_details: [{ host: proxy.host, port: String(proxy.port) }] })]);
});

afterAll(async () => {
  await service?.stop();
  await proxy?.stop();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

interface Fetched {
  /** Exit code of curl: 0 if it considers the response complete. */
  readonly code: number;
  readonly lines: number;
}

function curl(version: '--http1.0' | '--http1.1', query: string): Promise<Fetched> {
  const url = `${service.url}${project.autoPath(database.dbType, database.name, 'big')}?${query}`;
  const headers = Object.entries(project.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  return new Promise((resolve) => {
    execFile('curl', ['-sS', version, ...headers, url], { maxBuffer: 2 ** 30 }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), lines: stdout.split('\n').length - 1 }),
    );
  });
}

describe.each(['--http1.0', '--http1.1'] as const)('curl %s', (version) => {
  test('accepts a large response that is complete', async () => {
    await proxy.set({ kind: 'pass' });
    expect(await curl(version, `pg=0&ps=${ROWS}&format=csv`)).toEqual({ code: 0, lines: ROWS + 1 });
  });

  test('rejects a truncated response, and the log has the reason', async () => {
    const before = service.logs().length;
    await proxy.set({ kind: 'cut', afterBytes: 4_000_000 });
    const { code, lines } = await curl(version, `pg=0&ps=${ROWS}&format=csv`);
    expect(code).not.toBe(0);
    expect(lines).toBeLessThan(ROWS);
    await proxy.set({ kind: 'pass' });
    const errors = (): unknown[] =>
      service
        .logs()
        .slice(before)
        .flatMap(({ error }) => error ?? []);
    await expect.poll(errors, PATIENCE).toEqual(['database_unreachable']);
  });
});

describe('a response that is spooled to a file', () => {
  const spools = (): string[] => readdirSync(folder).filter((name) => name.startsWith('millrace-spool-'));
  /** The files under the temporary folder that the process has open. */
  const open = (): string[] =>
    readdirSync(`/proc/${service.pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${service.pid}/fd/${fd}`)].filter((path) => path.startsWith(folder));
      } catch {
        return [];
      }
    });

  test('has no name there, and is closed with its response', async () => {
    const response = await openRead(service, project, database, `pg=0&ps=${ROWS}&format=bson`);
    response.pause();
    await expect.poll(open, PATIENCE).toEqual([expect.stringMatching(/ \(deleted\)$/)]);
    expect(spools().flatMap((name) => readdirSync(join(folder, name)))).toEqual([]);
    response.destroy();
    await expect.poll(open, PATIENCE).toEqual([]);
  });

  test('leaves nothing behind that the next start does not remove', async () => {
    const dead = join(folder, 'millrace-spool-4194305-01ARZ3NDEKTSV4RRFFQ69G5FAV');
    const living = join(folder, `millrace-spool-${process.pid}-01ARZ3NDEKTSV4RRFFQ69G5FAV`);
    for (const path of [dead, living]) {
      mkdirSync(path);
      writeFileSync(join(path, '0'), 'half of an answer');
    }
    const killed = await startService({ env: { ...ENV, TMPDIR: folder } });
    expect(existsSync(dead)).toBe(false);
    expect(existsSync(living)).toBe(true);
    const ofKilled = await setUpProject(killed, [database.entry()]);
    const response = await openRead(killed, ofKilled, database, `pg=0&ps=${ROWS}&format=bson`);
    response.on('error', () => undefined).pause();
    expect(spools().some((name) => name.includes(`-${killed.pid}-`))).toBe(true);
    killed.kill('SIGKILL');
    await killed.exited;
    rmSync(killed.dataDir, { recursive: true, force: true });
    const next = await startService({ env: { ...ENV, TMPDIR: folder } });
    expect(spools().filter((name) => name.includes(`-${killed.pid}-`))).toEqual([]);
    await next.stop();
  });
});
