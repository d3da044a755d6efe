// Turns: so many at a time, first come, first served, and nobody waits for what takes long.
import { setImmediate as immediately } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TurnQueue } from '../../src/engines/pool/turn-queue.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('so many are taken at a time, and the next in the order of their coming', async () => {
  const turns = new TurnQueue({ enough: 2, waitMs: 100 });
  const [first, second] = [await turns.take(), await turns.take()];
  const order: string[] = [];
  const waiting = ['third', 'fourth', 'fifth'].map((name) => turns.take().then((turn) => [order.push(name), turn] as const));
  await immediately();
  expect(order).toEqual([]);
  turns.end(second);
  await waiting[0];
  await immediately();
  expect(order).toEqual(['third']);
  turns.end(first);
  await waiting[1];
  await immediately();
  expect(order).toEqual(['third', 'fourth']);
});

test('one that is given away is taken at once: whoever comes in that moment waits', async () => {
  const turns = new TurnQueue({ enough: 1, waitMs: 100 });
  const first = await turns.take();
  const second = turns.take();
  turns.end(first);
  let isThird = false;
  const third = turns.take().then(() => {
    isThird = true;
  });
  const taken = await second;
  await immediately();
  expect(isThird).toBe(false);
  turns.end(taken);
  await third;
});

test('nobody waits for longer, nor for one that takes longer', async () => {
  const turns = new TurnQueue({ enough: 1, waitMs: 100 });
  await turns.take();
  await vi.advanceTimersByTimeAsync(60);
  const late = turns.take();
  await vi.advanceTimersByTimeAsync(101);
  const taken = await late;
  await vi.advanceTimersByTimeAsync(101);
  await turns.take();
  turns.end(taken);
});

test('a line that is too long is refused', async () => {
  const turns = new TurnQueue({ enough: 1, waitMs: 100 });
  await turns.take();
  const waiting = Promise.all(Array.from({ length: 1000 }, () => turns.take()));
  await expect(turns.take()).rejects.toMatchObject({ kind: 'busy' });
  await vi.advanceTimersByTimeAsync(101);
  await waiting;
});
