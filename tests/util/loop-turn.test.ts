// When the event loop last came round, for those who ask.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { hasTurnedWithin } from '../../src/util/concurrency/loop-turn.ts';

test('knows of turns since somebody asked, and for how long ago they were', async () => {
  expect(hasTurnedWithin(1000)).toBe(false);
  await turn();
  expect(hasTurnedWithin(1000)).toBe(true);
  expect(hasTurnedWithin(0)).toBe(false);
  const before = performance.now();
  while (performance.now() - before < 10);
  expect(hasTurnedWithin(10)).toBe(false);
  await turn();
  expect(hasTurnedWithin(1000)).toBe(true);
});
