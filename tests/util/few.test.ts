/** A set of a few things: as the runtime's own. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Few } from '../../src/util/few.ts';

it('holds what came and has not left', () => {
  const change = fc.record({ adds: fc.boolean(), item: fc.nat(5) });
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const few = new Few<number>();
      const model = new Set<number>();
      for (const { adds, item } of changes) {
        if (!adds) few.delete(item);
        else if (!model.has(item)) few.add(item);
        if (adds) model.add(item);
        else model.delete(item);
      }
      expect([few.size, [...few]]).toEqual([model.size, [...model]]);
    }),
  );
});
