// The benchmark's table of checks that it takes out is in step with the code: each text that it names is there.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

interface Table {
  readonly CHECKS: Readonly<Record<string, { readonly edits: readonly (readonly [file: string, from: string | RegExp, to: string])[] }>>;
  without(names: readonly string[], url: string, source: string): string;
}

const { CHECKS, without } = (await import(new URL('../../bench/without/checks.mjs', import.meta.url).href)) as Table;
const dist = fileURLToPath(new URL('../../dist', import.meta.url));

test.each(Object.entries(CHECKS))('%s can be taken out', (name, { edits }) => {
  for (const file of new Set(edits.map(([path]) => path))) {
    const source = readFileSync(`${dist}/${file}`, 'utf8');
    expect(without([name], `file://${dist}/${file}`, source).length).not.toBe(source.length);
  }
});
