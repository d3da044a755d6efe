// A million rows in one response: memory stays bounded in every format, a client that pauses also
// pauses the query, and a client that disconnects cancels it.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { eventually } from '../support/patience.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';
import { createBig, drain, openRead, RowCounter, residentBytes } from './big-table.ts';

const ALLOWED_GROWTH = 64 * 1024 * 1024;
const SAMPLE_MS = 20;
const BIG = 1_000_000;

/** Every format on the engine where it is cheapest, and JSON on each engine. */
const FORMATS: Readonly<Record<EngineName, readonly string[]>> = {
  postgres: ['json', 'xml', 'yaml', 'csv', 'bson'],
  mysql: ['json'],
  mariadb: ['json'],
  clickhouse: ['json'],
};

/** The running statements of the service on `big`, as the engine lists them. */
const RUNNING: Readonly<Record<EngineName, string>> = {
  postgres: `SELECT pid AS id, wait_event AS state FROM pg_stat_activity WHERE state = 'active' AND datname = current_database() AND query LIKE '%"big"%' AND pid <> pg_backend_pid()`,
  mysql:
    "SELECT ID AS id, STATE AS state FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND COMMAND <> 'Sleep' AND INFO LIKE '%`big`%' AND ID <> CONNECTION_ID()",
  mariadb:
    "SELECT ID AS id, STATE AS state FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND COMMAND <> 'Sleep' AND INFO LIKE '%`big`%' AND ID <> CONNECTION_ID()",
  clickhouse:
    "SELECT query_id AS id, 'running' AS state FROM system.processes WHERE current_database = currentDatabase() AND query LIKE '%.big ORDER BY%' AND query NOT LIKE '%system.processes%'",
};

describe.concurrent.each(ENGINE_NAMES)('streams on %s', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let project: TestProject;

  beforeAll(async () => {
    database = await createDatabase(engine);
    await createBig(database, BIG);
    service = await startService({ env: { MILLRACE_MAX_PAGE_SIZE: '10000000', MILLRACE_LOG_LEVEL: 'warn' } });
    // The duration depends on the machine.
    project = await setUpProject(service, [database.entry({ timeout_secs: 170 })]);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  it.sequential.each(FORMATS[engine])(`${BIG} rows as %s in bounded memory`, async (format) => {
    await drain(await openRead(service, project, database, `pg=0&ps=20000&format=${format}`));
    const before = residentBytes(service.pid);
    let peak = before;
    const sampler = setInterval(() => (peak = Math.max(peak, residentBytes(service.pid))), SAMPLE_MS);
    const counter = new RowCounter();
    const response = await openRead(service, project, database, `pg=0&ps=${BIG}&format=${format}`);
    const size = await drain(response, counter.add).finally(() => clearInterval(sampler));
    expect(response.statusCode).toBe(200);
    expect(counter.count).toBe(BIG);
    if (format === 'bson') expect(size).toBe(Number(response.headers['content-length']));
    expect(peak - before).toBeLessThan(ALLOWED_GROWTH);
  });

  it.sequential('pauses the query of a client that does not read, and cancels that of one that disconnects', async () => {
    const running = async (): Promise<readonly unknown[]> => database.run(RUNNING[engine]);
    const response = await openRead(service, project, database, `pg=0&ps=${BIG}`);
    response.pause();
    const before = residentBytes(service.pid);
    // Enough time for all rows to arrive if the query were not paused.
    for (const end = performance.now() + 3000; performance.now() < end; ) {
      await sleep(250);
      expect(residentBytes(service.pid) - before).toBeLessThan(ALLOWED_GROWTH);
    }
    expect(await running()).toHaveLength(1);
    response.destroy();
    await eventually(async () => expect(await running()).toEqual([]));
    const next = await openRead(service, project, database, 'pg=0&ps=1');
    expect(await drain(next)).toBeGreaterThan(10);
  });

  it.sequential('returns all rows to a client that pauses', async () => {
    const response = await openRead(service, project, database, `pg=0&ps=200000&$select=n&format=csv`);
    let text = '';
    let pauses = 0;
    const size = await drain(response, (chunk) => {
      text += chunk.toString();
      if (pauses++ % 20 !== 0) return;
      response.pause();
      setTimeout(() => response.resume(), 5);
    });
    expect(size).toBe(text.length);
    const numbers = text.split('\r\n').slice(1, -1);
    expect(numbers).toHaveLength(200_000);
    expect(numbers.every((number, index) => number === String(index + 1))).toBe(true);
  });
});
