// The pool with connections that the test opens and breaks: fairness, deadlines, limits, drain,
// close.
import { setImmediate as nextTick, setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Connection } from '../../../src/engines/contract/engine.ts';
import { CONNECT_DELAY_MS, type Pool } from '../../../src/engines/pool/pool.ts';
import { LONG_STATEMENT_MS } from '../../../src/engines/pool/semaphore.ts';
import { ServerBudget } from '../../../src/engines/pool/server-budget.ts';
import { BACKGROUND, BULK, PipelinedClass } from '../../../src/engines/pool/statement-class.ts';
import { pool, Stub } from './stub.ts';

const turn = () => wait(0);
/** Another one is opened when those in use were waited for. */
const asked = (opening: readonly unknown[]) => expect.poll(() => opening.length, { interval: 1 }).toBe(1);

describe('a pool of one', () => {
  test('gives what is idle at once, without a promise', async () => {
    const { made, opening } = pool();
    const first = made.acquire();
    opening[0]?.give();
    const connection = await first;
    made.release(connection);
    expect(made.acquire()).toBe(connection);
    expect(made.counts).toEqual({ open: 1, idle: 0, waiting: 0 });
  });

  test('a waiter whose time ran out while a connection was opened for it loses nothing to the pool', async () => {
    const { made, opening } = pool({ waitMs: 50 });
    const first = made.acquire();
    const broken = opening[0]?.give();
    await first;
    const second = Promise.resolve(made.acquire());
    broken?.die();
    await expect(second).rejects.toMatchObject({ kind: 'busy' });
    opening[1]?.give();
    await turn();
    expect(made.counts).toEqual({ open: 1, idle: 1, waiting: 0 });
    expect(made.acquire()).toBeInstanceOf(Stub);
  });

  test('a waiter that leaves is not served, and the next one is', async () => {
    const { made, opening } = pool({ waitMs: 5000 });
    const first = made.acquire();
    opening[0]?.give();
    const connection = await first;
    const abort = new AbortController();
    const second = Promise.resolve(made.acquire({ signal: abort.signal }));
    const third = Promise.resolve(made.acquire());
    abort.abort();
    await expect(second).rejects.toMatchObject({ kind: 'cancelled' });
    await expect(Promise.resolve(made.acquire({ signal: AbortSignal.abort() }))).rejects.toMatchObject({ kind: 'cancelled' });
    made.release(connection);
    expect(await third).toBe(connection);
  });

  test('keeps the order of those who wait, however long that takes', async () => {
    const { made, opening } = pool({ waitMs: 5000 });
    const first = made.acquire();
    opening[0]?.give();
    const connection = await first;
    const served: string[] = [];
    const waiter = (name: string) => Promise.resolve(made.acquire()).then(() => served.push(name));
    const early = waiter('early');
    // The first waiter exceeds the threshold for short waits, the second does not.
    await wait(3);
    const late = waiter('late');
    await wait(3);
    made.release(connection);
    await early;
    made.release(connection);
    await late;
    expect(served).toEqual(['early', 'late']);
  });

  test('who waits hears that nothing can be opened any more', async () => {
    const { made, opening } = pool({ waitMs: 5000 });
    const first = made.acquire();
    const broken = opening[0]?.give();
    await first;
    const waiting = [Promise.resolve(made.acquire()), Promise.resolve(made.acquire())];
    broken?.die();
    for (const [index, waiter] of waiting.entries()) {
      opening[index + 1]?.fail();
      await expect(waiter).rejects.toMatchObject({ kind: 'unreachable' });
      await turn();
    }
    expect(made.counts).toEqual({ open: 0, idle: 0, waiting: 0 });
  });

  test('a connection that died is forgotten once, however often it is heard of', async () => {
    const { made, opening } = pool();
    const first = made.acquire();
    const broken = opening[0]?.give();
    const connection = await first;
    broken?.die();
    made.release(connection);
    expect(made.counts).toEqual({ open: 0, idle: 0, waiting: 0 });
  });
});

describe('a pool that drains', () => {
  test('still serves who is there, and keeps nothing', async () => {
    const { made, opening } = pool({ waitMs: 5000 });
    const first = made.acquire();
    const stub = opening[0]?.give();
    const connection = await first;
    const second = Promise.resolve(made.acquire());
    made.drain();
    made.release(connection);
    expect(await second).toBe(connection);
    made.release(connection);
    expect(stub?.closed).toBe(true);
    expect(made.counts.open).toBe(0);
    expect(made.sweep(performance.now())).toBe(true);
  });

  test('a closed one gives nothing', async () => {
    const { made, opening } = pool();
    const first = made.acquire();
    opening[0]?.give();
    made.release(await first);
    made.close();
    expect(made.counts).toEqual({ open: 0, idle: 0, waiting: 0 });
    await expect(Promise.resolve(made.acquire())).rejects.toMatchObject({ kind: 'unreachable' });
  });
});

test('idle connections go when their time is over, the oldest first', async () => {
  const { made, opening } = pool({ maxOpen: 3, maxIdle: 3, idleMs: 1000 });
  const taken = [made.acquire(), made.acquire(), made.acquire()];
  const stubs = opening.map(({ give }) => give());
  for (const one of taken) made.release(await one);
  const now = performance.now();
  expect(made.sweep(now)).toBe(false);
  expect(stubs.filter(({ closed }) => closed)).toHaveLength(0);
  expect(made.sweep(now + 1100)).toBe(true);
  expect(stubs.every(({ closed }) => closed)).toBe(true);
});

describe('bulky statements', () => {
  /** Opens each requested connection until no request is left. */
  async function openAll(opening: { give(): Stub }[]): Promise<void> {
    for (let item = opening.shift(); item !== undefined; item = opening.shift()) {
      item.give();
      await turn();
    }
  }

  test('have half of the connections at most, and never more than the engine takes well', async () => {
    for (const [maxOpen, most] of [
      [1, 1],
      [6, 3],
      [50, 8],
    ] as const) {
      const { made, opening } = pool({ maxOpen, waitMs: 5000, bulkWaitMs: 5000 });
      const bulky = Array.from({ length: 12 }, () => Promise.resolve(made.acquire({ class: BULK })));
      await turn();
      await openAll(opening);
      expect(made.counts).toEqual({ open: most, idle: 0, waiting: 12 - most });
      for (const promise of bulky) made.release(await promise);
      expect(made.counts.waiting).toBe(0);
    }
  });

  test('leave the rest to others', async () => {
    const { made, opening } = pool({ maxOpen: 4, waitMs: 5000, bulkWaitMs: 5000 });
    const bulky = [0, 1, 2].map(() => Promise.resolve(made.acquire({ class: BULK })));
    await turn();
    await openAll(opening);
    const light = Promise.resolve(made.acquire());
    await asked(opening);
    await openAll(opening);
    await light;
    expect(made.counts).toEqual({ open: 3, idle: 0, waiting: 1 });
    made.release(await (bulky[0] as Promise<Connection>));
    await bulky[2];
  });

  test('wait for their turn no longer than they may, and a failed connection gives the turn on', async () => {
    const { made, opening } = pool({ maxOpen: 2, bulkWaitMs: 50 });
    const first = Promise.resolve(made.acquire({ class: BULK }));
    const late = Promise.resolve(made.acquire({ class: BULK }));
    await expect(late).rejects.toMatchObject({ kind: 'busy' });
    opening.shift()?.fail();
    await expect(first).rejects.toMatchObject({ kind: 'unreachable' });
    const next = Promise.resolve(made.acquire({ class: BULK }));
    await turn();
    await openAll(opening);
    await next;
    expect(made.counts).toEqual({ open: 1, idle: 0, waiting: 0 });
  });

  test('that waited when the pool closed are told', async () => {
    const { made, opening } = pool({ bulkWaitMs: 5000 });
    const first = Promise.resolve(made.acquire({ class: BULK }));
    const second = Promise.resolve(made.acquire({ class: BULK }));
    await turn();
    await openAll(opening);
    await first;
    made.close();
    await expect(second).rejects.toMatchObject({ kind: 'unreachable' });
  });
});

describe('a server that runs two statements at a time', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  /** Pools of one server, each with its connections open and idle. */
  async function pools(...connections: readonly number[]): Promise<[Pool, Pool, Pool]> {
    const server = new ServerBudget();
    const made: Pool[] = [];
    for (const count of connections) {
      const { made: one, opening } = pool({ maxOpen: 4, maxIdle: 4, waitMs: 5000 }, 2, server);
      const held = Array.from({ length: count }, () => Promise.resolve(one.acquire({ class: BACKGROUND })));
      await pass(CONNECT_DELAY_MS);
      for (const { give } of opening.splice(0)) give();
      for (const connection of await Promise.all(held)) one.release(connection);
      made.push(one);
    }
    return made as [Pool, Pool, Pool];
  }
  const acquire = (of: Pool): Promise<Connection> => Promise.resolve(of.acquire());

  test('runs no third one until one of them is done', async () => {
    const [a, b] = await pools(3, 1);
    const first = await acquire(a);
    await acquire(a);
    let isServed = false;
    const third = acquire(b).then(() => (isServed = true));
    await pass(LONG_STATEMENT_MS / 2);
    expect([isServed, b.counts]).toEqual([false, { open: 1, idle: 1, waiting: 1 }]);
    a.release(first);
    await third;
    expect(b.counts.waiting).toBe(0);
  });

  test('serves pools in turn, and each in order', async () => {
    const [busy, other] = await pools(2, 1);
    const [first, second] = [await acquire(busy), await acquire(busy)];
    const order: string[] = [];
    const waiters = [
      [busy, 'busy 1'],
      [busy, 'busy 2'],
      [other, 'other'],
    ] as const;
    const served = waiters.map(([of, name]) => acquire(of).then(() => order.push(name)));
    busy.release(first);
    await pass(0);
    busy.release(second);
    await pass(0);
    expect(order).toEqual(['busy 1', 'other']);
    await pass(2 * LONG_STATEMENT_MS);
    await Promise.all(served);
  });

  test('is not blocked by statements that take long, or run in the background', async () => {
    const [a, b] = await pools(3, 3);
    await Promise.all([acquire(a), acquire(a)]);
    expect(a.acquire({ class: BACKGROUND })).toBeInstanceOf(Stub);
    const waiting = [acquire(b), acquire(b)];
    await pass(2 * LONG_STATEMENT_MS);
    await Promise.all(waiting);
    expect(b.counts).toEqual({ open: 3, idle: 1, waiting: 0 });
  });

  test('gets permits back from connections that died and callers that left', async () => {
    const [a, b, c] = await pools(2, 1, 1);
    const [first, second] = (await Promise.all([acquire(a), acquire(a)])) as [Stub, Stub];
    const gone = new AbortController();
    const leaves = expect(Promise.resolve(b.acquire({ signal: gone.signal }))).rejects.toMatchObject({ kind: 'cancelled' });
    const stays = acquire(c);
    gone.abort();
    await leaves;
    first.die();
    await stays;
    a.release(second);
    await acquire(b);
  });
});

describe('pipelined statements', () => {
  const ROWS = new PipelinedClass('rows');
  const PAGES = new PipelinedClass('pages');

  /** A pool with idle connections. */
  async function idle(count: number): Promise<Pool> {
    const { made, opening } = pool({ maxOpen: count, maxIdle: count, waitMs: 5000 });
    const held = Array.from({ length: count }, () => Promise.resolve(made.acquire()));
    await wait(2 * CONNECT_DELAY_MS);
    for (const { give } of opening.splice(0)) give();
    for (const connection of await Promise.all(held)) made.release(connection);
    return made;
  }
  const acquire = (of: Pool, statementClass = ROWS): Stub => of.acquire({ class: statementClass }) as Stub;

  test('of one tick share a connection and leave in one write', async () => {
    const made = await idle(4);
    const users = [acquire(made), acquire(made), acquire(made)];
    expect(new Set(users).size).toBe(1);
    expect(acquire(made, PAGES)).not.toBe(users[0]);
    expect([users[0]?.corked, users[0]?.uncorked]).toEqual([1, 0]);
    await nextTick();
    expect(users[0]?.uncorked).toBe(1);
    for (const user of users) {
      expect(made.counts.idle).toBe(2);
      made.release(user);
    }
    expect(made.counts.idle).toBe(3);
  });

  test('are at most 16 on a connection', async () => {
    const made = await idle(2);
    const users = Array.from({ length: 17 }, () => acquire(made));
    expect(new Set(users.slice(0, 16)).size).toBe(1);
    expect(users[16]).not.toBe(users[0]);
  });

  test('are appended to a connection in flight if none is idle, but not for ever', async () => {
    const made = await idle(1);
    const first = acquire(made);
    await nextTick();
    expect(acquire(made)).toBe(first);
    await nextTick();
    expect(first.uncorked).toBe(2);
    await wait(15);
    const late = made.acquire({ class: ROWS });
    expect(late).toBeInstanceOf(Promise);
    made.release(first);
    made.release(first);
    expect(await late).toBe(first);
  });
});

describe('a connection that has died silently', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function rested(count: number) {
    const { made, opening } = pool({ maxOpen: count, maxIdle: count, waitMs: 5000, idleMs: 60_000 });
    const held = Array.from({ length: count }, () => Promise.resolve(made.acquire()));
    await vi.advanceTimersByTimeAsync(CONNECT_DELAY_MS);
    const stubs = opening.splice(0).map(({ give }) => give());
    for (const connection of await Promise.all(held)) made.release(connection);
    await vi.advanceTimersByTimeAsync(3000);
    return { made, opening, stubs };
  }

  test('is found by a ping, and takes the idle ones along', async () => {
    const { made, opening, stubs } = await rested(3);
    for (const stub of stubs) stub.answersPings = false;
    const acquired = Promise.resolve(made.acquire());
    await vi.advanceTimersByTimeAsync(2 * CONNECT_DELAY_MS);
    expect(stubs.map(({ closed }) => closed)).toEqual([true, true, true]);
    const fresh = opening[0]?.give();
    expect(await acquired).toBe(fresh);
  });

  test('takes the idle ones along when a statement finds it', async () => {
    const { made, stubs } = await rested(3);
    const acquired = Promise.resolve(made.acquire());
    await vi.advanceTimersByTimeAsync(1);
    const dead = (await acquired) as Stub;
    dead.isSilent = true;
    dead.usable = false;
    made.release(dead);
    expect(stubs.map(({ closed }) => closed)).toEqual([true, true, true]);
    expect(made.counts.open).toBe(0);
  });
});
