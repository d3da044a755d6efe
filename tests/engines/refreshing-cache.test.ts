// Freshness of cached catalog data, what requests wait for, and the memory bound of the cache.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CacheOptions, RefreshingCache } from '../../src/engines/schema/refreshing-cache.ts';
import type { Entry } from '../../src/model/entry.ts';

interface Id {
  readonly entry: Entry;
  readonly name: string;
}
type Value = number | undefined;

const idOf = (name: string, entry = 'entry'): Id => ({ entry: { id: entry } as Entry, name });
const THINGS = idOf('things');

/** A cache whose values are the numbers of their reads. */
function cacheOf(options: Partial<CacheOptions<Id, Value>> = {}) {
  let reads = 0;
  const read = vi.fn(async (_: Id): Promise<Value> => ++reads);
  const cache = new RefreshingCache<Id, Value>({ keyOf: ({ name }) => name, read, maxSize: 10_000, ...options });
  return { cache, read };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setImmediate', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('RefreshingCache', () => {
  it('returns a value at once for five seconds, and reads it again when it is older', async () => {
    const { cache } = cacheOf();
    expect(await cache.find(THINGS)).toBe(1);
    await pass(2900);
    expect(cache.find(THINGS)).toBe(1);
    await pass(2200);
    const later = cache.find(THINGS);
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toBe(2);
  });

  it('reads a value once for many callers', async () => {
    const { cache, read } = cacheOf();
    expect(await Promise.all([cache.find(THINGS), cache.find(THINGS), cache.read(THINGS)])).toEqual([1, 1, 1]);
    expect(read).toHaveBeenCalledOnce();
  });

  it('returns a value that is about to expire at once, and reads it behind the request', async () => {
    const { cache, read } = cacheOf();
    await cache.find(THINGS);
    await pass(4100);
    expect(cache.find(THINGS)).toBe(1);
    expect(read).toHaveBeenCalledOnce();
    await pass(1);
    expect(cache.find(THINGS)).toBe(2);
  });

  it('hides a failed background read from requests until the value expires', async () => {
    const { cache, read } = cacheOf();
    await cache.find(THINGS);
    read.mockRejectedValue(new Error('gone'));
    await pass(4100);
    expect(cache.find(THINGS)).toBe(1);
    await pass(1);
    expect(cache.find(THINGS)).toBe(1);
    await pass(1000);
    await expect(cache.find(THINGS)).rejects.toThrow('gone');
  });

  it('forgets a value that no longer exists, and reads it again on the next request', async () => {
    const { cache, read } = cacheOf();
    await cache.find(THINGS);
    read.mockResolvedValueOnce(undefined);
    expect(await cache.refresh(THINGS)).toBeUndefined();
    expect(cache.age(THINGS)).toBe(Number.POSITIVE_INFINITY);
    expect(await cache.find(THINGS)).toBe(2);
  });

  it('refreshes with a read that begins after one under way has ended', async () => {
    const { cache } = cacheOf();
    const first = cache.read(THINGS);
    expect(await Promise.all([cache.refresh(THINGS), first])).toEqual([2, 1]);
  });

  it('reads again when the caller needs a value that was read after a given time', async () => {
    const { cache } = cacheOf();
    await cache.find(THINGS);
    await pass(10);
    expect(await cache.find(THINGS, performance.now())).toBe(2);
    expect(cache.find(THINGS, performance.now())).toBe(2);
  });

  it('keeps at most the given number of values, and at most some of one entry', async () => {
    const { cache } = cacheOf({ maxSize: 8, maxSizePerEntry: 4 });
    const cached = (entry: string) => Array.from({ length: 10 }, (_, i) => cache.peek(idOf(`t${i}`, entry))).filter(Boolean).length;
    for (let i = 0; i < 10; i++) await cache.find(idOf(`t${i}`, 'a'));
    for (let i = 0; i < 2; i++) await cache.find(idOf(`t${i}`, 'b'));
    expect([cached('a'), cached('b')]).toEqual([4, 2]);
    for (let i = 0; i < 10; i++) await cache.find(idOf(`t${i}`, 'c'));
    expect(cached('a') + cached('b') + cached('c')).toBeLessThanOrEqual(8);
    expect(cached('c')).toBe(4);
  });

  it('measures values by their sizes', async () => {
    const { cache } = cacheOf({ maxSize: 10, sizeOf: () => 6 });
    await cache.find(THINGS);
    await cache.find(idOf('others'));
    expect([cache.peek(THINGS), cache.peek(idOf('others'))]).toEqual([undefined, 2]);
  });

  it('forgets all values of an entry', async () => {
    const { cache } = cacheOf();
    await cache.find(THINGS);
    await cache.find(idOf('things', 'other'));
    cache.forgetEntry('entry');
    expect([cache.peek(THINGS), cache.peek(idOf('things', 'other'))]).toEqual([undefined, 2]);
  });
});

describe('RefreshingCache with background refresh', () => {
  const inBackground = (isIdle = () => true) => cacheOf({ background: { copyId: (id) => id, isCheap: () => true, isIdle } });

  it('keeps a value fresh between requests', async () => {
    const { cache, read } = inBackground();
    await cache.find(THINGS);
    await pass(2900);
    expect(read).toHaveBeenCalledOnce();
    await pass(20_000);
    expect(read.mock.calls.length).toBeLessThanOrEqual(1 + 20_000 / 3000);
    expect(cache.age(THINGS)).toBeLessThan(4100);
  });

  it('waits while the database is busy', async () => {
    let isIdle = false;
    const { cache, read } = inBackground(() => isIdle);
    await cache.find(THINGS);
    await pass(6000);
    expect(read).toHaveBeenCalledOnce();
    isIdle = true;
    await pass(30);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('stops half a minute after the last use, with its timer', async () => {
    const { cache, read } = inBackground();
    await cache.find(THINGS);
    await pass(20_000);
    cache.find(THINGS);
    await pass(29_000);
    const before = read.mock.calls.length;
    expect(before).toBeGreaterThanOrEqual(12);
    await pass(60_000);
    expect(read.mock.calls.length - before).toBeLessThanOrEqual(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('stops when the value was forgotten', async () => {
    const { cache, read } = inBackground();
    await cache.find(THINGS);
    cache.forgetEntry('entry');
    await pass(10_000);
    expect(read).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps a value fresh although one that was read before it has been refreshed by a request', async () => {
    const { cache } = inBackground();
    await cache.find(THINGS);
    await cache.find(idOf('others'));
    await pass(2900);
    await cache.refresh(THINGS);
    await pass(1300);
    expect(cache.age(idOf('others'))).toBeLessThan(1300);
  });

  it('spreads the reads of a thousand values, and keeps all of them fresh', async () => {
    const { cache, read } = inBackground();
    const ids = Array.from({ length: 1000 }, (_, i) => idOf(`t${i}`));
    for (const id of ids) await cache.find(id);
    read.mockClear();
    for (let ms = 0; ms < 4000; ms += 20) {
      const before = read.mock.calls.length;
      await pass(20);
      expect(read.mock.calls.length - before).toBeLessThanOrEqual(7);
    }
    // The last of them may wait, but only for as long as 1,000 values take at seven per tick.
    await pass(2000);
    expect(new Set(read.mock.calls.map(([id]) => id.name)).size).toBe(1000);
  });
});
