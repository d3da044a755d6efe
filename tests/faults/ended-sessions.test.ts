// Sessions that an administrator ends while their statement waits for a lock: the statement is not
// sent again, and the response states what is known of its outcome.
import mysql from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bench } from '../custom/definitions.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { eventually } from '../support/patience.ts';
import { type Response, type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';

/** Holds a lock on the table until it is closed. */
async function lockTable({ engine, address, name }: TestDatabase): Promise<() => Promise<void>> {
  if (engine === 'postgres') {
    const client = new pg.Client({ ...address, database: name });
    await client.connect();
    await client.query('BEGIN; LOCK TABLE stock IN ACCESS EXCLUSIVE MODE');
    return () => client.end();
  }
  const { host, port, user, password } = address;
  const client = await mysql.createConnection({ host, port, user, password, database: name });
  await client.query('LOCK TABLES stock WRITE');
  return () => client.end();
}

const WAITING = {
  postgres: "SELECT pid AS id FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  mysql: "SELECT id AS id FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND STATE LIKE 'Waiting for table%lock'",
};

describe.each(['postgres', 'mysql', 'mariadb'] as const)('a session of %s that is ended while its statement waits', (engine) => {
  let service: Service;
  let database: TestDatabase;
  let project: TestProject;
  let bench: Bench;
  beforeAll(async () => {
    [service, database] = await Promise.all([sharedService(), createDatabase(engine)]);
    await database.run('CREATE TABLE stock (id int PRIMARY KEY, amount int NOT NULL)');
    await database.run('INSERT INTO stock VALUES (1, 5)');
    project = await setUpProject(service, [database.entry({ timeout_secs: 60 })]);
    bench = new Bench(service, project, database);
    await bench.deploy({ uri: 'sell', method: 'post', logic: [{ sql: 'UPDATE stock SET amount = amount - 1 WHERE id = 1' }] });
  });
  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const path = (query: string): string => `${project.autoPath(database.dbType, database.name, 'stock')}?${query}`;
  const auto = (method: string, query: string): Promise<Response> => service.request(method, path(query), { headers: project.headers });
  const waiting = async (): Promise<readonly unknown[]> =>
    (await database.run(WAITING[engine === 'postgres' ? 'postgres' : 'mysql'])).map(({ id }) => id);

  async function endWhileWaiting(send: () => Promise<Response>): Promise<Response> {
    const unlock = await lockTable(database);
    try {
      const sent = send();
      await eventually(async () => expect(await waiting()).toHaveLength(1));
      const [id] = await waiting();
      await database.run(engine === 'postgres' ? `SELECT pg_terminate_backend(${id}, 20000)` : `KILL ${id}`);
      await eventually(async () => expect(await waiting()).toHaveLength(0));
      return await sent;
    } finally {
      await unlock();
    }
  }

  // MySQL and MariaDB close the connection without a word.
  const ofWrite = engine === 'postgres' ? 'none' : 'unknown';
  it.each<[string, () => Promise<Response>, string | undefined]>([
    ['a PUT', () => auto('PUT', 'id=eq.1&set=amount.4'), ofWrite],
    ['a DELETE', () => auto('DELETE', 'id=eq.1'), ofWrite],
    ['a GET', () => auto('GET', 'pg=0&ps=1'), undefined],
    ['a Custom write', () => bench.call('POST', 'sell', { body: {} }), ofWrite],
  ])('answers %s with 424 and does not send it again', async (_, send, outcome) => {
    // The table and the statement are known, so that only the statement waits.
    await auto('GET', 'pg=0&ps=1');
    await auto('PUT', 'id=eq.1&set=amount.5');
    const response = await endWhileWaiting(send);
    expect([response.status, response.headers['x-outcome']]).toEqual([424, outcome]);
    expect(await database.run('SELECT id, amount FROM stock')).toMatchObject([{ id: 1, amount: 5 }]);
    expect((await auto('GET', 'pg=0&ps=1')).json()).toEqual([{ id: 1, amount: 5 }]);
  });
});
