// Definition documents without a service: validation, edits of scalars, masked passwords.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { editDocument, MASK, maskPassword, readDocument, showDocument, validateDocument } from '../../src/custom/document/document.ts';
import { YamlProblems } from '../../src/custom/yaml/yaml-tree.ts';
import { ENGINES } from '../../src/engines/index.ts';
import { writeJson } from '../../src/util/json/json.ts';

const ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const DOCUMENT = {
  identifiers: { org_id: ID, project_id: ID, feature_id: ID, space_id: ID, user_id: ID },
  permission: ['admin'],
  http: { uri: 'a/b', method: 'post', version: '1.0', input_type: 'json' },
  logic: [{ sql: 'SELECT 1' }],
  database: { type: 'postgres', source_ip: 'db', username: 'u', password: 'p', name: 'n' },
};

test('any text is either read or rejected with its problems', () => {
  const words = fc.constantFrom(
    'identifiers:',
    '  org_id: x',
    'logic:',
    '  - sql: a',
    '- ',
    '\n',
    ': ',
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '|',
    '>',
    '&a',
    '*a',
    '!!x',
    '#',
    '\t',
    '---',
    '<<: *a',
    '%YAML 1.1',
    '\0',
    '\ud800',
    'a'.repeat(300),
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(words, fc.string())).map((pieces) => pieces.join('')),
      (text) => {
        try {
          const { problems } = validateDocument(text, ENGINES);
          expect(problems.length).toBeGreaterThan(0);
        } catch (error) {
          if (!(error instanceof YamlProblems)) throw error;
          expect(error.problems.length).toBeGreaterThan(0);
        }
      },
    ),
    { numRuns: 400 },
  );
});

describe('maskPassword', () => {
  const password = fc.oneof(
    fc.string({ minLength: 1, unit: 'grapheme' }),
    fc.constantFrom('a: b', '# x', '"', "'", '***', '|', 'yes', '1.10', '0x1F', ' x ', 'a\nb'),
  );

  test('removes any password in any notation', () => {
    fc.assert(
      fc.property(
        password,
        fc.constantFrom('QUOTE_DOUBLE', 'QUOTE_SINGLE', 'PLAIN', 'BLOCK_LITERAL') as fc.Arbitrary<'PLAIN'>,
        (secret, style) => {
          const marked = `S3cr-${secret}`;
          const source = stringify(
            { ...DOCUMENT, database: { ...DOCUMENT.database, password: marked, timeout_secs: 9 } },
            { defaultStringType: style, lineWidth: 0 },
          );
          const masked = maskPassword(source);
          expect(masked).not.toContain('S3cr-');
          const { database } = readDocument(masked, ENGINES);
          expect(database).toMatchObject({ password: MASK, timeoutSecs: 9, name: expect.stringMatching(/^n/) });
        },
      ),
    );
  });

  test('leaves a document without a password unchanged', () => {
    const { password: _, ...database } = DOCUMENT.database;
    const source = stringify({ ...DOCUMENT, database });
    expect(maskPassword(source)).toBe(source);
    expect(maskPassword(stringify({ ...DOCUMENT, database: { ref: 'pg/x' } }))).not.toContain(MASK);
  });
});

test('an edit changes one scalar and nothing else', () => {
  const source = `# mine\n${stringify(DOCUMENT)}# end\n`;
  const edited = editDocument(source, [
    { path: ['http', 'version'], text: '"2.10"' },
    { path: ['config', 'rollback_version'], text: 'null' },
  ]);
  expect(edited).toBe(source.replace('version: "1.0"', 'version: "2.10"'));
});

test('a shown document equals its source, with strings as strings', () => {
  const source = stringify(DOCUMENT)
    .replace('version: "1.0"', 'version: 1.10')
    .replace('name: n', 'name: 007\n  port: 5432\n  max_open_connections: 5')
    .replace('SELECT 1', '"1"\n    omit: true');
  expect(JSON.parse(writeJson(showDocument(source)))).toMatchObject({
    http: { version: '1.10' },
    logic: [{ sql: '1', omit: true }],
    database: { name: '007', port: '5432', max_open_connections: 5 },
  });
  expect(readDocument(source, ENGINES)).toMatchObject({
    version: '1.10',
    database: { name: '007', hosts: [{ host: 'db', port: 5432 }], maxOpenConnections: 5 },
  });
  expect(parse(source)).toBeTypeOf('object');
});

test.each<[object, RegExp]>([
  [{ permission: 'admin' }, /permission must be a list/],
  [{ permission: ['a,b'] }, /permission must list/],
  [{ http: { ...DOCUMENT.http, uri: 'a/../b' } }, /http\.uri/],
  [{ http: { ...DOCUMENT.http, input_type: undefined } }, /http\.input_type is missing/],
  [{ config: { limits: { memory_mb: 0 } } }, /memory_mb must be a whole number from 1/],
  [{ config: { cache_ttl_secs: 'x' } }, /cache_ttl_secs/],
  [{ database: { ...DOCUMENT.database, port: '70000' } }, /database\.port/],
  [{ database: { ...DOCUMENT.database, machine: [{ host: 'x' }] } }, /exclude each other/],
  [{ database: { ref: 'shop' } }, /database\.ref must be/],
  [{ database: { ref: 'or/shop' } }, /database\.ref must be/],
  [{ logic: [{ sql: 'x', code: 'y' }] }, /logic\[0\]\.code is unknown/],
  [{ logic: [{ lark: 'x' }] }, /logic\[0\]\.code is missing/],
  [{ logic: ['SELECT 1'] }, /logic\[0\] must be a mapping/],
  [{ extra: 1 }, /extra is unknown/],
])('refuses %j', (change, why) => {
  const { problems } = validateDocument(stringify({ ...DOCUMENT, ...change }), ENGINES);
  expect(problems.map(({ message }) => message).join('; ')).toMatch(why);
});

describe('showDocument', () => {
  test('keeps the digits of numbers that a double would round', () => {
    const written = ['9007199254740993', '-12345678901234567890', '0.10', '1e400', '7', '2.5', '123456789012345678.125'];
    const source = stringify(DOCUMENT) + written.map((digits, at) => `x${at}: ${digits}\n`).join('');
    const shown = writeJson(showDocument(source));
    for (const [at, digits] of written.entries()) expect(shown).toContain(`"x${at}":${digits}`);
  });
});
