// Clients that request many rows and do not read them must not hold database connections for long.
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drain, openRead, RowCounter } from '../spec/big-table.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { pulseDuring } from '../support/pulse.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';

/** Some 45 MB. */
const BIG = 100_000;
const READERS = 60;
const CONNECTIONS = 20;
/** Long enough for all clients to send their request before the first query stops waiting. */
const PATIENCE_SECS = 3;
/** Number of times that all connections change hands before the last request gets one. */
const ROUNDS = READERS / CONNECTIONS;
/** Milliseconds for all rounds: the wait for slow readers, and the work of the database. */
const BOUND = ROUNDS * (PATIENCE_SECS * 1000 + 1000);

let service: Service;
let database: TestDatabase;
let project: TestProject;

beforeAll(async () => {
  database = await createDatabase('postgres');
  // In the order of its key, so that the database does not sort.
  await database.run('CREATE TABLE big (n int PRIMARY KEY, t text)');
  await database.run(
    `INSERT INTO big SELECT n, concat('row ', n, ' of many, with some text to make it longer', repeat('.', 400)) FROM generate_series(1, ${BIG}) n`,
  );
  await database.run('CREATE TABLE one AS SELECT 1 AS id');
  service = await startService({
    env: {
      MILLRACE_MAX_PAGE_SIZE: '10000000',
      MILLRACE_SLOW_READER_SECS: String(PATIENCE_SECS),
      MILLRACE_SPOOL_MB: '160',
      MILLRACE_LOG_LEVEL: 'warn',
    },
  });
  project = await setUpProject(service, [database.entry({ max_open_connections: CONNECTIONS })]);
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

/** Sends a request and reads nothing. */
function requestAndIgnore(): Promise<Socket> {
  const head = Object.entries(project.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const path = project.autoPath(database.dbType, database.name, 'big');
  return new Promise((resolve, reject) => {
    const socket = connect(service.port, service.host, () => {
      socket.pause();
      socket.write(`GET ${path}?pg=0&ps=${BIG} HTTP/1.1\r\nHost: x\r\n${head.join('')}\r\n`, () => resolve(socket));
    });
    socket.once('error', reject);
  });
}

const readOne = async (): Promise<number> => {
  const answer = await service.request('GET', `${project.autoPath(database.dbType, database.name, 'one')}?pg=0&ps=1`, {
    headers: project.headers,
  });
  expect(answer.text).toBe('[{"id":1}]');
  return answer.status;
};

/** Number of running statements of the service. */
const running = async (): Promise<number> => {
  const sql = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%"big"%' AND pid <> pg_backend_pid()`;
  return Number((await database.run(sql))[0]?.['n']);
};

/** Number of requests that wait for a connection. */
const waiting = async (): Promise<number> => {
  const { text } = await service.request('GET', '/metrics');
  return Number(/^millrace_pool_connections\{type="pg",purpose="auto",state="waiting"\} (\d+)$/m.exec(text)?.[1]);
};

describe('clients that read nothing', () => {
  test(`release the ${CONNECTIONS} connections of a database soon when ${READERS} of them wait`, async () => {
    await readOne();
    const sockets = await Promise.all(Array.from({ length: READERS }, requestAndIgnore));
    for (const socket of sockets) socket.on('error', () => undefined);
    try {
      await expect.poll(waiting, { timeout: 10_000, interval: 20 }).toBe(READERS - CONNECTIONS);
      const [took, { slowness }] = await pulseDuring(service, async () => {
        const began = performance.now();
        expect(await readOne()).toBe(200);
        return performance.now() - began;
      });
      expect(took / slowness).toBeLessThan(BOUND);
      await expect.poll(running, { timeout: 40_000 }).toBe(0);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  test('get every row when they read later, long after the query has ended', async () => {
    const response = await openRead(service, project, database, `pg=0&ps=${BIG}`);
    response.pause();
    await expect.poll(running, { timeout: 40_000 }).toBe(0);
    const counter = new RowCounter();
    await drain(response, counter.add);
    expect(counter.count).toBe(BIG);
  });

  test('are disconnected when the spool has no room, and no truncated response looks complete', async () => {
    const responses = await Promise.all([1, 2, 3].map(() => openRead(service, project, database, `pg=0&ps=${BIG}`)));
    for (const response of responses) response.pause();
    await expect.poll(running, { timeout: 40_000 }).toBe(0);
    const counters = responses.map(() => new RowCounter());
    const ends = await Promise.allSettled(responses.map((response, i) => drain(response, counters[i]?.add)));
    expect(ends.some(({ status }) => status === 'rejected')).toBe(true);
    ends.forEach(({ status }, i) => {
      if (status === 'fulfilled') expect(counters[i]?.count).toBe(BIG);
    });
  });
});
