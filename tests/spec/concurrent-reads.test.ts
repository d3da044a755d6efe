// Concurrent reads of rows by key share connections: each caller gets its own row, also if others
// disconnect or do not read.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Databases } from '../support/databases.ts';
import type { EngineName } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';

const ENGINES: readonly EngineName[] = ['postgres', 'mysql', 'mariadb'];
const ROWS = 200;
/** Rows of a megabyte: more than sockets take. */
const HEAVY = 12;
const databases = new Databases();
let service: Service;
let project: TestProject;
/** With one connection to each database. */
let narrow: TestProject;

beforeAll(async () => {
  await databases.create(ENGINES, async (database) => {
    await database.run('CREATE TABLE things (id int PRIMARY KEY, name varchar(100))');
    const rows = Array.from({ length: ROWS }, (_, id) => `(${id}, 'thing ${id}')`);
    await database.run(`INSERT INTO things VALUES ${rows}`);
    await database.run(`CREATE TABLE wide (id int PRIMARY KEY, body ${database.engine === 'postgres' ? 'text' : 'longtext'})`);
    const repeat = database.engine === 'postgres' ? 'repeat' : 'REPEAT';
    await database.run(`INSERT INTO wide VALUES (1, ${repeat}('x', 8000000)), (2, 'short')`);
    await database.run(`CREATE TABLE heavy (id int PRIMARY KEY, body ${database.engine === 'postgres' ? 'text' : 'longtext'})`);
    for (let id = 1; id <= HEAVY; id++) await database.run(`INSERT INTO heavy VALUES (${id}, ${repeat}('x', 1000000))`);
  });
  service = await startService({ env: { MILLRACE_SLOW_READER_SECS: '60', MILLRACE_LOG_LEVEL: 'warn' } });
  project = await setUpProject(service, databases.entries());
  narrow = await setUpProject(service, databases.entries({ max_open_connections: 1 }));
});
afterAll(async () => {
  await service?.stop();
  await databases.drop();
});

describe.each(ENGINES)('on %s', (name) => {
  const pathOf = (table: string, { autoPath } = project): string => {
    const database = databases.on(name);
    return autoPath(database.dbType, database.name, table);
  };

  test('every caller gets the row of its key when others disconnect', async () => {
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

  test('a rejected request does not affect concurrent ones', async () => {
    const ids = ['1', 'x', '2', '99999', '3'];
    const answers = await Promise.all(ids.map((id) => service.request('GET', `${pathOf('things')}/${id}`, { headers: project.headers })));
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 404, 200]);
  });

  test('callers who do not read a large row delay others only briefly', async () => {
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

  test('a caller who does not read a page delays no other on the same connection', async () => {
    const thing = (id: number) => service.request('GET', `${pathOf('things', narrow)}/${id}`, { headers: narrow.headers });
    for (let i = 0; i < 20; i++) await thing(i);
    await service.request('GET', `${pathOf('heavy', narrow)}/1?$select=id`, { headers: narrow.headers });
    const head = Object.entries(narrow.headers).map(([key, value]) => `${key}: ${value}\r\n`);
    const staring = connect(service.port, service.host);
    staring.pause();
    await once(staring, 'connect');
    staring.write(`GET ${pathOf('heavy', narrow)}?pg=0&ps=20 HTTP/1.1\r\nHost: x\r\n${head.join('')}\r\n`);
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(Array.from({ length: 16 }, (_, id) => thing(id)));
      expect(answers.map((answer) => [answer.status, answer.json()])).toEqual(answers.map((_, id) => [200, { id, name: `thing ${id}` }]));
    }
    // The unread part of the response is delivered once the caller reads.
    let received = 0;
    staring.on('data', (piece: Buffer) => (received += piece.length)).resume();
    await expect.poll(() => received, PATIENCE).toBeGreaterThan(HEAVY * 1_000_000);
    staring.destroy();
  });
});
