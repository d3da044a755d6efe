/**
 * The bounded map against a simple model: a list in the order of use. Reading counts as a use when
 * the map is more than half full.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BoundedMap } from '../../src/util/bounded-map.ts';

class Model {
  entries: { key: number; value: number }[] = [];
  readonly evicted: number[] = [];

  readonly most: number;
  readonly sizeOf: (value: number) => number;

  constructor(most: number, sizeOf: (value: number) => number) {
    this.most = most;
    this.sizeOf = sizeOf;
  }

  get total(): number {
    return this.entries.reduce((sum, { value }) => sum + this.sizeOf(value), 0);
  }

  get(key: number): number | undefined {
    const found = this.entries.find((entry) => entry.key === key);
    if (found !== undefined && this.total > this.most / 2) this.entries = [...this.entries.filter((entry) => entry !== found), found];
    return found?.value;
  }

  set(key: number, value: number): void {
    this.entries = this.entries.filter((entry) => entry.key !== key);
    if (this.sizeOf(value) > this.most) return;
    this.entries.push({ key, value });
    while (this.total > this.most) this.evicted.push(this.entries.shift()?.value ?? -1);
  }

  delete(key: number): void {
    this.entries = this.entries.filter((entry) => entry.key !== key);
  }
}

const key = fc.nat({ max: 12 });
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('set' as const), key, value: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('get' as const), key }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
);

describe('a bounded map', () => {
  it.each([
    ['entries', (): number => 1],
    ['sizes', (value: number): number => value],
  ])('keeps what was used last, bounded by %s', (_, sizeOf) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(action, { maxLength: 120 }), (most, actions) => {
        const model = new Model(most, sizeOf);
        const evicted: number[] = [];
        const map = new BoundedMap<number, number>(most, { sizeOf, evicted: (value) => evicted.push(value) });
        for (const step of actions) {
          if (step.kind === 'set') {
            map.set(step.key, step.value);
            model.set(step.key, step.value);
          } else if (step.kind === 'get') expect(map.get(step.key)).toBe(model.get(step.key));
          else if (step.kind === 'delete') {
            map.delete(step.key);
            model.delete(step.key);
          } else {
            map.clear();
            model.entries = [];
          }
          expect([map.size, map.total]).toEqual([model.entries.length, model.total]);
        }
        expect(evicted).toEqual(model.evicted);
        expect(Array.from({ length: 13 }, (_value, i) => map.has(i))).toEqual(
          Array.from({ length: 13 }, (_value, i) => model.entries.some((entry) => entry.key === i)),
        );
      }),
    );
  });

  it('asks without using by has', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    expect(map.has('a')).toBe(true);
    map.set('c', 3);
    expect([map.has('a'), map.has('b'), map.has('c')]).toEqual([false, true, true]);
  });
});
