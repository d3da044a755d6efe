// Response cache in memory and coalesced calls, without a service.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemoryCache } from '../../src/custom/call/memory-cache.ts';
import { GoneError, SingleFlight } from '../../src/util/concurrency/single-flight.ts';

test('the cache never exceeds its size and returns what was stored', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(30), fc.nat(4000), fc.integer({ min: 1, max: 5 }), fc.nat(3000))), (puts) => {
      let now = 0;
      const cache = new MemoryCache(10_000, () => now);
      for (const [key, size, ttl, wait] of puts) {
        cache.set(`k${key}`, Buffer.alloc(size, key), ttl);
        expect(cache.bytes).toBeLessThanOrEqual(10_000);
        const found = cache.get(`k${key}`);
        if (size <= 2000) expect(found?.length).toBe(size);
        now += wait;
        for (let other = 0; other <= 30; other++) expect(cache.get(`k${other}`)?.every((byte) => byte === other) ?? true).toBe(true);
      }
      now += 10_000;
      for (let key = 0; key <= 30; key++) expect(cache.get(`k${key}`)).toBeUndefined();
      expect(cache.bytes).toBe(0);
    }),
  );
});

test('the least recently used entry is evicted first', () => {
  const cache = new MemoryCache(4000);
  for (const key of ['a', 'b', 'c']) cache.set(key, Buffer.alloc(700), 60);
  cache.get('a');
  for (const key of ['d', 'e']) cache.set(key, Buffer.alloc(700), 60);
  expect(['a', 'b', 'c', 'd', 'e'].map((key) => cache.get(key) !== undefined)).toEqual([true, false, true, true, true]);
});

function caller(): AbortController['signal'] & { leave(): void } {
  const controller = new AbortController();
  return Object.assign(controller.signal, { leave: () => controller.abort() });
}

test('concurrent callers share one execution, even if the first disconnects', async () => {
  const inFlight = new SingleFlight<string>();
  let started = 0;
  let stopped = false;
  let land: (value: string) => void = () => {};
  const start = (signal: { addEventListener(type: 'abort', listener: () => void): void }): Promise<string> => {
    started++;
    signal.addEventListener('abort', () => {
      stopped = true;
    });
    return new Promise((resolve) => {
      land = resolve;
    });
  };
  const [first, second] = [caller(), caller()];
  const one = inFlight.join('k', first, start);
  const two = inFlight.join('k', second, start);
  first.leave();
  await expect(one).rejects.toBeInstanceOf(GoneError);
  expect([started, stopped]).toEqual([1, false]);
  land('done');
  expect(await two).toBe('done');
  expect(inFlight.has('k')).toBe(false);
  const third = caller();
  const alone = inFlight.join('k', third, start);
  third.leave();
  await expect(alone).rejects.toBeInstanceOf(GoneError);
  expect([started, stopped, inFlight.has('k')]).toEqual([2, true, false]);
});

test('a failure reaches all waiting callers but is not cached', async () => {
  const inFlight = new SingleFlight<string>();
  const fail = (): Promise<string> => Promise.reject(new Error('no'));
  const both = [inFlight.join('k', caller(), fail), inFlight.join('k', caller(), fail)];
  for (const one of both) await expect(one).rejects.toThrow('no');
  expect(await inFlight.join('k', caller(), async () => 'yes')).toBe('yes');
});
