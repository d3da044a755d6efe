// Concurrent calls of one Custom endpoint share connections: each caller gets its own response,
// also if others disconnect, are rejected or run long statements.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Bench } from '../custom/definitions.ts';
import { Databases } from '../support/databases.ts';
import type { EngineName } from '../support/engines.ts';
import { type Service, setUpProject, startService } from '../support/service.ts';

const ENGINES: readonly EngineName[] = ['postgres', 'mysql', 'mariadb'];
const ROWS = 300;
const databases = new Databases();
const benches = new Map<EngineName, Bench>();
let service: Service;

/** Fast for a small `width`, and a second or two for a large one. */
const WIDE =
  'SELECT count(*) AS n, max(a.id) AS last FROM things a JOIN things b ON b.id < ?:width JOIN things c ON c.id < ?:width WHERE a.id < ?:width';

beforeAll(async () => {
  service = await startService({ env: { MILLRACE_LOG_LEVEL: 'warn' } });
  await databases.create(ENGINES, async (database) => {
    await database.run('CREATE TABLE things (id int PRIMARY KEY, name varchar(100))');
    await database.run(`INSERT INTO things VALUES ${Array.from({ length: ROWS }, (_, id) => `(${id}, 'thing ${id}')`)}`);
    const bench = new Bench(service, await setUpProject(service, [database.entry()]), database);
    benches.set(database.engine, bench);
    const input = { id: { type: 'integer' } };
    await bench.deploy({ uri: 'thing', input, logic: [{ sql: 'SELECT id, name FROM things WHERE id = ?:id' }] });
    await bench.deploy({
      uri: 'label',
      input,
      logic: [{ sql: 'SELECT id, name FROM things WHERE id = ?:id' }, { expr: 'label', code: '"the " + step_0[0].name' }],
    });
    await bench.deploy({ uri: 'wide', input: { width: { type: 'integer' } }, logic: [{ sql: WIDE }] });
  });
});
afterAll(async () => {
  await service?.stop();
  await databases.drop();
});

describe.each(ENGINES)('on %s', (name) => {
  const call = (uri: string, query: string, signal?: AbortSignal) => {
    const bench = benches.get(name) as Bench;
    return service.request('GET', `${bench.path(uri)}?${query}`, { headers: bench.project.headers, ...(signal && { signal }) });
  };

  test('every caller gets its own result when others disconnect or are rejected', async () => {
    for (let round = 0; round < 4; round++) {
      const answers = Array.from({ length: ROWS }, async (_, id) => {
        if (id % 11 === 5) {
          expect((await call('thing', 'id=none')).status).toBe(400);
          return;
        }
        const controller = new AbortController();
        const isLeaving = id % 7 === 3;
        const uri = id % 2 === 0 ? 'thing' : 'label';
        const answer = call(uri, `id=${id}`, controller.signal);
        if (isLeaving) {
          setTimeout(() => controller.abort(), round);
          await answer.catch(() => undefined);
          return;
        }
        const { status, body } = await answer;
        const wanted = uri === 'thing' ? [{ id, name: `thing ${id}` }] : `the thing ${id}`;
        expect([status, JSON.parse(String(body))]).toEqual([200, wanted]);
      });
      await Promise.all(answers);
    }
  });

  test('a long call returns its result, and delays no other', async () => {
    const counted = async (width: number) => {
      const { status, body } = await call('wide', `width=${width}`);
      expect([status, JSON.parse(String(body))]).toEqual([200, [{ n: width ** 3, last: width - 1 }]]);
    };
    for (let i = 0; i < 20; i++) await counted(2);
    const ended: string[] = [];
    const slow = counted(name === 'postgres' ? 300 : 250).then(() => ended.push('slow'));
    for (let burst = 0; burst < 5; burst++) await Promise.all(Array.from({ length: 20 }, (_, i) => counted(1 + (i % 9))));
    ended.push('quick');
    await slow;
    expect(ended).toEqual(['quick', 'slow']);
  });
});
