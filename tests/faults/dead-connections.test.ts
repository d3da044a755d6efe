// Idle connections that the network has dropped silently: requests are answered by their deadline,
// and the pool recovers at once.
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Bench } from '../custom/definitions.ts';
import { createDatabase, type EngineName, type TestDatabase } from '../support/engines.ts';
import { FaultProxy } from '../support/proxy.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';
import { through } from './slow-database.ts';

const CONNECTIONS = 6;
const TIMEOUT_SECS = 3;
/** A second after the deadline, and what a busy machine takes. */
const ANSWERED_MS = TIMEOUT_SECS * 1000 + 1000 + 500;
const RECOVERED_MS = 5000;
const SLEEP: Readonly<Partial<Record<EngineName, string>>> = {
  postgres: 'SELECT pg_sleep(0.3)::text AS s',
  mysql: 'SELECT SLEEP(0.3) AS s',
  mariadb: 'SELECT SLEEP(0.3) AS s',
};

describe.each(['postgres', 'mysql', 'mariadb'] as const)('dead idle connections to %s', (engine) => {
  let service: Service;
  let database: TestDatabase;
  let proxy: FaultProxy;
  let project: TestProject;
  let bench: Bench;

  beforeAll(async () => {
    [service, database] = await Promise.all([startService({ env: { MILLRACE_LOG_LEVEL: 'warn' } }), createDatabase(engine)]);
    await database.run('CREATE TABLE t (id int PRIMARY KEY)');
    await database.run('INSERT INTO t VALUES (7)');
    await database.run(`CREATE VIEW slow AS SELECT id, (${SLEEP[engine]}) AS s FROM t`);
    proxy = await FaultProxy.start(database.address);
    const entry = database.entry({ ...through(proxy), timeout_secs: TIMEOUT_SECS });
    project = await setUpProject(service, [entry]);
    bench = new Bench(service, project, database);
    const ref = { ref: `${database.dbType}/${database.name}`, timeout_secs: TIMEOUT_SECS };
    await bench.deploy({ uri: 'slow', database: ref, logic: [{ sql: SLEEP[engine] as string }] });
  });
  afterAll(async () => {
    await service?.stop();
    await proxy?.stop();
    await database?.drop();
  });

  const auto = (table: string) =>
    service.request('GET', `${project.autoPath(database.dbType, database.name, table)}?pg=0&ps=1`, { headers: project.headers });
  const call = () => service.request('GET', bench.path('slow'), { headers: project.headers });

  describe.each([
    ['the Auto API', () => auto('slow')],
    ['Custom calls', call],
  ])('of %s', (_, send) => {
    test.each([
      ['used just now', 0],
      ['at rest', 2500],
    ])('%s cost one deadline at most', async (__, restMs) => {
      const warm = await Promise.all(Array.from({ length: CONNECTIONS }, send));
      expect(warm.map(({ status }) => status)).toEqual(warm.map(() => 200));
      await wait(restMs);
      proxy.silenceAll();
      const began = performance.now();
      for (;;) {
        const sent = performance.now();
        const { status } = await send();
        expect(performance.now() - sent).toBeLessThan(ANSWERED_MS);
        if (status === 200) break;
        expect([424, 504]).toContain(status);
      }
      expect(performance.now() - began).toBeLessThan(RECOVERED_MS);
    });
  });
});
