// The memory of a service under load and after it.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';

const PROBE = new URL('resting-probe.mjs', import.meta.url).href;
const POISON = new URL('../support/poison.mjs', import.meta.url).href;
/** Longer than the time after which free buffers are dropped. */
const REST_MS = 35_000;
/** Measured: 92 MB before the load, 102 MB after it. */
const MAX_RESTING_MB = 120;

/** In MiB. */
interface Sizes {
  readonly young: number;
  readonly rss: number;
}

const folder = mkdtempSync(join(tmpdir(), 'millrace-resting-'));
const file = join(folder, 'sizes.json');
let service: Service;
let database: TestDatabase;
let project: TestProject;

beforeAll(async () => {
  database = await createDatabase('postgres');
  await database.run("CREATE VIEW many AS SELECT n AS id, 'row ' || n || repeat('.', 100) AS t FROM generate_series(1, 1000) n");
  service = await startService({
    env: { NODE_OPTIONS: `--import=${POISON} --import=${PROBE}`, RESTING_FILE: file, MALLOC_MMAP_THRESHOLD_: '131072' },
  });
  project = await setUpProject(service, [database.entry()]);
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function measure(): Promise<Sizes> {
  rmSync(file, { force: true });
  service.kill('SIGUSR2');
  await expect.poll(() => existsSync(file)).toBe(true);
  return JSON.parse(readFileSync(file, 'utf8')) as Sizes;
}

async function load(requests: number): Promise<void> {
  const path = `${project.autoPath(database.dbType, database.name, 'many')}?pg=0&ps=1000`;
  let left = requests;
  const client = async (): Promise<void> => {
    while (left-- > 0) expect((await service.request('GET', path, { headers: project.headers })).status).toBe(200);
  };
  await Promise.all(Array.from({ length: 16 }, client));
}

test('young objects take at most 16 MB, and a service at rest holds little more than before its load', async () => {
  await load(3000);
  expect((await measure()).young).toBeLessThanOrEqual(16);
  await wait(REST_MS);
  expect((await measure()).rss).toBeLessThan(MAX_RESTING_MB);
});
