// Deploys in production: live at once, never partial, durable after a kill, over several instances.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { Bench } from '../custom/definitions.ts';
import { aTenant, KEY, makePlace } from '../store/stores.ts';
import { createDatabase, engineAddress, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, startService } from '../support/service.ts';
import { times } from '../support/times.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('postgres');
  await database.run('CREATE TABLE marks (id int PRIMARY KEY, mark text)');
  await database.run("INSERT INTO marks SELECT n, 'm' || n FROM generate_series(1, 2000) AS n");
});
afterAll(async () => {
  await database?.drop();
});

/** Every part of the response names the version, so a mix of two versions shows. */
const steps = (n: number): object[] => [
  { sql: `SELECT ${n} AS a, mark FROM marks WHERE id = ${n}` },
  { expr: 'second', code: `${n}` },
  { lark: 'whole', code: `result = [step_0[0]["a"], step_0[0]["mark"], second, ${n}]` },
];
const answerOf = (n: number): unknown[] => [n, `m${n}`, n, n];
const numberOf = (response: Response): number => {
  const [n = 0] = response.json<number[]>();
  expect(response.json()).toEqual(answerOf(n));
  return n;
};

describe('one instance', () => {
  let service: Service;
  let bench: Bench;
  beforeAll(async () => {
    service = await startService({ env: { MILLRACE_LOG_LEVEL: 'error' } });
    bench = new Bench(service, await setUpProject(service, [database.entry()]), database);
  });
  afterAll(async () => {
    await service?.stop();
  });

  test('serves the new version after each deploy', async () => {
    for (let n = 1; n <= times(10, 1000); n++) {
      const text = stringify(bench.document({ uri: 'bumped', version: `1.${n}`, logic: steps(n) }));
      expect((await bench.deployText(text)).status).toBe(201);
      const response = await bench.get('bumped');
      expect(response.headers['x-served-version']).toBe(`1.${n}`);
      expect(response.json()).toEqual(answerOf(n));
    }
  });

  test('serves each call during deploys by one version, never by an older one than before', async () => {
    await bench.deploy({ uri: 'racing', version: '0.1', logic: steps(1) });
    let done = false;
    let calls = 0;
    const caller = async (): Promise<void> => {
      let last = 0;
      while (!done) {
        const n = numberOf(await bench.get('racing'));
        expect(n).toBeGreaterThanOrEqual(last);
        last = n;
        calls++;
      }
    };
    const callers = Array.from({ length: 8 }, caller);
    const half = times(10, 60);
    for (let n = 2; n <= half; n++) await bench.deploy({ uri: 'racing', version: `0.${n}`, logic: steps(n) });
    // Updates in place are atomic too.
    for (let n = half + 1; n <= 2 * half; n++) {
      const text = stringify(bench.document({ uri: 'racing', version: `0.${half}`, logic: steps(n) }));
      expect((await bench.send('PUT', '', text)).status).toBe(200);
      expect(numberOf(await bench.get('racing'))).toBe(n);
    }
    done = true;
    await Promise.all(callers);
    expect(calls).toBeGreaterThan(times(10, 100));
  });
});

/** Minimum, however slow the machine is. */
const LEAST_KILLS = times(1, 6);

/** Starts one service after another on the same data and kills each during a deploy. */
async function killRounds(rounds: number, seed: number, until: number): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-kill-'));
  const env: Record<string, string> = { MILLRACE_LOG_LEVEL: 'error' };
  let service = await startService({ dataDir, env });
  env['MILLRACE_SERVER_KEY'] = service.serverKey;
  env['MILLRACE_ENCRYPTION_KEY'] = service.encryptionKey;
  const project = await setUpProject(service, []);
  const own = { type: 'postgres', source_ip: '127.0.0.1', username: 'u', password: 'p', name: 'n' };
  const sketch = (n: number): object => ({
    uri: 'killed',
    version: `1.${n}`,
    database: own,
    logic: [
      { expr: 'a', code: `${n}` },
      { expr: 'b', code: `[a, ${n}]` },
    ],
  });
  let known = 0;
  let n = 1;
  for (; n <= rounds && (n <= LEAST_KILLS || performance.now() < until); n++) {
    const bench = new Bench(service, project, database);
    const deploying = bench.deployText(stringify(bench.document(sketch(n) as never))).then(
      ({ status }) => status === 201,
      () => false,
    );
    const delay = ((n * 7919 + seed * 104_729) % 25) - 1;
    if (delay < 0) await deploying;
    else await new Promise((resolve) => setTimeout(resolve, delay));
    service.kill('SIGKILL');
    const answered = await deploying;
    await service.exited;
    service = await startService({ dataDir, env });
    const after = new Bench(service, project, database);
    const called = await after.get('killed');
    if (called.status === 404) {
      expect([answered, known]).toEqual([false, 0]);
      continue;
    }
    const [a, b] = called.json<[number, number]>();
    expect(a).toBe(b);
    expect([n, known]).toContain(a);
    if (answered) expect(a).toBe(n);
    known = a;
  }
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
  return n - 1;
}

test('a service killed at random times serves the old version or the new one, and keeps acknowledged deploys', async () => {
  // A busy machine makes fewer kills instead of taking longer.
  const until = performance.now() + times(0, 120) * 1000;
  const [a = 0, b = 0] = await Promise.all([killRounds(100, 1, until), killRounds(100, 2, until)]);
  console.log(`${a + b} kills`);
  expect(a + b).toBeGreaterThanOrEqual(times(2, 11));
}, 600_000);

test('two instances that deploy the same version have one winner, and both serve it', async () => {
  const address = engineAddress('postgres');
  const records = await createDatabase('postgres');
  const url = new URL(`postgres://${address.host}:${address.port}/${records.name}`);
  url.username = address.user;
  url.password = address.password;
  const env: Record<string, string> = { MILLRACE_STORE_URL: url.href, MILLRACE_LOG_LEVEL: 'error' };
  const first = await startService({ env });
  const second = await startService({
    env: { ...env, MILLRACE_SERVER_KEY: first.serverKey, MILLRACE_ENCRYPTION_KEY: first.encryptionKey },
  });
  const project = await setUpProject(first, [database.entry()]);
  const benches = [first, second].map((service) => new Bench(service, project, database));
  for (let round = 1; round <= times(5, 50); round++) {
    const answers = await Promise.all(
      benches.map((bench, i) =>
        bench.deployText(stringify(bench.document({ uri: 'raced', version: `1.${round}`, logic: [{ expr: 'who', code: String(i) }] }))),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const winner = answers.findIndex(({ status }) => status === 201);
    for (const bench of benches) {
      const response = await bench.get('raced');
      expect([response.json(), response.headers['x-served-version']]).toEqual([winner, `1.${round}`]);
    }
  }
  await Promise.all([first.stop(), second.stop()]);
  await records.drop();
});

/** Definitions in one space. */
const MANY = times(500, 10_000);

test('many definitions in a space slow down neither the start nor the calls', async () => {
  const place = await makePlace('embedded');
  const store = await place.open();
  const scope = await aTenant(store, []);
  const context = await store.projectContext(scope.orgId, scope.projectId);
  const project = {
    orgId: scope.orgId,
    projectId: scope.projectId,
    orgAbbr: context?.org.abbreviation ?? '',
    projectAbbr: context?.project.abbreviation ?? '',
    userId: scope.orgId,
    spaces: { dev: scope.spaceId, staging: '', prod: '' },
    headers: {
      'x-org-id': scope.orgId,
      'x-project-id': scope.projectId,
      'x-space-id': scope.spaceId,
      'x-user-id': scope.orgId,
      'x-user-roles': 'admin',
    },
    systemHeaders: {},
    autoPath: () => '',
  };
  const own = { type: 'postgres', source_ip: '127.0.0.1', username: 'u', name: 'n' };
  const template = stringify(
    new Bench(undefined as never, project, database).document({ uri: 'URI', logic: [{ expr: 'n', code: '"URI"' }], database: own }),
  );
  for (let from = 0; from < MANY; from += 500) {
    const drafts = Array.from({ length: 500 }, (_, i) => ({
      uri: `many-${from + i}`,
      method: 'get' as const,
      version: '1.0.0',
      featureId: scope.orgId,
      userId: scope.orgId,
      rollbackVersion: null,
      document: template.replaceAll('URI', `many-${from + i}`),
      password: null,
    }));
    expect((await store.insertDefinitions(scope, drafts, 'refuse')).kind).toBe('inserted');
  }
  await store.close();
  const env = { MILLRACE_ENCRYPTION_KEY: KEY.toString('base64'), MILLRACE_LOG_LEVEL: 'error' };
  const timed = async (options: Parameters<typeof startService>[0]): Promise<[Service, number]> => {
    const began = performance.now();
    return [await startService(options), performance.now() - began];
  };
  const [empty, emptyMs] = await timed({ env });
  await empty.stop();
  const [service, startMs] = await timed({ dataDir: place.options.dataDir, env });
  // A slow machine may take up to 2× the time of an empty start.
  expect(startMs).toBeLessThan(Math.max(5000, emptyMs * 2));
  const bench = new Bench(service, project, database);
  const cost = async (count: number, uri: (i: number) => string): Promise<number> => {
    const start = performance.now();
    for (let i = 0; i < count; i++) expect(await bench.rows('GET', uri(i))).toBe(uri(i));
    return (performance.now() - start) / count;
  };
  const spread = (i: number): string => `many-${(i * 7919) % MANY}`;
  await cost(times(100, 300), spread);
  const one = await cost(times(100, 500), () => 'many-5');
  const many = await cost(times(100, 300), spread);
  expect(many).toBeLessThan(one * 5 + 5);
  expect((await bench.send('GET', '/list', undefined)).json<unknown[]>()).toHaveLength(MANY);
  await service.stop();
  await place.remove();
});
