// When pictures of the catalogue are renewed: before they are too old to be used, not all at the same age, and while they are in use.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Renewable, Renewals, renewAge, renewLater } from '../../src/engines/schema/refresh-scheduler.ts';

test('tables that were first asked for at the same moment are renewed at different ones', () => {
  const ages = Array.from({ length: 1000 }, () => renewAge()).sort((a, b) => a - b);
  expect(ages[0]).toBeGreaterThanOrEqual(3000);
  expect(ages.at(-1)).toBeLessThanOrEqual(4000);
  // Of a thousand, no tenth of the time has more than twice its share.
  for (let from = 3000; from < 4000; from += 100) expect(ages.filter((age) => age >= from && age < from + 100).length).toBeLessThan(200);
});

test('a request that finds a picture old goes first, and does not hear of a read that fails', async () => {
  const read = vi.fn(() => Promise.reject(new Error('no')));
  renewLater(read);
  expect(read).not.toHaveBeenCalled();
  await vi.waitFor(() => expect(read).toHaveBeenCalledOnce());
});

describe('pictures that are watched', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setImmediate', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  const aPicture = (): { -readonly [K in keyof Renewable]: Renewable[K] } => ({
    seen: performance.now(),
    renewAge: 3500,
    used: performance.now(),
  });
  const free = () => true;

  test('are renewed when they are due, although nobody asks, and once', async () => {
    const renewals = new Renewals();
    const read = vi.fn(async () => undefined);
    renewals.watch(aPicture(), { isFree: free, read });
    await vi.advanceTimersByTimeAsync(3400);
    expect(read).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(400);
    expect(read).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(read).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('wait while the database is busy', async () => {
    const renewals = new Renewals();
    const read = vi.fn(async () => undefined);
    let isFree = false;
    renewals.watch(aPicture(), { isFree: () => isFree, read });
    await vi.advanceTimersByTimeAsync(6000);
    expect(read).not.toHaveBeenCalled();
    isFree = true;
    await vi.advanceTimersByTimeAsync(210);
    expect(read).toHaveBeenCalledOnce();
  });

  test('are left alone when nobody has used them for half a minute', async () => {
    const renewals = new Renewals();
    const picture = aPicture();
    let reads = 0;
    const reader = {
      isFree: free,
      read: async () => {
        reads++;
        picture.seen = performance.now();
        renewals.watch(picture, reader);
      },
    };
    renewals.watch(picture, reader);
    await vi.advanceTimersByTimeAsync(20_000);
    picture.used = performance.now();
    await vi.advanceTimersByTimeAsync(29_000);
    const before = reads;
    expect(before).toBeGreaterThanOrEqual(12);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(reads - before).toBeLessThanOrEqual(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('are renewed in time although one that was watched before them has been renewed by a request', async () => {
    const renewals = new Renewals();
    const first = aPicture();
    const reads: string[] = [];
    const reader = (name: string) => ({ isFree: free, read: async () => void reads.push(name) });
    renewals.watch(first, reader('first'));
    renewals.watch(aPicture(), reader('second'));
    await vi.advanceTimersByTimeAsync(3000);
    first.seen = performance.now();
    renewals.watch(first, reader('first'));
    await vi.advanceTimersByTimeAsync(600);
    expect(reads).toEqual(['second']);
  });

  test('are few at a time, however many there are', async () => {
    const renewals = new Renewals();
    let reads = 0;
    for (let i = 0; i < 1000; i++) renewals.watch(aPicture(), { isFree: free, read: async () => void reads++ });
    await vi.advanceTimersByTimeAsync(3530);
    expect(reads).toBe(7);
    await vi.advanceTimersByTimeAsync(20);
    expect(reads).toBe(14);
    // A thousand in less than three seconds.
    await vi.advanceTimersByTimeAsync(3000);
    expect(reads).toBe(1000);
  });
});
