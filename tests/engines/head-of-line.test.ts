// Which statement holds up those behind it.
import { expect, test } from 'vitest';
import { HeadOfLine } from '../../src/engines/driver-kit/head-of-line.ts';

test('one that is first at two looks is stuck, and it is said once in two looks', () => {
  const head = new HeadOfLine();
  const [one, other] = [{}, {}];
  expect([head.isStuck(one), head.isStuck(other), head.isStuck(one), head.isStuck(one)]).toEqual([false, false, false, true]);
  expect([head.isStuck(one), head.isStuck(one)]).toEqual([false, true]);
});

test('looks are some time apart, but never behind the deadline; nobody looks where nobody is stopped', () => {
  const late = performance.now() + 10_000;
  expect(new HeadOfLine().nextLook(late)).toBeLessThan(late - 5000);
  expect(new HeadOfLine().nextLook(5)).toBe(5);
  expect(HeadOfLine.NONE.nextLook(late)).toBe(late);
});
