/**
 * Slices of the event loop, paced flows, and memory leases: mechanisms that keep one project from
 * taking everything.
 */
import { describe, expect, it } from 'vitest';
import { MemoryBudget, MemoryBusy } from '../../src/util/bytes/memory-lease.ts';
import { nextSlice } from '../../src/util/concurrency/loop-scheduler.ts';
import { PacedFlow } from '../../src/util/concurrency/paced-flow.ts';

describe('turns', () => {
  it('are given to the owners one after the other', async () => {
    const order: string[] = [];
    const wanted = ['a', 'a', 'a', 'b', 'b', 'c'].map((owner) => nextSlice(owner).then(() => order.push(owner)));
    await Promise.all(wanted);
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
  });

  it('come one at a time, with a look at everything else between', async () => {
    let looks = 0;
    const seen: number[] = [];
    const look = (): void => {
      looks++;
      if (seen.length < 4) setImmediate(look);
    };
    setImmediate(look);
    await Promise.all([1, 2, 3, 4].map(() => nextSlice('a').then(() => seen.push(looks))));
    expect(new Set(seen).size).toBe(4);
  });
});

class Source {
  flows = true;
  pause(): void {
    this.flows = false;
  }
  resume(): void {
    this.flows = true;
  }
}

describe('a paced flow', () => {
  const MUCH = 1024 * 1024;

  it('lets a page pass, stops after more, and goes on when it is its turn', async () => {
    const source = new Source();
    const flow = new PacedFlow(source, 'a');
    flow.spend(400 * 1024);
    expect(source.flows).toBe(true);
    flow.spend(MUCH);
    expect(source.flows).toBe(false);
    await nextSlice('a');
    expect(source.flows).toBe(true);
    flow.spend(MUCH);
    expect(source.flows).toBe(false);
  });

  it('waits for its turn and for its reader', async () => {
    const source = new Source();
    const flow = new PacedFlow(source, 'a');
    flow.spend(MUCH);
    flow.pause();
    await nextSlice('a');
    expect(source.flows).toBe(false);
    flow.resume();
    expect(source.flows).toBe(true);
    flow.spend(MUCH);
    flow.pause();
    flow.resume();
    expect(source.flows).toBe(false);
    await nextSlice('a');
    expect(source.flows).toBe(true);
  });
});

describe('leases of memory', () => {
  it('leave half for the others, and come back', () => {
    const budget = new MemoryBudget(100);
    const [first, second, third] = [budget.lease('a'), budget.lease('a'), budget.lease('b')];
    first.grow(30);
    second.grow(20);
    expect(() => second.grow(1)).toThrow(MemoryBusy);
    third.grow(50);
    expect(() => budget.lease('c').grow(1)).toThrow(MemoryBusy);
    expect(budget.held).toBe(100);
    for (const lease of [first, second, third]) lease.release();
    expect(budget.held).toBe(0);
  });

  it('count nothing any more once released', () => {
    const budget = new MemoryBudget(100);
    const lease = budget.lease('a');
    lease.release();
    lease.grow(10);
    expect(budget.held).toBe(0);
  });
});
