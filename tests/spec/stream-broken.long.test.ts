// An engine or a connection that dies during a response: the client sees a failed transfer or an
// error, never a truncated body that looks complete. The next request works once the engine is
// back.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, ENGINE_NAMES, type PrivateEngine, startPrivateEngine, type TestDatabase } from '../support/engines.ts';
import { eventually } from '../support/patience.ts';
import { FaultProxy } from '../support/proxy.ts';
import { type Response, type Service, setUpProject, startService, type TestProject } from '../support/service.ts';
import { createBig, drain, openRead } from './big-table.ts';
import { type ErrorBody, TABLE, TableClient, USERS } from './users-table.ts';

const ENV = { MILLRACE_MAX_PAGE_SIZE: '10000000' };
/** Far more than sockets and buffers can hold. */
const BIG = 300_000;

describe.concurrent.each(ENGINE_NAMES)('%s, killed in mid-stream,', (name) => {
  let engine: PrivateEngine;
  let database: TestDatabase;
  let service: Service;
  let project: TestProject;

  beforeAll(async () => {
    engine = await startPrivateEngine(name);
    database = await createDatabase(name, engine.address);
    await createBig(database, BIG);
    service = await startService({ env: ENV });
    project = await setUpProject(service, [database.entry()]);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop().catch(() => undefined);
    await engine?.stop();
  });

  it.sequential('breaks the transfer, and works again when it is restarted', async () => {
    const response = await openRead(service, project, database, `pg=0&ps=${BIG}`);
    expect(response.statusCode).toBe(200);
    // Not read: the sockets hold only a small part.
    response.pause();
    const users = new TableClient(service, project, database, 'big');
    await engine.kill();
    await expect(drain(response)).rejects.toThrow();
    const down = await users.get('pg=0&ps=1');
    expect(down.status).toBe(424);
    expect(down.json<ErrorBody>().code).toBe(424);
    await engine.restart();
    await eventually(async () => expect((await users.get('pg=0&ps=1')).status).toBe(200));
    for (let i = 0; i < 5; i++) expect((await users.get('pg=0&ps=1')).status).toBe(200);
  });
});

describe.concurrent.each(ENGINE_NAMES)('a link to %s that breaks', (name) => {
  let database: TestDatabase;
  let proxy: FaultProxy;
  let service: Service;
  let project: TestProject;
  let users: TableClient;

  beforeAll(async () => {
    database = await createDatabase(name);
    await database.run(TABLE[name]);
    await createBig(database, BIG);
    const { host, nativePort, port } = database.address;
    proxy = await FaultProxy.start({ host, port: nativePort ?? port });
    service = await startService({ env: ENV });
    const entry = database.entry({ host_details: [{ host: proxy.host, port: String(proxy.port) }], connect_timeout_secs: 20 });
    project = await setUpProject(service, [entry]);
    users = new TableClient(service, project, database, 'users');
    expect((await users.post(USERS)).status).toBe(201);
  });

  afterAll(async () => {
    await service?.stop();
    await proxy?.stop();
    await database?.drop();
  });

  it.sequential.each(['json', 'xml', 'yaml', 'csv', 'bson'])('fails the transfer after megabytes of %s', async (format) => {
    await proxy.set({ kind: 'pass' });
    expect((await users.get('pg=0&ps=1')).status).toBe(200);
    await proxy.set({ kind: 'cut', afterBytes: 3_000_000 });
    const whole = openRead(service, project, database, `pg=0&ps=${BIG}&format=${format}`).then(async (response) => {
      const size = await drain(response);
      return `${response.statusCode} with ${size} bytes`;
    });
    // A format that begins with its length has sent nothing yet, so an error can be sent.
    if (format === 'bson') expect(await whole).toMatch(/^424 /);
    else await expect(whole).rejects.toThrow();
    await proxy.set({ kind: 'pass' });
    expect(await users.rows()).toEqual(USERS);
  });

  it.sequential('causes no error while it is idle', async () => {
    await proxy.set({ kind: 'pass' });
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 4 }, () => users.rows()));
      proxy.resetAll();
      const answers = await Promise.all(Array.from({ length: 4 }, () => users.get('pg=0&ps=10')));
      expect(answers.map(described)).toEqual(['whole', 'whole', 'whole', 'whole']);
    }
  });

  it.sequential('works again after connections were refused for a while', async () => {
    await proxy.set({ kind: 'refuse' });
    proxy.resetAll();
    const refused = await users.get('pg=0&ps=10');
    expect(refused.status).toBe(424);
    await proxy.set({ kind: 'pass' });
    expect(await users.rows()).toEqual(USERS);
  });

  it.sequential('fails the transfer after a few bytes, at any position', async () => {
    const answers: (readonly [number, string])[] = [];
    for (let bytes = 1; bytes < 2000; bytes += 61) {
      await proxy.set({ kind: 'cut', afterBytes: bytes });
      const answer = await users.get('pg=0&ps=10').catch((error: unknown): string => String(error));
      answers.push([bytes, described(answer)]);
      await proxy.set({ kind: 'pass' });
      expect(await users.rows(), `after ${bytes} bytes`).toEqual(USERS);
    }
    const wrong = answers.filter(([, answer]) => !['whole', '424', 'broken'].includes(answer));
    expect(wrong).toEqual([]);
  });
});

/** The outcome as a client sees it. */
function described(answer: Response | string): string {
  if (typeof answer === 'string') return 'broken';
  if (answer.status !== 200) return String(answer.status);
  return answer.text === JSON.stringify(USERS) ? 'whole' : `200 with ${answer.text}`;
}
