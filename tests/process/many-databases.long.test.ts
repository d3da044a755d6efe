// A thousand registered databases: start time and memory stay the same, and any first call works.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDatabase } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';
import { setUpProject, startService } from '../support/service.ts';

const MANY = 1000;

test('a project with a thousand databases starts quickly, stays small, and serves each of them', async () => {
  const database = await createDatabase('postgres');
  await database.run('CREATE TABLE t (id int PRIMARY KEY)');
  await database.run('INSERT INTO t VALUES (7)');
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-many-'));
  // Entries differ by name only. Most name missing databases; a few real ones are among them.
  const real = new Set([0, 499, 999]);
  const names = Array.from({ length: MANY }, (_, index) => (real.has(index) ? `${database.name}_${index}` : `absent_${index}`));
  for (const index of real) await database.run(`CREATE DATABASE ${names[index]} TEMPLATE template0`);
  const beganEmpty = performance.now();
  const first = await startService({ dataDir });
  const emptyMs = performance.now() - beganEmpty;
  const project = await setUpProject(
    first,
    names.map((db_name) => database.entry({ db_name })),
  );
  await first.stop();

  const keys = { MILLRACE_SERVER_KEY: first.serverKey, MILLRACE_ENCRYPTION_KEY: first.encryptionKey };
  const began = performance.now();
  const service = await startService({ dataDir, env: keys });
  const startMs = performance.now() - began;
  const residentMb = () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024;
  const list = (name: string) =>
    service.request('GET', `/svc/rest/meta/v1/table/list?type=pg&schema=${name}`, { headers: project.headers });
  try {
    const firstCall = performance.now();
    for (const index of real) {
      const answer = await list(names[index] ?? '');
      expect([answer.status, answer.json()]).toEqual([200, []]);
    }
    const callMs = performance.now() - firstCall;
    expect((await list('absent_500')).status).toBe(404);
    const described = await service.request('GET', `/svc/system/api/v1/project?project_id=${project.projectId}`, {
      headers: project.systemHeaders,
    });
    expect(described.json<{ databases: unknown[] }>().databases).toHaveLength(MANY);
    // A slow machine may take up to 2× the time of an empty start.
    expect(startMs).toBeLessThan(Math.max(5000, emptyMs * 2));
    expect(callMs).toBeLessThan(Math.max(3000, emptyMs));
    expect(residentMb()).toBeLessThan(250);
  } finally {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
    for (const index of real) await database.run(`DROP DATABASE IF EXISTS ${names[index]} WITH (FORCE)`);
    await database.drop();
  }
});

test('a hundred tenants in turn have their own connections, and idle ones are closed', async () => {
  const database = await createDatabase('postgres');
  await database.run('CREATE TABLE t (id int PRIMARY KEY)');
  await database.run('INSERT INTO t VALUES (7)');
  const service = await startService();
  const projects = await Promise.all(
    Array.from({ length: 100 }, () => setUpProject(service, [database.entry({ idle_timeout_secs: 1, max_idle_connections: 1 })])),
  );
  try {
    const used: number[] = [];
    for (let round = 0; round < 3; round++)
      for (let from = 0; from < projects.length; from += 10)
        used.push(
          ...(await Promise.all(
            projects.slice(from, from + 10).map(async ({ headers }) => {
              const answer = await service.request('GET', `/svc/api/rest/auto/v1/pg/${database.name}/t?pg=0&ps=1`, { headers });
              return answer.text === '[{"id":7}]' ? answer.status : -answer.status;
            }),
          )),
        );
    expect(new Set(used)).toEqual(new Set([200]));
    const sessions = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'millrace'";
    await expect.poll(async () => (await database.run(sessions)).length, PATIENCE).toBe(0);
  } finally {
    await service.stop();
    await database.drop();
  }
});
