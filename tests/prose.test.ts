// The language of the project as a test: comments, documents and names follow CONTRIBUTING.md.
import { describe, expect, it } from 'vitest';
import { FORBIDDEN_NAMES, FORBIDDEN_PROSE, proseLines } from './support/prose.ts';
import { linesMatching, sourceFiles } from './support/sources.ts';

const MAX_COLUMNS = 100;

describe('prose', () => {
  const lines = proseLines();

  it.each(Object.entries(FORBIDDEN_PROSE))('follows the rule: %s', (_, pattern) => {
    expect(lines.filter(({ text }) => pattern.test(text)).map(({ place, text }) => `${place}: ${text}`)).toEqual([]);
  });

  it(`has lines of at most ${MAX_COLUMNS} columns`, () => {
    expect(lines.filter(({ line }) => line.length > MAX_COLUMNS).map(({ place }) => place)).toEqual([]);
  });
});

describe('names', () => {
  it('use the words of the field instead of private terms', () => {
    expect(linesMatching(sourceFiles('src'), FORBIDDEN_NAMES)).toEqual([]);
  });
});
