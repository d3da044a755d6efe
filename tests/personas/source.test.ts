// The YAML source of a persona: values, positions, and short time slices for large documents.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { type DocumentSource, UnreadableSource, yamlSourceSlices } from '../../src/personas/source.ts';
import { runToEnd } from '../../src/util/concurrency/slices.ts';
import type { PlainMap, PlainValue } from '../../src/util/text/decimal.ts';
import { parseYaml, YamlError } from '../../src/util/text/yaml.ts';

const TABLE = `    read:
      columns: [id, status, placed_at, note]
      rows: ['status=ne.deleted', "region=in.?:claims.regions", $null=note]
      mask: {note: '***', status: null}
      max_page_size: 200
    insert: {columns: [a], set: {by: ?:user_id, n: 1.50, ok: true}}
    update:
      rows:
        - owner_id=eq.?:user_id
        - '$or=(a=eq.1,b=eq.2)'
      except:
      - status
    delete: true
`;
const large = (tables: number): string =>
  `persona: big\nroles: [a, b]\n# all of them\ntables:\n${Array.from({ length: tables }, (_, i) => `  pg/shop/t${i}:\n${TABLE}`).join('')}  pg/shop/*: {read: true}\n`;

/** The longest slice in ms of CPU time, and the outcome. */
function readMeasured(text: string): { readonly longest: number; readonly source: DocumentSource | undefined } {
  const slices = yamlSourceSlices(text);
  let longest = 0;
  for (;;) {
    const began = process.cpuUsage();
    try {
      const { done, value } = slices.next();
      if (done === true) return { longest, source: value };
    } catch (error) {
      if (error instanceof UnreadableSource) return { longest, source: undefined };
      throw error;
    } finally {
      const { user, system } = process.cpuUsage(began);
      longest = Math.max(longest, (user + system) / 1000);
    }
  }
}

const tablesOf = (value: PlainValue | undefined): PlainMap => (value as PlainMap).get('tables') as PlainMap;

const MAX_SLICE_MS = 150;

describe('yamlSourceSlices', () => {
  test('reads a thousand tables in short slices, with their positions', () => {
    const { longest, source } = readMeasured(large(1000));
    expect(longest).toBeLessThan(MAX_SLICE_MS);
    const tables = tablesOf(source?.value);
    expect(tables.size).toBe(1001);
    expect(tables.get('pg/shop/t999')).toEqual(tablesOf(runToEnd(yamlSourceSlices(large(1))).value).get('pg/shop/t0'));
    expect(source?.placeOf('tables.pg/shop/t999.read')).toEqual({ line: 5 + 999 * 14 + 1, column: 5 });
  });

  test.each([
    ['200 KB of open brackets', '['.repeat(200_000)],
    ['200 KB of brackets in a value', `a: ${'['.repeat(200_000)}`],
    ['200 KB of open braces', '{a: '.repeat(50_000)],
    ['1 MB of one key', 'a: 1\n'.repeat(200_000)],
    ['1 MB of other keys', Array.from({ length: 90_000 }, (_, i) => `k${i}: 1\n`).join('')],
    ['200 KB of dashes', '- '.repeat(100_000)],
    ['200 KB of question marks', '? '.repeat(100_000)],
    ['a list of 60,000 items', `a: [${'b, '.repeat(60_000)}]`],
    ['a block list of 60,000 items', `a:\n${'- b\n'.repeat(60_000)}`],
    ['a string of 1 MB', `a: "${'x'.repeat(1_000_000)}"`],
    ['a block of 1 MB', `a: |\n${' c\n'.repeat(330_000)}`],
    ['more than 1 MB', `a: ${'x '.repeat(600_000)}`],
    ['deep indentation', Array.from({ length: 1_000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
  ])('rejects %s in short slices', (_, text) => {
    const { longest, source } = readMeasured(text);
    expect(source).toBeUndefined();
    expect(longest).toBeLessThan(MAX_SLICE_MS);
  });
});

/** The documents by the library alone, or `undefined` if it reports an error. */
function byLibrary(text: string): unknown {
  const documents = parseAllDocuments(text, { schema: 'failsafe' });
  if (!Array.isArray(documents)) return [];
  if (documents.some(({ errors }) => errors.length > 0)) return undefined;
  return documents.map((document) => document.toJS({ mapAsMap: true }) as unknown);
}

function byParts(text: string): unknown {
  try {
    return parseYaml(text, { maxParts: Number.POSITIVE_INFINITY, maxScalar: Number.POSITIVE_INFINITY }).documents.map((document) =>
      document.toJS({ mapAsMap: true }),
    );
  } catch (error) {
    if (error instanceof YamlError) return undefined;
    throw error;
  }
}

describe('a document that is composed in parts', () => {
  const filler = Array.from({ length: 400 }, (_, i) => `f${i}: {a: [1, 2], b: c}`).join('\n');
  const nested = `n:\n${filler.replace(/^/gm, '  ')}\n`;

  test.each([
    'a: b # a comment',
    'a: |\n  b',
    'a: "b\\n"',
    "a: 'it''s'",
    'a: b\n  c',
    'a: b: c',
    'a: [b\n, c]',
    'a: 1\na: 2',
    'a:\n  b: 1\n c: 2',
    '- a',
    'a: -',
    'a: - b',
    'a: ? b',
    'a: [a b]',
    'a: [a,,b]',
    '---\na: b',
    'a: b\n---\nc: d',
    '? a\n: b',
    'a:\tb',
    '"a": b',
    'a',
    ' a: b',
    '# a comment',
    'a: &x b\nc: *x',
    'f7: 1',
    '',
  ])('has the value that the library gives it: %j beside many entries', (text) => {
    for (const whole of [text, `${filler}\n${text}`, `${text}\n${filler}`, `${nested}${text}`, `${text}\n${nested}`])
      expect(isDeepStrictEqual(byParts(whole), byLibrary(whole)), whole.slice(0, 50)).toBe(true);
  });

  test('has the value that the library gives it, for any value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{3,8}$/), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 }), (value) => {
        const text = stringify({ ...value, deep: structuredClone(value) });
        for (const whole of [text, `${text}${nested}`])
          if (!isDeepStrictEqual(byParts(whole), byLibrary(whole))) throw new Error(`differs: ${text}`);
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });
});
