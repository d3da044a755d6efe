// Coalesced requests: which one runs first, which ones wait, and that shared work starts after the
// last arrival.
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Coalescer } from '../../src/util/concurrency/coalescer.ts';
import { GoneError } from '../../src/util/concurrency/single-flight.ts';

const PATIENCE = 50;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Work that ends on request and reports the state at its start. */
class Desk {
  now = 0;
  readonly begun: { readonly at: number; readonly end: (failure?: Error) => void; stopped: boolean }[] = [];

  readonly work = (signal: { addEventListener(type: 'abort', listener: () => void): void }): Promise<number> =>
    new Promise((resolve, reject) => {
      const at = this.now;
      const entry = { at, stopped: false, end: (failure?: Error) => (failure === undefined ? resolve(at) : reject(failure)) };
      signal.addEventListener('abort', () => {
        entry.stopped = true;
      });
      this.begun.push(entry);
    });
}

const stays = new AbortController().signal;
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

test('one goes ahead; those who come meanwhile are served together, by work that begins afterwards', async () => {
  const coalescer = new Coalescer<number>(PATIENCE);
  const desk = new Desk();
  expect(coalescer.isFree('k')).toBe(true);
  const first = coalescer.lead('k', () => desk.work(stays));
  expect([coalescer.isFree('k'), coalescer.isFree('other')]).toEqual([false, true]);
  desk.now = 1;
  const second = coalescer.follow('k', stays, desk.work);
  desk.now = 2;
  const third = coalescer.follow('k', stays, desk.work);
  expect(desk.begun.length).toBe(1);
  desk.begun[0]?.end();
  expect(await first).toBe(0);
  await settle();
  expect(desk.begun.length).toBe(2);
  desk.now = 3;
  const late = coalescer.follow('k', stays, desk.work);
  desk.begun[1]?.end();
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  await settle();
  desk.begun[2]?.end();
  expect(await late).toBe(3);
  await settle();
  expect(coalescer.isFree('k')).toBe(true);
});

test('nobody waits longer than is patient', async () => {
  const coalescer = new Coalescer<number>(PATIENCE);
  const desk = new Desk();
  const first = coalescer.lead('k', () => desk.work(stays));
  const second = coalescer.follow('k', stays, desk.work);
  await vi.advanceTimersByTimeAsync(PATIENCE - 1);
  expect(desk.begun.length).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(desk.begun.length).toBe(2);
  desk.begun[1]?.end();
  expect(await second).toBe(0);
  expect(coalescer.isFree('k')).toBe(false);
  desk.begun[0]?.end();
  await first;
  await settle();
  expect(coalescer.isFree('k')).toBe(true);
});

test('who leaves does not end it for the others; when all have left, it is stopped or never begun', async () => {
  const coalescer = new Coalescer<number>(PATIENCE);
  const desk = new Desk();
  const [one, two, three] = [new AbortController(), new AbortController(), new AbortController()];
  const first = coalescer.lead('k', () => desk.work(stays));
  const both = [coalescer.follow('k', one.signal, desk.work), coalescer.follow('k', two.signal, desk.work)];
  one.abort();
  await expect(both[0]).rejects.toBeInstanceOf(GoneError);
  desk.begun[0]?.end();
  await first;
  await settle();
  const waiting = coalescer.follow('k', three.signal, desk.work);
  three.abort();
  await expect(waiting).rejects.toBeInstanceOf(GoneError);
  expect(desk.begun.map(({ stopped }) => stopped)).toEqual([false, false]);
  two.abort();
  await expect(both[1]).rejects.toBeInstanceOf(GoneError);
  expect(desk.begun[1]?.stopped).toBe(true);
  desk.begun[1]?.end();
  await settle();
  expect([desk.begun.length, coalescer.isFree('k')]).toEqual([2, true]);
});

test('a failure is that of all who shared it, and the next turn comes', async () => {
  const coalescer = new Coalescer<number>(PATIENCE);
  const desk = new Desk();
  const first = coalescer.lead('k', () => desk.work(stays));
  first.catch(() => undefined);
  const both = [coalescer.follow('k', stays, desk.work), coalescer.follow('k', stays, desk.work)];
  desk.begun[0]?.end(new Error('first'));
  await expect(first).rejects.toThrow('first');
  await settle();
  const third = coalescer.follow('k', stays, desk.work);
  const failed = Promise.all(both.map((one) => expect(one).rejects.toThrow('second')));
  desk.begun[1]?.end(new Error('second'));
  await failed;
  await settle();
  desk.begun[2]?.end();
  expect(await third).toBe(0);
});

test('whatever happens, everyone is answered by work that began after they came, and nothing is left behind', async () => {
  const step = fc.record({ kind: fc.constantFrom('ask', 'end', 'leave', 'wait'), which: fc.nat(9) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const coalescer = new Coalescer<number>(PATIENCE);
      const desk = new Desk();
      const asked: { readonly came: number; readonly leaver: AbortController; readonly answer: Promise<number | 'gone'> }[] = [];
      const gone = (): 'gone' => 'gone';
      for (const { kind, which } of steps) {
        desk.now++;
        if (kind === 'ask') {
          const leaver = new AbortController();
          const answer = coalescer.isFree('k')
            ? coalescer.lead('k', () => desk.work(leaver.signal))
            : coalescer.follow('k', leaver.signal, desk.work).catch(gone);
          asked.push({ came: desk.now, leaver, answer });
        } else if (kind === 'end') desk.begun[which]?.end();
        else if (kind === 'leave') asked[which]?.leaver.abort();
        else await vi.advanceTimersByTimeAsync(which * 10);
        await settle();
      }
      for (let i = 0; i < desk.begun.length + 1; i++) {
        for (const { end } of desk.begun) end();
        await vi.advanceTimersByTimeAsync(PATIENCE);
      }
      for (const { came, answer } of asked) {
        const began = await answer;
        if (began !== 'gone') expect(began).toBeGreaterThanOrEqual(came);
      }
      expect([coalescer.isFree('k'), vi.getTimerCount()]).toEqual([true, 0]);
    }),
    { numRuns: 500 },
  );
});
