// The document of 1,000 tables: it is streamed, does not block the event loop, and is made once.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, startService, type TestProject } from '../support/service.ts';

const TABLES = 1000;
const MAX_TICK_MS = 50;
const WATCH = new URL('../support/loop-watch.mjs', import.meta.url).href;

let many: TestDatabase;
let few: TestDatabase;
let service: Service;
let project: TestProject;

beforeAll(async () => {
  [many, few] = await Promise.all([createDatabase('postgres'), createDatabase('postgres')]);
  const columns = Array.from({ length: 5 }, (_, index) => `a${index} int, b${index} varchar(100)`);
  for (const database of [many, few]) {
    await database.run(`CREATE TABLE pattern (id int PRIMARY KEY, ${columns.join(', ')})`);
    const count = database === many ? TABLES : 20;
    await database.run(
      `DO $$ BEGIN FOR i IN 2..${count} LOOP EXECUTE 'CREATE TABLE table_' || i || ' (LIKE pattern INCLUDING ALL)'; END LOOP; END $$`,
    );
  }
  service = await startService({ env: { NODE_OPTIONS: `--import=${WATCH}` } });
  project = await setUpProject(service, [many.entry(), few.entry()]);
});

afterAll(async () => {
  await service?.stop();
  await Promise.all([many, few].map((database) => database?.drop()));
});

interface Watched {
  readonly longest: number;
  readonly work: number;
}

/** Measures the CPU time of the event loop during a request. */
async function watched(ask: () => Promise<Response>): Promise<readonly [Response, Watched]> {
  const known = service.logs().filter((line) => line['watched'] === true).length;
  service.kill('SIGUSR2');
  const answer = await ask();
  service.kill('SIGUSR2');
  const reports = () => service.logs().filter((line) => line['watched'] === true) as unknown as Watched[];
  await expect.poll(() => reports().length, { timeout: 10_000 }).toBe(known + 1);
  return [answer, reports().at(-1) ?? { longest: Number.NaN, work: Number.NaN }];
}

const ask = (database: TestDatabase, etag = ''): Promise<Response> =>
  service.request('GET', `/svc/rest/openapi/v1?db=pg/${database.name}`, { headers: { ...project.headers, 'if-none-match': etag } });

test('the document of 1,000 tables does not block the event loop, and is made once', async () => {
  // Warms up the runtime.
  expect((await ask(few)).status).toBe(200);
  const [first, making] = await watched(() => ask(many));
  expect(first.status).toBe(200);
  expect(Object.keys(first.json<{ paths: object }>().paths)).toHaveLength(3 * TABLES);
  // The length is unknown when the response begins.
  expect(first.headers['transfer-encoding']).toBe('chunked');
  expect(making.longest).toBeLessThan(MAX_TICK_MS);
  // A snapshot older than five seconds is refreshed first, which also takes time.
  const copying = async (): Promise<number> => {
    const [again, { work }] = await watched(() => ask(many));
    expect(again.body.equals(first.body)).toBe(true);
    expect(again.headers.etag).toBe(first.headers.etag);
    expect(again.headers['content-length']).toBe(String(first.body.length));
    return work;
  };
  await expect.poll(copying, { timeout: 20_000 }).toBeLessThan(making.work / 4);
  expect((await ask(many, first.headers.etag)).status).toBe(304);
});

test('concurrent requests get the same document, and the next instance confirms its ETag', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-many-'));
  const other = await startService({ dataDir });
  const elsewhere = await setUpProject(other, [few.entry()]);
  const path = `/svc/rest/openapi/v1?db=pg/${few.name}`;
  const [one, two] = await Promise.all([1, 2].map(() => other.request('GET', path, { headers: elsewhere.headers })));
  expect([one?.status, two?.status]).toEqual([200, 200]);
  expect(one?.text).toBe(two?.text);
  await other.stop();
  const env = { MILLRACE_SERVER_KEY: other.serverKey, MILLRACE_ENCRYPTION_KEY: other.encryptionKey };
  const next = await startService({ dataDir, env });
  const headers = { ...elsewhere.headers, 'if-none-match': one?.headers.etag ?? '' };
  expect((await next.request('GET', path, { headers })).status).toBe(304);
  await next.stop();
  rmSync(dataDir, { recursive: true });
}, 60_000);
