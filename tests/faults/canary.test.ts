// Canary: many clients; some disconnect early or time out. Every response must belong to its own
// request.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { type Service, startService } from '../support/service.ts';
import { type SlowDatabase, type SlowProject, slowDatabase, slowProject } from './slow-database.ts';

const CLIENTS = 64;
const FOR_MS = 8000;

let service: Service;
let database: SlowDatabase;
let slow: SlowProject;

beforeAll(async () => {
  [service, database] = await Promise.all([startService(), slowDatabase()]);
  await database.run(`CREATE TABLE nonces (id int PRIMARY KEY, nonce text);
    INSERT INTO nonces SELECT n, md5(n::text) FROM generate_series(0, 4999) n;
    CREATE VIEW slow_nonces AS SELECT id, nonce, pg_sleep(CASE WHEN id % 10 = 0 THEN 1.5 ELSE random() * 0.02 END)::text AS slept FROM nonces`);
  slow = await slowProject(service, database, { max_open_connections: 12, timeout_secs: 1, connect_timeout_secs: 5 });
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

test('every answer carries its own nonce, under aborts and timeouts', async () => {
  const md5 = (id: number): string => createHash('md5').update(String(id)).digest('hex');
  const outcomes = { right: 0, aborted: 0, refused: 0, wrong: [] as string[] };
  const end = performance.now() + FOR_MS;
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const id = Math.floor(Math.random() * 5000);
      const table = Math.random() < 0.5 ? 'nonces' : 'slow_nonces';
      const abort = new AbortController();
      const timer = Math.random() < 0.3 ? setTimeout(() => abort.abort(), Math.random() * 60) : undefined;
      try {
        const answer = await slow.get(`${table}?pg=0&ps=5&id=eq.${id}`, abort.signal);
        const [row] = answer.status === 200 ? answer.json<{ id: number; nonce: string }[]>() : [];
        if (answer.status === 200 && row?.id === id && row.nonce === md5(id)) outcomes.right++;
        else if (answer.status === 504 || answer.status === 503) outcomes.refused++;
        else outcomes.wrong.push(`${table} ${id}: ${answer.status} ${answer.text}`);
      } catch (error) {
        if (abort.signal.aborted) outcomes.aborted++;
        else outcomes.wrong.push(String(error));
      } finally {
        clearTimeout(timer);
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  expect(outcomes.wrong).toEqual([]);
  for (const kind of ['right', 'aborted', 'refused'] as const) expect(outcomes[kind]).toBeGreaterThan(10);
  expect(await database.sessions()).toBeLessThanOrEqual(14);
  await expect.poll(database.running, PATIENCE).toBe(0);
});
