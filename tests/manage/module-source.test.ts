import { describe, expect, it } from 'vitest';
import { moduleSourceSlices } from '../../src/manage/module-source.ts';
import { cpuMs } from '../support/cpu.ts';

/** A scalar is read in one piece: the code of this test takes about 50 ms. */
const MAX_SLICE_MS = 150;

/** Longest slice of reading a text, in ms of CPU time; the best of several tries. */
function longestSlice(text: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i++) {
    const slices = moduleSourceSlices(text);
    let longest = 0;
    let done = false as boolean | undefined;
    while (done !== true) {
      longest = Math.max(
        longest,
        cpuMs(() => {
          try {
            done = slices.next().done;
          } catch {
            done = true;
          }
        }),
      );
    }
    best = Math.min(best, longest);
  }
  return best;
}

describe('moduleSourceSlices', () => {
  it.each([
    ['a flood of brackets', '['.repeat(200_000)],
    ['a megabyte of fields', Array.from({ length: 150_000 }, (_, i) => `a${i}: 1`).join('\n')],
    ['as many fields as it may have', Array.from({ length: 4_000 }, (_, i) => `a${i}: 1`).join('\n')],
    ['a flood of documents', '---\na: 1\n'.repeat(3_000)],
    ['long code', `module: m\ncode: |\n${'  x = 1\n'.repeat(100_000)}`],
  ])('yields to other requests while it reads %s', (_, text) => {
    expect(longestSlice(text)).toBeLessThan(MAX_SLICE_MS);
  });
});
