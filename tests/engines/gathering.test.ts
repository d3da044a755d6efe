// Who shares a connection with whom, and when what they have written leaves.
import { setImmediate as immediately } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Brief, type Connection, DbFailure, type InOne } from '../../src/engines/contract/engine.ts';
import { Gathering } from '../../src/engines/pool/pipeline.ts';
import { Pool } from '../../src/engines/pool/pool.ts';
import { ServerLoad } from '../../src/engines/pool/server-load.ts';

class Held implements Connection {
  usable = true;
  isHeld = false;
  yields: boolean | undefined;
  sent = 0;
  run = async () => ({ rows: 0, selected: false });
  begin = async () => undefined;
  commit = async () => undefined;
  rollback = async () => 'all' as const;
  reset = async () => true;
  onClosed = () => undefined;
  close = () => undefined;
  hold(yields: boolean): void {
    this.isHeld = true;
    this.yields = yields;
  }
  send(): void {
    if (this.isHeld) this.sent++;
    this.isHeld = false;
  }
}

class Kind implements Brief {
  yields = false;
  inOne: InOne | undefined;
  shares: number[] = [];
  wentTogether(count: number): void {
    this.shares.push(count);
  }
}

const TWO: InOne = { enough: 2, waitMs: 100 };
let KIND: Kind;
let OTHER: Kind;
/** Time passes when a test says so. */
let now: number;
beforeEach(() => {
  KIND = new Kind();
  OTHER = new Kind();
  now = 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('a gathering', () => {
  let gathering: Gathering;
  let connection: Held;
  beforeEach(() => {
    gathering = new Gathering();
    connection = new Held();
    gathering.begin(connection, KIND);
  });

  test('is joined by the same kind, until what has arrived is read', async () => {
    expect(gathering.join(OTHER)).toBeUndefined();
    expect(gathering.join(KIND)).toBe(connection);
    expect(connection.isHeld).toBe(true);
    await immediately();
    expect([connection.isHeld, connection.sent]).toEqual([false, 1]);
    expect(gathering.join(KIND)).toBeUndefined();
  });

  test('is free again when the last of its users has left', async () => {
    gathering.join(KIND);
    await immediately();
    expect(gathering.leave(connection)).toBe(false);
    expect(gathering.leave(connection)).toBe(true);
    // As any other connection that nobody shares.
    expect(gathering.leave(connection)).toBe(true);
  });

  test('tells its kind how many shared it, once, when the last has left', () => {
    gathering.join(KIND);
    gathering.join(KIND);
    gathering.leave(connection);
    gathering.leave(connection);
    expect(KIND.shares).toEqual([]);
    gathering.leave(connection);
    expect(KIND.shares).toEqual([3]);
  });

  test('has those stopped that hold others up, where their kind says so', () => {
    expect(connection.yields).toBe(false);
    OTHER.yields = true;
    const other = new Held();
    gathering.begin(other, OTHER);
    expect(other.yields).toBe(true);
  });

  test('is full with sixteen, which are sent at once', async () => {
    for (let i = 0; i < 15; i++) expect(gathering.join(KIND)).toBe(connection);
    expect(gathering.join(KIND)).toBeUndefined();
    await new Promise((resolve) => process.nextTick(resolve));
    expect(connection.sent).toBe(1);
    const next = new Held();
    gathering.begin(next, KIND);
    expect(gathering.join(KIND)).toBe(next);
    await immediately();
    expect([connection.sent, next.sent]).toEqual([1, 1]);
  });

  test('holds nothing back when its users leave without having run anything', () => {
    expect(gathering.leave(connection)).toBe(true);
    expect(connection.isHeld).toBe(false);
    expect(gathering.join(KIND)).toBeUndefined();
  });

  test('is one of several, each by its kind', async () => {
    const other = new Held();
    gathering.begin(other, OTHER);
    expect([gathering.join(OTHER), gathering.join(KIND)]).toEqual([other, connection]);
    await immediately();
    expect([connection.sent, other.sent]).toEqual([1, 1]);
  });

  test('is joined by reads of its kind while it is under way, which leave together too', async () => {
    await immediately();
    expect(gathering.joinLate(OTHER)).toBeUndefined();
    expect(gathering.joinLate(KIND)).toBe(connection);
    expect(gathering.join(KIND)).toBe(connection);
    expect(connection.isHeld).toBe(true);
    await immediately();
    expect([connection.isHeld, connection.sent]).toEqual([false, 2]);
    for (const isLast of [false, false, true]) expect(gathering.leave(connection)).toBe(isLast);
    expect(KIND.shares).toEqual([3]);
    expect(gathering.joinLate(KIND)).toBeUndefined();
  });

  test('takes sixteen at a time, however late', async () => {
    // Sent one by one within the time in which it may be joined.
    for (let i = 0; i < 15; i++) {
      (gathering.joinLate(KIND) ?? gathering.join(KIND))?.send?.();
    }
    expect(gathering.joinLate(KIND)).toBeUndefined();
    expect(gathering.leave(connection)).toBe(false);
    expect(gathering.joinLate(KIND)).toBe(connection);
    expect(gathering.joinLate(KIND)).toBeUndefined();
    await immediately();
    expect(connection.isHeld).toBe(false);
  });

  test('is joined late by writes too, which still make way for each other', async () => {
    OTHER.yields = true;
    const other = new Held();
    gathering.begin(other, OTHER);
    await immediately();
    other.yields = undefined;
    expect(gathering.joinLate(OTHER)).toBe(other);
    expect([other.isHeld, other.yields]).toEqual([true, true]);
  });

  test('is not joined late when it has been under way for longer, nor when its connection is gone', async () => {
    await immediately();
    connection.usable = false;
    expect(gathering.joinLate(KIND)).toBeUndefined();
    connection.usable = true;
    now += 11;
    expect(gathering.joinLate(KIND)).toBeUndefined();
    now -= 2;
    expect(gathering.joinLate(KIND)).toBe(connection);
  });

  test('that begins with several is full sooner', async () => {
    const other = new Held();
    gathering.begin(other, OTHER, { users: 15 });
    expect(gathering.join(OTHER)).toBe(other);
    expect(gathering.join(OTHER)).toBeUndefined();
    await immediately();
    expect(other.sent).toBe(1);
    for (let left = 15; left > 0; left--) expect(gathering.leave(other)).toBe(false);
    expect(gathering.leave(other)).toBe(true);
    expect(OTHER.shares).toEqual([16]);
    gathering.begin(other, OTHER, { users: 16 });
    expect(gathering.join(OTHER)).toBeUndefined();
    await immediately();
    expect(other.sent).toBe(2);
  });

  test('is joined by other kinds of its party, now or late, and each of them is told once', async () => {
    const other = new Held();
    gathering.begin(other, KIND, { party: 'rows' });
    expect([gathering.join(OTHER, 'pages'), gathering.join(OTHER)]).toEqual([undefined, undefined]);
    for (const kind of [KIND, OTHER, OTHER]) expect(gathering.join(kind, 'rows')).toBe(other);
    await immediately();
    expect(gathering.joinLate(OTHER, 'pages')).toBeUndefined();
    expect(gathering.joinLate(OTHER, 'rows')).toBe(other);
    for (const isLast of [false, false, false, false, true]) expect(gathering.leave(other)).toBe(isLast);
    expect([KIND.shares, OTHER.shares]).toEqual([[5], [5]]);
    expect(gathering.joinLate(KIND, 'rows')).toBeUndefined();
  });

  test('tells nobody of a connection that had to be given up', () => {
    gathering.join(KIND);
    connection.usable = false;
    gathering.leave(connection);
    expect(gathering.leave(connection)).toBe(true);
    expect(KIND.shares).toEqual([]);
  });

  test('has those stopped that hold up another kind', async () => {
    const other = new Held();
    gathering.begin(other, KIND, { party: 'rows' });
    gathering.join(KIND, 'rows');
    expect(other.yields).toBe(false);
    gathering.join(OTHER, 'rows');
    expect([other.yields, other.isHeld]).toEqual([true, true]);
    await immediately();
    expect([other.isHeld, other.sent]).toEqual([false, 1]);
    gathering.joinLate(KIND, 'rows');
    expect(other.yields).toBe(true);
  });

  test('is not joined when its connection is gone', () => {
    connection.usable = false;
    expect(gathering.join(KIND)).toBeUndefined();
  });
});

test('a pool with nothing idle lets a read join what is under way, and opens another for anything else', async () => {
  let opened = 0;
  const open = async () => {
    opened++;
    return new Held();
  };
  const pool = new Pool({ maxOpen: 9, maxIdle: 9, idleMs: 1000, waitMs: 200, bulkyMost: 8, bulkyWaitMs: 200 }, open);
  const first = await pool.acquire();
  pool.release(first);
  expect(pool.acquire(undefined, { briefOf: KIND })).toBe(first);
  await immediately();
  expect(pool.acquire(undefined, { briefOf: KIND })).toBe(first);
  expect(opened).toBe(1);
  const other = await pool.acquire();
  expect(other).not.toBe(first);
  pool.release(other);
  await immediately();
  expect(pool.acquire(undefined, { briefOf: KIND })).toBe(other);
  pool.close();
});

test('with two connections under way a pool lets reads join them rather than take what is idle', async () => {
  const pool = new Pool({ maxOpen: 9, maxIdle: 9, idleMs: 1000, waitMs: 200, bulkyMost: 8, bulkyWaitMs: 200 }, async () => new Held());
  const all = await Promise.all([pool.acquire(), pool.acquire(), pool.acquire()]);
  for (const connection of all) pool.release(connection);
  const first = pool.acquire(undefined, { briefOf: KIND });
  await immediately();
  expect(pool.counts.idle).toBe(2);
  // One is not enough: the server may do two at a time.
  const second = pool.acquire(undefined, { briefOf: KIND });
  expect(second).not.toBe(first);
  await immediately();
  expect(pool.acquire(undefined, { briefOf: KIND })).toBe(second);
  expect(pool.counts.idle).toBe(1);
  // Another kind takes its own.
  expect([first, second]).not.toContain(pool.acquire(undefined, { briefOf: OTHER }));
  pool.close();
});

test('a pool gives a shared connection back when the last has released it', async () => {
  const pool = new Pool({ maxOpen: 2, maxIdle: 2, idleMs: 1000, waitMs: 200, bulkyMost: 8, bulkyWaitMs: 200 }, async () => new Held());
  const first = await pool.acquire();
  pool.release(first);
  const need = { briefOf: KIND };
  expect(pool.acquire(undefined, need)).toBe(first);
  expect(pool.acquire(undefined, need)).toBe(first);
  expect(pool.counts).toEqual({ open: 1, idle: 0, waiting: 0 });
  const second = await pool.acquire(undefined, { briefOf: OTHER });
  expect(second).not.toBe(first);
  await immediately();
  pool.release(first);
  expect(pool.counts).toEqual({ open: 2, idle: 0, waiting: 0 });
  pool.release(first);
  expect(pool.counts).toEqual({ open: 2, idle: 1, waiting: 0 });
  pool.release(second);
  pool.close();
});

describe('statements that become one', () => {
  const limits = { maxOpen: 9, maxIdle: 9, idleMs: 1000, waitMs: 200, bulkyMost: 8, bulkyWaitMs: 200 };
  let pool: Pool;
  const acquire = async (): Promise<Held> => (await pool.acquire(undefined, { briefOf: KIND })) as Held;
  beforeEach(() => {
    KIND.inOne = TWO;
    pool = new Pool(limits, async () => new Held());
  });
  afterEach(() => pool.close());

  test('wait for a connection together', async () => {
    const all = await Promise.all([acquire(), acquire(), acquire()]);
    expect(new Set(all).size).toBe(1);
    const connection = all[0] as Held;
    expect(connection.isHeld).toBe(true);
    await immediately();
    expect(connection.sent).toBe(1);
    for (const one of all) pool.release(one);
    expect(KIND.shares).toEqual([3]);
    expect(pool.counts).toEqual({ open: 1, idle: 1, waiting: 0 });
  });

  test('begin no third while two are under way, and are sixteen at most', async () => {
    const first = await acquire();
    await immediately();
    const second = await acquire();
    expect(second).not.toBe(first);
    await immediately();
    const waiting = Array.from({ length: 20 }, () => acquire());
    await immediately();
    expect(pool.counts.open).toBe(2);
    pool.release(first);
    const next = await Promise.all(waiting.slice(0, 16));
    expect(new Set(next)).toEqual(new Set([first]));
    pool.release(second);
    expect(new Set(await Promise.all(waiting.slice(16)))).toEqual(new Set([second]));
  });

  test('begin no second where one is enough, also while the first waits for its connection', async () => {
    KIND.inOne = { enough: 1, waitMs: 1000 };
    const all = Array.from({ length: 20 }, () => acquire());
    const first = await Promise.all(all.slice(0, 16));
    await immediately();
    expect([new Set(first).size, pool.counts.open]).toEqual([1, 1]);
    for (const one of first) pool.release(one);
    expect(new Set(await Promise.all(all.slice(16)))).toEqual(new Set(first));
  });

  test('let the next begin when the first of them have found no connection', async () => {
    KIND.inOne = { enough: 1, waitMs: 1000 };
    let opened = 0;
    pool = new Pool(limits, async () => {
      if (++opened === 1) throw new DbFailure('unreachable', 'nobody there');
      return new Held();
    });
    const all = await Promise.allSettled(Array.from({ length: 20 }, () => acquire()));
    expect(all.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 16 }, () => 'rejected'),
      ...Array.from({ length: 4 }, () => 'fulfilled'),
    ]);
  });

  test('begin no second where one is enough, unless that takes long', async () => {
    KIND.inOne = { enough: 1, waitMs: 1000 };
    const first = await acquire();
    await immediately();
    const waiting = [acquire(), acquire()];
    await immediately();
    expect(pool.counts.open).toBe(1);
    pool.release(first);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([first]));
    await immediately();
    now += 2000;
    expect(await acquire()).not.toBe(first);
  });

  test('are sent, each on their own, where two connections come in the same moment', async () => {
    const first = await acquire();
    await immediately();
    const second = await acquire();
    await immediately();
    const waiting = Array.from({ length: 20 }, () => acquire());
    pool.release(first);
    pool.release(second);
    await Promise.all(waiting);
    expect([first.isHeld, second.isHeld]).toEqual([true, true]);
    await immediately();
    expect([first.isHeld, second.isHeld]).toEqual([false, false]);
  });

  test('fail together when there is no connection, and the next try again', async () => {
    let fails = true;
    pool = new Pool(limits, async () => {
      if (fails) throw new DbFailure('unreachable', 'nobody there');
      return new Held();
    });
    const all = await Promise.allSettled([acquire(), acquire()]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await acquire()).toBeInstanceOf(Held);
  });
});

test('a pool opens no other connection for who can have one in a moment', async () => {
  let opened = 0;
  const pool = new Pool({ maxOpen: 9, maxIdle: 9, idleMs: 1000, waitMs: 200, bulkyMost: 8, bulkyWaitMs: 200 }, async () => {
    opened++;
    return new Held();
  });
  const first = await pool.acquire();
  const next = pool.acquire();
  await immediately();
  pool.release(first);
  expect(await next).toBe(first);
  expect(opened).toBe(1);
  // The next one has waited long enough.
  expect(await pool.acquire()).not.toBe(first);
  expect(opened).toBe(2);
  pool.close();
});

test('what is under way on other databases of the server counts, where there is one to be behind', async () => {
  const limits = { maxOpen: 9, maxIdle: 9, idleMs: 1000, waitMs: 200, bulkyMost: 8, bulkyWaitMs: 200 };
  const load = new ServerLoad();
  const [own, other, elsewhere] = [load, load, undefined].map((shared) => new Pool(limits, async () => new Held(), shared)) as [
    Pool,
    Pool,
    Pool,
  ];
  for (const pool of [own, other, elsewhere]) {
    const both = await Promise.all([pool.acquire(), pool.acquire()]);
    for (const connection of both) pool.release(connection);
  }
  const take = (pool: Pool) => pool.acquire(undefined, { briefOf: KIND }) as Held;
  const first = take(own);
  take(other);
  const apart = take(elsewhere);
  await immediately();
  expect(take(own)).toBe(first);
  expect(take(elsewhere)).not.toBe(apart);
  expect(load.shares).toBe(2);
  own.release(first);
  own.release(first);
  expect(load.shares).toBe(1);
  for (const pool of [own, other, elsewhere]) pool.close();
});
