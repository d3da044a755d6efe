/** Freezes a value and everything reachable from it, such as the exports of a module. */

import { Extension } from './extension.ts';
import { Cell, type FrameSlot, LarkFunction } from './function.ts';
import { LarkDict, LarkSet } from './table.ts';
import type { Thread } from './thread.ts';
import { LarkList, LarkTuple, type LarkValue } from './value.ts';

const FREEZE_STEPS = 4;

/** Iterates over a list instead of recursing, since data may be nested without limit. */
export function freeze(thread: Thread, roots: Iterable<FrameSlot>): void {
  const waiting: FrameSlot[] = [...roots];
  const seen = new Set<object>();
  for (let value = waiting.pop(); value !== undefined || waiting.length > 0; value = waiting.pop()) {
    thread.spend(FREEZE_STEPS);
    if (value === null || typeof value !== 'object' || seen.has(value)) continue;
    seen.add(value);
    if (value instanceof LarkList && !value.frozen) {
      value.frozen = true;
      pushAll(waiting, value.items);
    } else if (value instanceof LarkTuple) {
      pushAll(waiting, value.items);
    } else if (value instanceof LarkDict && !value.frozen) {
      value.frozen = true;
      for (const pair of value.pairs(thread)) waiting.push(pair[0], pair[1]);
    } else if (value instanceof LarkSet) {
      value.frozen = true;
    } else if (value instanceof LarkFunction && !value.frozen) {
      value.frozen = true;
      pushAll(waiting, value.defaults);
      pushAll(waiting, value.cells);
    } else if (value instanceof Cell) {
      waiting.push(value.value);
    } else if (value instanceof Extension) {
      value.freeze();
      pushAll(waiting, value.children());
    }
  }
}

function pushAll(waiting: FrameSlot[], values: Iterable<LarkValue | Cell | undefined>): void {
  for (const value of values) waiting.push(value);
}
