// Many callers who read rows by their keys at the same time share connections: each gets its own row, also when others leave or do not read.
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';

const ENGINES: readonly EngineName[] = ['postgres', 'mysql', 'mariadb'];
const ROWS = 200;
const databases = new Map<EngineName, TestDatabase>();
let service: Service;
let project: TestProject;

beforeAll(async () => {
  for (const name of ENGINES) {
    const database = await createDatabase(name);
    databases.set(name, database);
    await database.run('CREATE TABLE things (id int PRIMARY KEY, name varchar(100))');
    const rows = Array.from({ length: ROWS }, (_, id) => `(${id}, 'thing ${id}')`);
    await database.run(`INSERT INTO things VALUES ${rows}`);
    await database.run(`CREATE TABLE wide (id int PRIMARY KEY, body ${name === 'postgres' ? 'text' : 'longtext'})`);
    await database.run(`INSERT INTO wide VALUES (1, ${name === 'postgres' ? 'repeat' : 'REPEAT'}('x', 8000000)), (2, 'short')`);
  }
  service = await startService({ env: { MILLRACE_SLOW_READER_SECS: '2', MILLRACE_LOG_LEVEL: 'warn' } });
  project = await setUpProject(
    service,
    [...databases.values()].map((database) => database.entry()),
  );
});
afterAll(async () => {
  await service?.stop();
  for (const database of databases.values()) await database.drop();
});

describe.each(ENGINES)('on %s', (name) => {
  const pathOf = (table: string): string => {
    const database = databases.get(name) as TestDatabase;
    return project.autoPath(database.dbType, database.name, table);
  };

  test('every caller gets the row of its key, whoever leaves meanwhile', async () => {
    for (let round = 0; round < 3; round++) {
      const answers = Array.from({ length: ROWS }, async (_, id) => {
        const path = id % 2 === 0 ? `${pathOf('things')}?pg=0&ps=1&id=eq.${id}` : `${pathOf('things')}/${id}`;
        const isLeaving = id % 7 === 3;
        const controller = new AbortController();
        const answer = service.request('GET', path, { headers: project.headers, signal: controller.signal });
        if (isLeaving) {
          setTimeout(() => controller.abort(), round);
          await answer.catch(() => undefined);
          return;
        }
        const { status, body } = await answer;
        const row = { id, name: `thing ${id}` };
        expect([status, JSON.parse(String(body))]).toEqual([200, id % 2 === 0 ? [row] : row]);
      });
      await Promise.all(answers);
    }
  });

  test('one refused beside others that are not', async () => {
    const ids = ['1', 'x', '2', '99999', '3'];
    const answers = await Promise.all(ids.map((id) => service.request('GET', `${pathOf('things')}/${id}`, { headers: project.headers })));
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 404, 200]);
  });

  test('callers who do not read a large row hold nobody up for long', async () => {
    const head = Object.entries(project.headers).map(([key, value]) => `${key}: ${value}\r\n`);
    const text = `GET ${pathOf('wide')}/1 HTTP/1.1\r\nHost: x\r\n${head.join('')}\r\n`;
    const staring: Socket[] = [];
    for (let i = 0; i < 8; i++) {
      const socket = connect(service.port, service.host);
      socket.on('error', () => undefined);
      socket.pause();
      socket.write(text);
      staring.push(socket);
    }
    const short = await Promise.all(
      Array.from({ length: 16 }, () => service.request('GET', `${pathOf('wide')}/2`, { headers: project.headers })),
    );
    for (const { status, body } of short) expect([status, JSON.parse(String(body))]).toEqual([200, { id: 2, body: 'short' }]);
    for (const socket of staring) socket.destroy();
  });
});
