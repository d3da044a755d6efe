// Graceful shutdown: accepted requests complete, new ones are not accepted, the exit code is 0.
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SlowDatabase, slowDatabase, slowProject } from '../faults/slow-database.ts';
import { PATIENCE } from '../support/patience.ts';
import { type Service, startService } from '../support/service.ts';

let database: SlowDatabase;
beforeAll(async () => {
  database = await slowDatabase();
});
afterAll(() => database?.drop());

/** Far less than the time after which a shutdown aborts requests. */
const PROMPT_MS = 10_000;

const timed = async <T>(work: Promise<T>): Promise<readonly [T, number]> => {
  const began = performance.now();
  return [await work, performance.now() - began];
};

const dial = (service: Service): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(service.port, service.host, () => resolve(socket));
    socket.on('error', reject);
  });

/** Sends GET /readyz on an open connection. Returns the whole response. */
const answerOn = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    socket.on('data', (piece) => (text += piece));
    socket.on('close', () => resolve(text));
    socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
  });

describe('SIGTERM', () => {
  test('ends an idle service at once, also with silent and idle connections', async () => {
    const service = await startService();
    const silent = await dial(service);
    const resting = await dial(service);
    resting.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => resting.once('data', resolve));
    service.kill('SIGTERM');
    const [exit, ms] = await timed(service.exited);
    expect(exit).toEqual({ code: 0, signal: null });
    expect(ms).toBeLessThan(PROMPT_MS);
    silent.destroy();
    resting.destroy();
    await service.stop();
  });

  test('lets accepted requests finish, makes the service not ready, and closes the port', async () => {
    const service = await startService();
    const slow = await slowProject(service, database, { max_open_connections: 3 });
    await slow.nap(0);
    const kept = await dial(service);
    const naps = [slow.nap(4000), slow.nap(4000), slow.nap(4000)];
    const insert = slow.send('POST', 'words', [{ id: 5000, word: 'while shutting down' }]);
    await expect.poll(database.running, PATIENCE).toBeGreaterThanOrEqual(3);
    service.kill('SIGTERM');
    await expect.poll(() => dial(service).catch((error: NodeJS.ErrnoException) => error.code), PATIENCE).toBe('ECONNREFUSED');
    // An open connection still gets a response.
    expect(await answerOn(kept)).toMatch(/^HTTP\/1\.1 503 (?=[\s\S]*Connection: close)(?=[\s\S]*Retry-After: \d)/i);
    expect((await Promise.all(naps)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await insert).status).toBe(201);
    const [exit, ms] = await timed(service.exited);
    expect(exit).toEqual({ code: 0, signal: null });
    expect(ms).toBeLessThan(PROMPT_MS);
    expect(await database.run('DELETE FROM words WHERE id = 5000 RETURNING id')).toHaveLength(1);
    await expect.poll(database.sessions, PATIENCE).toBe(0);
    await service.stop();
  });

  test('loses no accepted request under load', async () => {
    const service = await startService();
    const { project } = await slowProject(service, database);
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    const path = `/svc/api/rest/auto/v1/pg/${database.name}/words?pg=0&ps=50`;
    const outcomes: string[] = [];
    const get = (): Promise<string> =>
      new Promise((resolve) => {
        const sent = request({ host: service.host, port: service.port, path, agent, headers: project.headers }, (response) => {
          let text = '';
          response.on('data', (piece) => (text += piece));
          response.on('end', () => resolve(`${response.statusCode} ${(JSON.parse(text) as unknown[]).length}`));
          response.on('error', () => resolve('broken off'));
        });
        sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? 'refused' : `lost ${error.code}`));
        sent.end();
      });
    const client = async (): Promise<void> => {
      for (;;) {
        const outcome = await get();
        outcomes.push(outcome);
        if (outcome === 'refused') return;
      }
    };
    const load = Promise.all(Array.from({ length: 16 }, client));
    await expect.poll(() => outcomes.length, PATIENCE).toBeGreaterThan(200);
    service.kill('SIGTERM');
    const [exit, ms] = await timed(service.exited);
    expect(exit).toEqual({ code: 0, signal: null });
    expect(ms).toBeLessThan(PROMPT_MS);
    await load;
    agent.destroy();
    expect([...new Set(outcomes)].sort()).toEqual(['200 50', 'refused']);
    await service.stop();
  });

  test('aborts requests after MILLRACE_SHUTDOWN_SECS, and cancels their statements', async () => {
    const service = await startService({ env: { MILLRACE_SHUTDOWN_SECS: '1' } });
    const slow = await slowProject(service, database);
    await slow.nap(0);
    const nap = slow.nap(60_000).catch(() => 'broken off');
    await expect.poll(database.running, PATIENCE).toBe(1);
    service.kill('SIGTERM');
    const [exit, ms] = await timed(service.exited);
    expect(exit).toEqual({ code: 0, signal: null });
    expect(ms).toBeGreaterThan(900);
    expect(ms).toBeLessThan(PROMPT_MS);
    expect(await nap).toBe('broken off');
    await expect.poll(database.running, PATIENCE).toBe(0);
    await service.stop();
  });

  test('ends the process within a second when sent again, and cancels statements', async () => {
    const service = await startService();
    const slow = await slowProject(service, database);
    await slow.nap(0);
    const nap = slow.nap(60_000).catch(() => 'broken off');
    await expect.poll(database.running, PATIENCE).toBe(1);
    service.kill('SIGTERM');
    // Signals within a second count as one.
    await wait(1200);
    service.kill('SIGTERM');
    const [exit, ms] = await timed(service.exited);
    expect(exit.code).toBe(1);
    expect(ms).toBeLessThan(PROMPT_MS);
    expect(await nap).toBe('broken off');
    await expect.poll(database.running, PATIENCE).toBe(0);
    await service.stop();
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s reaches all workers', async (signal) => {
    const service = await startService({ env: { MILLRACE_WORKERS: '2' } });
    const slow = await slowProject(service, database);
    const naps = Array.from({ length: 4 }, () => slow.nap(3000));
    await expect.poll(database.running, PATIENCE).toBe(4);
    service.kill(signal);
    expect((await Promise.all(naps)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await service.exited).toEqual({ code: 0, signal: null });
    await expect.poll(database.sessions, PATIENCE).toBe(0);
    await service.stop();
  });
});
