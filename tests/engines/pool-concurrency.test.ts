// How many connections of a pool are in use at a time, where the server does not say how many statements it does well.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Connection } from '../../src/engines/contract/engine.ts';
import { LEAST_AT_ONCE } from '../../src/engines/pool/concurrency-limit.ts';
import { PATIENCE_MS, type PoolLimits } from '../../src/engines/pool/pool.ts';
import { LONG_MS } from '../../src/engines/pool/semaphore.ts';
import { LIMITS, pool } from './pool-stub.ts';

describe('a server that does not say how many statements it does at a time', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const MOST = 40;
  const found = (limits: Partial<PoolLimits> = {}) => pool({ maxOpen: MOST, maxIdle: MOST, waitMs: 60_000, findsAtOnce: true, ...limits });

  /** So many statements, and the connections of those that have begun. */
  async function begun(asked: number, { made, opening }: ReturnType<typeof found>) {
    const held: Connection[] = [];
    const ask = () => void Promise.resolve(made.acquire()).then((connection) => held.push(connection));
    for (let i = 0; i < asked; i++) ask();
    const open = async (ms: number) => {
      await pass(ms);
      for (const { give } of opening.splice(0)) give();
      await pass(0);
    };
    await open(PATIENCE_MS);
    return { held, ask, open };
  }

  test('does few, and who waits has the connection of one that is done', async () => {
    const server = found();
    const { held } = await begun(MOST, server);
    expect(server.made.counts).toEqual({ open: LEAST_AT_ONCE, idle: 0, waiting: MOST - LEAST_AT_ONCE });
    const [first] = held as [Connection];
    server.made.release(first);
    await pass(0);
    expect(held).toHaveLength(LEAST_AT_ONCE + 1);
    expect(held.at(-1)).toBe(first);
    expect(server.made.counts).toEqual({ open: LEAST_AT_ONCE, idle: 0, waiting: MOST - LEAST_AT_ONCE - 1 });
  });

  test('does them all within moments, when none of them comes to its end', async () => {
    const server = found();
    const { held, open } = await begun(MOST, server);
    await open(LONG_MS);
    expect(held).toHaveLength(2 * LEAST_AT_ONCE);
    await open(LONG_MS);
    expect(held).toHaveLength(MOST);
  });

  test('does twice as many, where that many get done', async () => {
    const server = found();
    const { held, ask, open } = await begun(2 * MOST, server);
    // Each takes ten milliseconds, however many there are, and another one comes for it.
    for (let ms = 0; ms < 3000; ms += 10) {
      for (const connection of held.splice(0)) {
        ask();
        server.made.release(connection);
      }
      await open(10);
    }
    expect(server.made.counts.open).toBe(MOST);
  });

  test('bulky ones keep no others waiting', async () => {
    const server = found();
    const bulky = Array.from({ length: LIMITS.bulkyMost }, () => Promise.resolve(server.made.acquire(undefined, { bulky: true })));
    await pass(PATIENCE_MS);
    for (const { give } of server.opening.splice(0)) give();
    await Promise.all(bulky);
    const { held } = await begun(LEAST_AT_ONCE, server);
    expect(held).toHaveLength(LEAST_AT_ONCE);
  });

  test('all of them, where there are few connections', async () => {
    const server = found({ maxOpen: LEAST_AT_ONCE });
    const { held, open } = await begun(MOST, server);
    await open(10 * LONG_MS);
    expect(held).toHaveLength(LEAST_AT_ONCE);
    expect(server.made.counts.waiting).toBe(MOST - LEAST_AT_ONCE);
  });
});
