// Node options of the service are the same for every way of starting it, and none is set at run
// time.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { linesMatching, sourceFiles } from '../support/sources.ts';

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

test('the image passes the options that the program carries in its first line', () => {
  const [firstLine = ''] = read('src/main.ts').split('\n', 1);
  expect(firstLine).toMatch(/^#!\/usr\/bin\/env -S node --/);
  const flags = firstLine.split(' ').filter((part) => part.startsWith('--'));
  const entry = /^ENTRYPOINT (.*)$/m.exec(read('Dockerfile'))?.[1] ?? '[]';
  expect(JSON.parse(entry)).toEqual(['node', ...flags, 'dist/main.js']);
});

test('no option of V8 is set at run time', () => {
  expect(linesMatching(sourceFiles('src'), /setFlagsFromString/)).toEqual([]);
});
