// The quick reader of YAML takes what large documents are made of, and whatever it takes means the same to the library.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readQuickYaml } from '../../src/personas/quick-yaml.ts';
import { readWholeYaml, readYamlSource, UnreadableSource } from '../../src/personas/source.ts';

const quick = (text: string) => readQuickYaml(text, (word) => (word === '~' ? null : `=${word}`));

/** The value by the library, or that it refuses the text. */
function whole(text: string): unknown {
  try {
    return readWholeYaml(text).value;
  } catch (error) {
    if (error instanceof UnreadableSource) return 'refused';
    throw error;
  }
}

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

test('a document of a thousand tables is read quickly, and as the library reads it', () => {
  const text = `persona: big\nroles: [a, b]\n# all of them\ntables:\n${Array.from({ length: 50 }, (_, i) => `  pg/shop/t${i}:\n${TABLE}`).join('')}  pg/shop/*: {read: true}\n`;
  expect(quick(text)).toBeDefined();
  expect(readYamlSource(text).value).toEqual(whole(text));
  expect(readYamlSource(text).placeOf('tables.pg/shop/t1.read')).toMatch(/^line \d+, column 5$/);
});

test.each([
  'a: b # a comment',
  'a: &x b',
  'a: *x',
  'a: !t b',
  'a: |\n  b',
  'a: "b\\n"',
  "a: 'it''s'",
  'a: b\n  c',
  'a: b: c',
  'a: [b\n, c]',
  'a: 1\na: 2',
  'a:\n  b: 1\n c: 2',
  '- a',
  'a: [b: c]',
  'a: {b:c}',
  'a: -',
  'a: - b',
  'a: ? b',
  'a: [a b]',
  'a: [a,,b]',
  '---\na: b',
  'a: b\n---\nc: d',
  '? a\n: b',
  'a: b\r\n',
  'a:\tb',
  '"a": b',
  '<<: b',
  '',
])('%j is left to the library, or means the same', (text) => {
  if (quick(text) !== undefined) expect(readYamlSource(text).value).toEqual(whole(text));
});

const word = fc.stringMatching(/^[ a-z0-9_.$=?:()*,~/+'"[\]{}#-]{0,12}$/);
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, word, fc.integer(), fc.boolean(), fc.constant(null), fc.array(tie('any'), { maxLength: 3 }), tie('map')),
  map: fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9/.*_-]{0,6}$/), tie('any'), { maxKeys: 4 }),
})).map;

test('whatever it takes means the same to the library', () => {
  const texts = fc.oneof(
    value.map((document) => stringify(document)),
    value.map((document) => stringify(document, { collectionStyle: 'flow', lineWidth: 0 })),
    fc
      .array(fc.tuple(fc.constantFrom('', '  ', '    '), fc.constantFrom('a: ', 'b:', '- ', 'c/d: ['), word, fc.constantFrom('', ']')), {
        maxLength: 5,
      })
      .map((lines) => lines.map((parts) => parts.join('')).join('\n')),
  );
  let taken = 0;
  fc.assert(
    fc.property(texts, (text) => {
      if (quick(text) === undefined) return;
      taken++;
      expect(readYamlSource(text).value).toEqual(whole(text));
    }),
    { numRuns: 2000 },
  );
  expect(taken).toBeGreaterThan(100);
});
