// Requests of different callers on one connection, as a gateway sends them: each is authorized by
// its own headers and endpoint.
import { Agent, request as httpRequest } from 'node:http';
import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { TABLE, USERS } from './users-table.ts';

let database: TestDatabase;
let service: Service;
let project: TestProject;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const ports = new Set<number>();

beforeAll(async () => {
  database = await createDatabase('postgres');
  await database.run(TABLE.postgres);
  service = await sharedService();
  project = await setUpProject(service, [database.entry()]);
  const posted = await service.request('POST', project.autoPath('pg', database.name, 'users'), { headers: project.headers, body: USERS });
  expect(posted.status).toBe(201);
});
afterAll(async () => {
  agent.destroy();
  await service?.stop();
  await database?.drop();
});

function statusOf(method: string, path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: service.host, port: service.port, method, path, headers, agent }, (response) => {
      ports.add(response.socket.localPort ?? 0);
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end();
  });
}

test('each request on a shared connection has its own caller', async () => {
  const auto = `${project.autoPath('pg', database.name, 'users')}?pg=0&ps=1`;
  const system = '/svc/system/api/v1/org';
  const { headers } = project;
  const changed = (name: string, change: (value: string) => string[]): Record<string, string> =>
    Object.fromEntries(
      Object.entries(headers).flatMap(([key, value]) =>
        key.toLowerCase() === name ? change(value).map((to) => [key, to]) : [[key, value]],
      ),
    );
  const elsewhere = changed('x-space-id', () => [ulid()]);
  const nobody = changed('x-user-id', () => []);
  for (let turn = 0; turn < 3; turn++) {
    expect(await statusOf('GET', auto, headers)).toBe(200);
    expect(await statusOf('GET', auto, headers)).toBe(200);
    // The same headers where more is demanded.
    expect(await statusOf('GET', system, headers)).toBe(403);
    expect(await statusOf('GET', auto, elsewhere)).toBe(404);
    expect(await statusOf('GET', auto, headers)).toBe(200);
    expect(await statusOf('GET', auto, nobody)).toBe(400);
  }
  expect(ports.size).toBe(1);
});
