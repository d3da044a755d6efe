// The pool by itself, with connections that the test opens and breaks at will: nothing is lost to those who left, and nobody waits for what is there.
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Connection } from '../../../src/engines/contract/engine.ts';
import { PATIENCE_MS, type Pool } from '../../../src/engines/pool/pool.ts';
import { LONG_MS } from '../../../src/engines/pool/semaphore.ts';
import { ServerLoad } from '../../../src/engines/pool/server-load.ts';
import { pool, Stub } from '../pool-stub.ts';

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
    const second = Promise.resolve(made.acquire(abort.signal));
    const third = Promise.resolve(made.acquire());
    abort.abort();
    await expect(second).rejects.toMatchObject({ kind: 'cancelled' });
    await expect(Promise.resolve(made.acquire(AbortSignal.abort()))).rejects.toMatchObject({ kind: 'cancelled' });
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
    // The early one has waited for longer than for a moment, the late one has not.
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
  /** Opens whatever is asked for, again and again, until nobody asks. */
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
      const { made, opening } = pool({ maxOpen, waitMs: 5000, bulkyWaitMs: 5000 });
      const bulky = Array.from({ length: 12 }, () => Promise.resolve(made.acquire(undefined, { bulky: true })));
      await turn();
      await openAll(opening);
      expect(made.counts).toEqual({ open: most, idle: 0, waiting: 12 - most });
      for (const promise of bulky) made.release(await promise);
      expect(made.counts.waiting).toBe(0);
    }
  });

  test('leave the rest to others', async () => {
    const { made, opening } = pool({ maxOpen: 4, waitMs: 5000, bulkyWaitMs: 5000 });
    const bulky = [0, 1, 2].map(() => Promise.resolve(made.acquire(undefined, { bulky: true })));
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
    const { made, opening } = pool({ maxOpen: 2, bulkyWaitMs: 50 });
    const first = Promise.resolve(made.acquire(undefined, { bulky: true }));
    const late = Promise.resolve(made.acquire(undefined, { bulky: true }));
    await expect(late).rejects.toMatchObject({ kind: 'busy' });
    opening.shift()?.fail();
    await expect(first).rejects.toMatchObject({ kind: 'unreachable' });
    const next = Promise.resolve(made.acquire(undefined, { bulky: true }));
    await turn();
    await openAll(opening);
    await next;
    expect(made.counts).toEqual({ open: 1, idle: 0, waiting: 0 });
  });

  test('that waited when the pool closed are told', async () => {
    const { made, opening } = pool({ bulkyWaitMs: 5000 });
    const first = Promise.resolve(made.acquire(undefined, { bulky: true }));
    const second = Promise.resolve(made.acquire(undefined, { bulky: true }));
    await turn();
    await openAll(opening);
    await first;
    made.close();
    await expect(second).rejects.toMatchObject({ kind: 'unreachable' });
  });
});

describe('a server that does two statements at a time', () => {
  // What takes long is a matter of milliseconds: they pass when the test says so, however busy the machine is.
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const opened = async (opening: readonly unknown[], ms: number) => {
    await pass(ms);
    expect(opening).toHaveLength(1);
  };
  const places = () => pool({ maxOpen: 4, maxIdle: 4, waitMs: 5000 }, 2);

  /** Two in use, and a third who waits. */
  async function full() {
    const { made, opening } = places();
    const first = made.acquire();
    opening.shift()?.give();
    made.release(await first);
    const held = [made.acquire(), made.acquire()];
    await opened(opening, PATIENCE_MS);
    opening.shift()?.give();
    const [one, two] = (await Promise.all(held)) as [Stub, Stub];
    return { made, opening, one, two, third: Promise.resolve(made.acquire()) };
  }

  test('gets no third one, and who waits has the connection of the one that is done', async () => {
    const { made, opening, one, third } = await full();
    await pass(0);
    expect(opening).toEqual([]);
    expect(made.counts).toEqual({ open: 2, idle: 0, waiting: 1 });
    made.release(one);
    expect(await third).toBe(one);
  });

  test('in turn: nobody passes those who wait', async () => {
    const { made, one, two, third } = await full();
    const fourth = Promise.resolve(made.acquire());
    made.release(one);
    expect(made.acquire()).toBeInstanceOf(Promise);
    expect(await third).toBe(one);
    made.release(two);
    expect(await fourth).toBe(two);
  });

  test('one that takes long keeps nobody waiting, and has no place when it is done', async () => {
    const { made, opening, one, two, third } = await full();
    await opened(opening, LONG_MS);
    const fresh = opening.shift()?.give();
    expect(await third).toBe(fresh);
    const fourth = Promise.resolve(made.acquire());
    await opened(opening, PATIENCE_MS);
    opening.shift()?.give();
    const other = await fourth;
    const fifth = Promise.resolve(made.acquire());
    made.release(one);
    await pass(0);
    expect(made.counts).toEqual({ open: 4, idle: 1, waiting: 1 });
    made.release(other);
    expect(await fifth).toBe(other);
    made.release(two);
  });

  test('what rests is given to those who wait when the others take long', async () => {
    const { made, opening, one, third } = await full();
    await opened(opening, LONG_MS);
    opening.shift()?.give();
    await third;
    const fourth = Promise.resolve(made.acquire());
    await opened(opening, PATIENCE_MS);
    opening.shift()?.give();
    await fourth;
    const fifth = Promise.resolve(made.acquire());
    made.release(one);
    expect(made.counts).toEqual({ open: 4, idle: 1, waiting: 1 });
    await pass(LONG_MS);
    expect(await fifth).toBe(one);
  });

  describe('with several databases', () => {
    /** Databases of one server, each with one connection that rests; some have two. */
    async function databases(...connections: readonly number[]) {
      const load = new ServerLoad();
      const made: Pool[] = [];
      for (const count of connections) {
        const { made: one, opening } = pool({ maxOpen: 4, maxIdle: 4, waitMs: 5000 }, 2, load);
        const held = Array.from({ length: count }, () => Promise.resolve(one.acquire()));
        await pass(PATIENCE_MS);
        while (opening.length > 0) {
          opening.shift()?.give();
          await pass(PATIENCE_MS);
        }
        for (const connection of await Promise.all(held)) one.release(connection);
        made.push(one);
      }
      return made as [Pool, Pool, Pool];
    }

    test('they share its places', async () => {
      const [a, b, c] = await databases(2, 1, 1);
      const [one] = [await a.acquire(), await b.acquire()];
      const waiting = c.acquire();
      expect([waiting instanceof Promise, c.counts]).toEqual([true, { open: 1, idle: 1, waiting: 1 }]);
      a.release(one);
      expect(await waiting).toBeInstanceOf(Stub);
      expect(c.counts).toEqual({ open: 1, idle: 0, waiting: 0 });
    });

    test('one that is always busy keeps no other out', async () => {
      const [busy, other] = await databases(2, 1);
      const [one, two] = (await Promise.all([busy.acquire(), busy.acquire()])) as [Stub, Stub];
      const order: string[] = [];
      const wanted = (of: Pool, name: string) =>
        Promise.resolve(of.acquire()).then((connection) => {
          order.push(name);
          return connection;
        });
      const third = wanted(busy, 'busy 1');
      const fourth = wanted(busy, 'busy 2');
      const fifth = wanted(busy, 'busy 3');
      const others = wanted(other, 'other');
      busy.release(one);
      await pass(0);
      busy.release(two);
      await pass(0);
      expect(order).toEqual(['busy 1', 'other']);
      busy.release(await third);
      other.release(await others);
      await Promise.all([fourth, fifth]);
      expect(order).toEqual(['busy 1', 'other', 'busy 2', 'busy 3']);
    });

    test('all places of those that take long are given away at once', async () => {
      const [a, b] = await databases(2, 2);
      await Promise.all([a.acquire(), a.acquire()]);
      const waiting = [Promise.resolve(b.acquire()), Promise.resolve(b.acquire())];
      await pass(LONG_MS);
      expect(b.counts).toEqual({ open: 2, idle: 0, waiting: 0 });
      await Promise.all(waiting);
    });

    test('one whose callers have left keeps no place', async () => {
      const [a, b, c] = await databases(2, 1, 1);
      const [one, two] = (await Promise.all([a.acquire(), a.acquire()])) as [Stub, Stub];
      const gone = new AbortController();
      const leaves = expect(Promise.resolve(b.acquire(gone.signal))).rejects.toMatchObject({ kind: 'cancelled' });
      const stays = Promise.resolve(c.acquire());
      gone.abort();
      await leaves;
      a.release(one);
      expect(await stays).toBeInstanceOf(Stub);
      a.release(two);
      expect(b.acquire()).toBeInstanceOf(Stub);
    });

    test('connections that died give their places to others', async () => {
      const [a, b] = await databases(2, 1);
      const [one] = (await Promise.all([a.acquire(), a.acquire()])) as [Stub, Stub];
      const waiting = Promise.resolve(b.acquire());
      one.die();
      expect(await waiting).toBeInstanceOf(Stub);
    });
  });

  test('what the server does in the background waits for no place, and takes none', async () => {
    const { made, opening, one, two, third } = await full();
    const fourth = Promise.resolve(made.acquire(undefined, { inBackground: true }));
    await opened(opening, PATIENCE_MS);
    const fresh = opening.shift()?.give();
    expect(await fourth).toBe(fresh);
    made.release(one);
    expect(await third).toBe(one);
    expect(made.counts).toEqual({ open: 3, idle: 0, waiting: 0 });
    made.release(two);
    made.release(one);
    // Both places are free, whoever is in the background.
    const taken = [made.acquire(), made.acquire()];
    expect(new Set(taken)).toEqual(new Set([one, two]));
  });

  test('a connection that dies in use makes room', async () => {
    const { made, opening, one, third } = await full();
    one.die();
    made.release(one);
    await opened(opening, LONG_MS);
    const fresh = opening.shift()?.give();
    expect(await third).toBe(fresh);
  });

  test('a pool that drains while the places are taken opens nothing in vain', async () => {
    const { made, opening, one, two, third } = await full();
    await opened(opening, LONG_MS);
    const fresh = opening.shift()?.give();
    expect(await third).toBe(fresh);
    expect(made.acquire()).toBeInstanceOf(Promise);
    await opened(opening, PATIENCE_MS);
    opening.shift()?.give();
    await pass(0);
    const last = Promise.resolve(made.acquire());
    made.drain();
    made.release(one);
    await pass(LONG_MS);
    expect(opening).toEqual([]);
    expect(await last).toBe(one);
    made.release(one);
    made.release(two);
    expect([one.closed, two.closed, made.counts.idle]).toEqual([true, true, 0]);
  });

  test('a pool that drains keeps nothing for one who waited for a place and left', async () => {
    const { made, opening, one, third } = await full();
    await opened(opening, LONG_MS);
    opening.shift()?.give();
    await third;
    expect(made.acquire()).toBeInstanceOf(Promise);
    await opened(opening, PATIENCE_MS);
    opening.shift()?.give();
    await pass(0);
    const gone = new AbortController();
    const leaves = expect(Promise.resolve(made.acquire(gone.signal))).rejects.toMatchObject({ kind: 'cancelled' });
    made.drain();
    made.release(one);
    made.sweep(performance.now());
    expect([one.closed, made.counts.idle]).toEqual([false, 1]);
    gone.abort();
    await leaves;
    made.sweep(performance.now());
    expect([one.closed, made.counts.idle]).toEqual([true, 0]);
  });
});
