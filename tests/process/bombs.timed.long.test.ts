// Programs that would exhaust a service: while each of them runs, other requests are answered at
// once, the event loop stays responsive, and the memory is free afterwards.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { Bench, type Sketch } from '../custom/definitions.ts';
import { BOMBS, type Bomb } from '../lang/lark/bombs.ts';
import type { DatabaseEntry } from '../support/engines.ts';
import { type Response, type Service, setUpProject, startService } from '../support/service.ts';

/** No test reads a database, so it need not exist. */
const NOWHERE: DatabaseEntry = {
  host_details: [{ host: '127.0.0.1', port: '1' }],
  username: 'u',
  password: 'p',
  db_name: 'nowhere',
  db_type: 'pg',
};
/** Number of attempts. The best one counts, because the machine may be busy with other work. */
const TRIES = 6;
/** Maximum latency of a small request in ms. */
const AT_ONCE = 50;
/** Maximum p99 lag in ms above the lag of an idle event loop; the probe adds its 10 ms. */
const LAG = 20;
/** Generous, since a program that ends in an error is slower on a busy machine. */
const UNTIL_ERROR = { time_ms: 10_000 };
const MEBIBYTE = 1024 * 1024;

let service: Service;
let bench: Bench<{ readonly dbType: 'pg'; readonly name: string }>;
let residentBefore: number;
const waits: number[] = [];

const uriOf = ({ name }: Bomb): string => `bombs/${name.toLowerCase().replaceAll(' ', '-')}`;
const metric = async (name: string): Promise<number> => {
  const { text } = await service.request('GET', '/metrics');
  return Number(new RegExp(`^millrace_${name} (\\S+)$`, 'm').exec(text)?.[1]);
};
const resident = async (): Promise<number> => (await metric('process_resident_memory_bytes')) / MEBIBYTE;
/** Since the last call. */
const lag = async (): Promise<number> => (await metric('nodejs_eventloop_lag_p99_seconds')) * 1000;

beforeAll(async () => {
  service = await startService();
  bench = new Bench(service, await setUpProject(service, [NOWHERE]), { dbType: 'pg', name: NOWHERE.db_name });
  await bench.deploy({ uri: 'small', logic: [{ lark: 'small', code: 'result = 1 + 1' }] });
  await bench.rows('GET', 'small');
  residentBefore = await resident();
});
afterAll(() => service?.stop());

/** Sends small requests sequentially during other work; returns the longest latency in ms. */
async function longestBeside(work: Promise<Response>): Promise<readonly [Response, number]> {
  let over = false;
  const done = work.finally(() => {
    over = true;
  });
  let longest = 0;
  do {
    const start = performance.now();
    expect(await bench.rows('GET', 'small')).toBe(2);
    const took = performance.now() - start;
    waits.push(took);
    longest = Math.max(longest, took);
    // The rate of one busy client, so that both sides have a core.
    await wait(2);
  } while (!over);
  return [await done, longest];
}

const sketchOf = (bomb: Bomb, attempt: number, limits: object): Sketch => ({
  uri: uriOf(bomb),
  version: `1.0.${attempt}`,
  logic: [{ lark: 'bomb', code: /^result = /m.test(bomb.source) ? bomb.source : `${bomb.source}\nresult = 0` }],
  config: { limits },
});

/** A new program first runs on the thread that answers, so each attempt deploys a new version. */
async function detonator(bomb: Bomb, attempt: number, limits: object = {}): Promise<() => Promise<Response>> {
  const sketch = sketchOf(bomb, attempt, limits);
  if (bomb.ends === 'compile') return () => bench.deployText(stringify(bench.document(sketch)));
  await bench.deploy(sketch);
  return () => bench.get(`${sketch.uri}?version=${sketch.version}`);
}

describe('while a bomb runs', () => {
  test.each(BOMBS)('other requests are answered at once: $name', async (bomb) => {
    let best = Number.POSITIVE_INFINITY;
    for (let i = 0; i < TRIES && best >= AT_ONCE; i++) {
      const detonate = await detonator(bomb, i, bomb.ends === 'error' ? UNTIL_ERROR : {});
      const [response, longest] = await longestBeside(detonate());
      expect(response.status, response.text).toBe(bomb.ends === 'error' ? 500 : 422);
      best = Math.min(best, longest);
    }
    expect(best).toBeLessThan(AT_ONCE);
  });

  test('nearly all requests are answered much faster than the limit', () => {
    const sorted = waits.toSorted((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length * 0.99)]).toBeLessThan(AT_ONCE);
    expect(sorted[sorted.length >> 1]).toBeLessThan(AT_ONCE / 5);
  });

  test('the event loop is not blocked', async () => {
    const endless = BOMBS.find(({ name }) => name === 'endless loop') as Bomb;
    const idle = monitorEventLoopDelay({ resolution: 10 });
    idle.enable();
    let best = Number.POSITIVE_INFINITY;
    for (let i = 0; i < TRIES && best >= LAG; i++) {
      const calls = await Promise.all(Array.from({ length: 12 }, (_, call) => detonator(endless, 100 * (i + 1) + call, { time_ms: 100 })));
      await lag();
      idle.reset();
      for (const detonate of calls) await longestBeside(detonate());
      best = Math.min(best, (await lag()) - Math.max(0, idle.percentile(99) / 1e6 - 10));
    }
    idle.disable();
    expect(best).toBeLessThan(LAG);
  });
});

test('the memory is freed after all bombs', async () => {
  await expect.poll(resident, { timeout: 60_000, interval: 500 }).toBeLessThan(residentBefore + 64);
});
