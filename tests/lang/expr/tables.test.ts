/**
 * Expressions with their outcomes, one per line: `expression => value or error`. ⏎ is a line break.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { outcome } from './support.ts';

const folder = new URL('./tables/', import.meta.url);

for (const file of readdirSync(folder).filter((name) => name.endsWith('.txt'))) {
  const lines = readFileSync(new URL(file, folder), 'utf8').trimEnd().split('\n');
  describe(`table ${file}`, () => {
    test.each(lines)('%s', (line) => {
      const at = line.lastIndexOf('  =>  ');
      expect(outcome(line.slice(0, at).replaceAll('⏎', '\n'))).toBe(line.slice(at + 6));
    });
  });
}
