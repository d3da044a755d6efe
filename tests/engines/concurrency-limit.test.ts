// How many statements of a database run at a time is found against servers that the test plays, on a clock of its own: what they do in a millisecond
// depends on how many they have at once.
import { describe, expect, test } from 'vitest';
import { ConcurrencyLimit, LEAST_AT_ONCE } from '../../src/engines/pool/concurrency-limit.ts';
import { Random } from '../torture/random.ts';

const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 32));

const MOST = 50;
/** Statements in a millisecond, of so many at once. */
type Server = (atOnce: number) => number;

const BUSY: Server = () => 0.5;
const FAR: Server = (atOnce) => atOnce / 10;
const LARGE: Server = (atOnce) => Math.min(atOnce, 24) / 5;

/** So many callers keep the server busy for so many seconds; gives the share of the time at each limit, in percent. */
function runFor(limit: ConcurrencyLimit, seconds: number, server: Server, { from = 1, callers = 2 * MOST, gap = (): number => 1 } = {}) {
  const spent = new Map<number, number>();
  let now = from;
  while (now < from + seconds * 1000) {
    const { now: atOnce } = limit;
    const running = Math.min(atOnce, callers);
    const ms = gap() / server(running);
    now += ms;
    spent.set(atOnce, (spent.get(atOnce) ?? 0) + ms / (seconds * 10));
    limit.done(callers > atOnce, running, now);
  }
  return { now, at: (atOnce: number) => spent.get(atOnce) ?? 0, most: Math.max(...spent.keys()) };
}

describe('how many statements run at a time', () => {
  test('as few as it began with, where more of them get no more done', () => {
    const limit = new ConcurrencyLimit(MOST);
    expect(limit.now).toBe(LEAST_AT_ONCE);
    const { at, most } = runFor(limit, 300, BUSY);
    expect(at(LEAST_AT_ONCE)).toBeGreaterThan(98);
    expect(most).toBe(2 * LEAST_AT_ONCE);
  });

  test(`the same where it is chance how many are done in a moment (seed ${SEED})`, () => {
    const random = new Random(SEED);
    const limit = new ConcurrencyLimit(MOST);
    const { at } = runFor(limit, 300, BUSY, { gap: () => -Math.log(1 - random.next()) });
    expect(at(LEAST_AT_ONCE)).toBeGreaterThan(70);
  });

  test('as many as there may be, where the server is far away', () => {
    const limit = new ConcurrencyLimit(MOST);
    const { now } = runFor(limit, 2, FAR);
    expect(limit.now).toBe(MOST);
    expect(runFor(limit, 300, FAR, { from: now }).at(MOST)).toBeGreaterThan(98);
  });

  test('as many as a large server has processors for, about', () => {
    const limit = new ConcurrencyLimit(MOST);
    const { now } = runFor(limit, 10, LARGE);
    expect(runFor(limit, 300, LARGE, { from: now }).at(32)).toBeGreaterThan(95);
  });

  test('fewer again, when the server has become busy', () => {
    const limit = new ConcurrencyLimit(MOST);
    const { now } = runFor(limit, 10, FAR);
    const busy = runFor(limit, 40, BUSY, { from: now });
    expect(runFor(limit, 60, BUSY, { from: busy.now }).at(LEAST_AT_ONCE)).toBeGreaterThan(95);
  });

  test('no more are tried while nobody waits', () => {
    const limit = new ConcurrencyLimit(MOST);
    expect(runFor(limit, 60, FAR, { callers: LEAST_AT_ONCE }).most).toBe(LEAST_AT_ONCE);
  });

  test('fewer are, where there is room for more than do well', () => {
    const limit = new ConcurrencyLimit(MOST);
    const { now } = runFor(limit, 10, FAR);
    const busy = runFor(limit, 40, BUSY, { from: now, callers: MOST - 10 });
    expect(runFor(limit, 60, BUSY, { from: busy.now, callers: MOST - 10 }).at(LEAST_AT_ONCE)).toBeGreaterThan(95);
  });

  test('as many as there are callers keep what they have, where fewer would do less', () => {
    const limit = new ConcurrencyLimit(MOST);
    const { now } = runFor(limit, 10, FAR);
    expect(runFor(limit, 300, FAR, { from: now, callers: MOST - 10 }).at(MOST)).toBeGreaterThan(98);
  });

  test('a trial that was broken off by a rest decides nothing', () => {
    const limit = new ConcurrencyLimit(MOST);
    let now = 1;
    for (; limit.now === LEAST_AT_ONCE; now++) limit.done(true, LEAST_AT_ONCE, now);
    limit.done(true, LEAST_AT_ONCE, now + 60_000);
    expect(limit.now).toBe(LEAST_AT_ONCE);
  });

  test('twice as many when nothing gets done, up to the most, and fewer when it does again', () => {
    const limit = new ConcurrencyLimit(MOST);
    limit.stillWanted(100);
    expect(limit.now).toBe(2 * LEAST_AT_ONCE);
    limit.stillWanted(150);
    expect(limit.now).toBe(2 * LEAST_AT_ONCE);
    for (let i = 2; i < 9; i++) limit.stillWanted(100 * i);
    expect(limit.now).toBe(MOST);
    const { now } = runFor(limit, 40, BUSY, { from: 900 });
    expect(runFor(limit, 60, BUSY, { from: now }).at(LEAST_AT_ONCE)).toBeGreaterThan(95);
  });

  test('never more than there may be', () => {
    const limit = new ConcurrencyLimit(3);
    limit.stillWanted(100);
    expect(runFor(limit, 10, FAR, { from: 100 }).most).toBe(3);
  });
});
