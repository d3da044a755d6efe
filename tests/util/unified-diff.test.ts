// A unified diff applied to the first text gives the second one, with no more changes than the
// longest common part requires.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from '../../src/util/text/unified-diff.ts';

const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const diff = (before: readonly string[], after: readonly string[]): string =>
  unifiedDiff({ name: 'a', text: text(before) }, { name: 'b', text: text(after) });

/** Rejects a diff whose kept or removed lines differ from the text. */
function apply(lines: readonly string[], patch: string): readonly string[] {
  const result: string[] = [];
  let at = 0;
  for (const line of patch.split('\n').slice(2, -1)) {
    const range = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(line);
    if (range !== null) {
      const start = Number(range[1]) - (range[2] === '0' ? 0 : 1);
      result.push(...lines.slice(at, start));
      expect(result.length).toBe(Number(range[3]) - (range[4] === '0' ? 0 : 1));
      at = start;
    } else if (line.startsWith('+')) result.push(line.slice(1));
    else {
      expect(lines[at]).toBe(line.slice(1));
      if (line.startsWith(' ')) result.push(lines[at] as string);
      at++;
    }
  }
  return [...result, ...lines.slice(at)];
}

function longestCommon(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number): number => table[i]?.[j] as number;
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++)
      (table[i] as number[])[j] = a[i - 1] === b[j - 1] ? at(i - 1, j - 1) + 1 : Math.max(at(i - 1, j), at(i, j - 1));
  return at(a.length, b.length);
}

test('any two texts', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', '-x', '+x', '@@'), { maxLength: 25 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const patch = diff(before, after);
      expect(patch === '').toBe(text(before) === text(after));
      expect(apply(before, patch)).toEqual(after);
      const changes = patch
        .split('\n')
        .slice(2)
        .filter((line) => /^[-+]/.test(line)).length;
      expect(changes).toBe(before.length + after.length - 2 * longestCommon(before, after));
    }),
    { numRuns: 500, verbose: true },
  );
});

test('hunks have three lines around them', () => {
  const before = Array.from({ length: 30 }, (_, i) => `line ${i}`);
  const after = before.map((line, i) => (i === 5 || i === 25 ? 'other' : line));
  expect(diff(before, after).match(/^@@.*$/gm)).toEqual(['@@ -3,7 +3,7 @@', '@@ -23,7 +23,7 @@']);
  expect(unifiedDiff({ name: 'a', text: 'x' }, { name: 'b', text: 'x\n' })).toBe('');
  expect(unifiedDiff({ name: 'a', text: '' }, { name: 'b', text: 'x' })).toBe('--- a\n+++ b\n@@ -0,0 +1,1 @@\n+x\n');
});

test('texts with little in common are replaced whole, quickly', () => {
  const before = Array.from({ length: 3_000 }, (_, i) => `a ${i}`);
  const after = Array.from({ length: 3_000 }, (_, i) => (i % 10 === 0 ? `a ${i}` : `b ${i}`));
  expect(apply(before, diff(before, after))).toEqual(after);
});
