// Texts of definitions as the console edits and sends them, and what it reads from them.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { sqlPlace, tablesIn } from '../../console/parts/editor/statement-names.ts';
import { fieldOf, plainValueOf, readYaml, textOf } from '../../console/parts/editor/yaml.ts';
import { yamlPathAt } from '../../console/parts/editor/yaml-path.ts';
import { writeYaml } from '../../console/parts/yaml-text.ts';
import {
  codeOfSteps,
  outlineOf,
  withIdentifiers,
  withoutFields,
  withoutIdentifiers,
  withVersion,
} from '../../console/views/endpoints/definition.ts';
import { curlOf } from '../../console/views/endpoints/editor/curl.ts';
import { inputFields, readInput } from '../../console/views/endpoints/editor/inputs.ts';
import { nextVersion } from '../../console/views/endpoints/versions.ts';
import { Digits, parseExact, writeExact } from '../../ui/exact.ts';

const EXAMPLES = new URL('../../examples/', import.meta.url);
const examples = readdirSync(EXAMPLES).filter((name) => name.endsWith('.yaml') && !name.endsWith('.test.yaml'));
const read = (name: string): string => readFileSync(new URL(name, EXAMPLES), 'utf8');
const ids = { org_id: 'O', project_id: 'P', space_id: 'S', user_id: 'U', feature_id: 'F' };

/** Numbers as JavaScript has them, to compare with another reader. */
const plain = (value: unknown): unknown => JSON.parse(writeExact(value as never));

describe('readYaml', () => {
  it.each(examples)('reads %s as a complete parser does', (name) => {
    const source = read(name);
    const expected = parseDocument(source, { schema: 'core' }).toJS() as Record<string, unknown>;
    const { logic: _, ...own } = plain(plainValueOf(readYaml(source))) as Record<string, unknown>;
    const { logic: steps, ...rest } = expected;
    expect(own).toEqual(rest);
    expect(codeOfSteps(readYaml(source)).map((code) => code.trim())).toEqual(
      (steps as Record<string, string>[]).map((step) => (step['sql'] ?? step['code'] ?? '').trim()),
    );
  });

  it('keeps the digits of numbers', () => {
    const tree = readYaml('a: 9007199254740993\nb: 0.10\nc: "7"\n');
    expect(writeExact(plainValueOf(tree))).toBe('{"a":9007199254740993,"b":0.10,"c":"7"}');
  });

  it('reads quotes and incomplete documents', () => {
    const tree = readYaml("a: 'it''s'\nb: \"x\\ny\"\nhttp:\n  uri: ");
    expect(textOf(fieldOf(tree, 'a'))).toBe("it's");
    expect(textOf(fieldOf(tree, 'b'))).toBe('x\ny');
    expect(fieldOf(tree, 'http', 'uri')).toBeUndefined();
  });
});

describe('identifiers of a definition', () => {
  it.each(examples)('are added behind %s and removed again', (name) => {
    const source = read(name);
    const sent = withIdentifiers(source, ids);
    expect(sent.startsWith(source)).toBe(true);
    expect((parseDocument(sent).toJS() as { identifiers: object }).identifiers).toEqual(ids);
    expect(withoutIdentifiers(sent)).toBe(source);
  });

  it('are added behind a text without a final line break', () => {
    expect(withIdentifiers('a: 1', ids).split('\n').slice(0, 2)).toEqual(['a: 1', 'identifiers:']);
  });

  it('are added inside the braces of a document in flow style', () => {
    const sent = withIdentifiers('{a: 1,\n b: 2}\n', ids);
    expect(parseDocument(sent).toJS()).toEqual({ a: 1, b: 2, identifiers: ids });
    expect(parseDocument(withoutIdentifiers(sent)).toJS()).toEqual({ a: 1, b: 2 });
  });

  it('of the author stay', () => {
    const source = 'identifiers: {org_id: X}\na: 1\n';
    expect(withIdentifiers(source, ids)).toBe(source);
  });

  it('at the beginning are removed with their lines', () => {
    expect(withoutIdentifiers('identifiers:\n  org_id: X\n  user_id: Y\npermission: [a]\n')).toBe('permission: [a]\n');
  });

  it('are removed like other fields that are not of the document', () => {
    expect(withoutFields('persona: a\nupdated_at: x\nrank: 1\nuser_id: y\n', ['updated_at', 'user_id'])).toBe('persona: a\nrank: 1\n');
  });
});

describe('versions', () => {
  it.each([
    ['1.0.0', [], '1.0.0'],
    ['1.0.0', ['1.0.0'], '1.0.1'],
    ['1.0.0', ['1.0.0', '1.0.1', '2.0.0'], '1.0.2'],
    ['1.10', ['1.10'], '1.10.1'],
    ['1.3.0-beta', ['1.3.0-beta'], '1.3.0'],
    ['9007199254740993', ['9007199254740993'], '9007199254740993.0.1'],
    ['x', ['x'], 'x'],
  ])('propose behind %s, with %j deployed, %s', (version, taken, next) => {
    expect(nextVersion(version, taken)).toBe(next);
  });

  it('are replaced in the document without touching its lines', () => {
    const source = read('sales-report.yaml');
    const changed = withVersion(source, '1.0.1');
    expect(outlineOf(changed).version).toBe('1.0.1');
    expect(changed.replace('1.0.1', '1.0.0')).toBe(source);
    expect(withVersion('http:\n  uri: a\n', '2.0.0')).toBe('http:\n  uri: a\n');
  });
});

describe('the form of a trial', () => {
  const fields = (name: string) => {
    const { tree, uri } = outlineOf(read(name));
    return inputFields(tree, uri);
  };

  it('has the declared inputs with their examples as written', () => {
    expect(fields('sales-report.yaml').map(({ name, type, example, isRequired }) => [name, type, example, isRequired])).toEqual([
      ['from', 'date', '2024-03-01', true],
      ['to', 'date', '2024-06-30', true],
      ['category', 'string', '', false],
    ]);
  });

  it('has the names of the path, required', () => {
    expect(fields('customer-summary.yaml')).toMatchObject([{ name: 'id', type: 'integer', example: '7', isRequired: true }]);
  });

  it('has one field for everything if nothing is declared', () => {
    const { tree } = outlineOf('http: {uri: "a/{id}"}\n');
    expect(inputFields(tree, 'a/{id}').map(({ name, type }) => [name, type])).toEqual([
      ['id', 'string'],
      ['input', 'json'],
    ]);
  });

  it('keeps every digit and sends what is not of the type as text', () => {
    const { tree } = outlineOf(
      'input:\n  n: {type: integer}\n  d: {type: number}\n  b: {type: boolean}\n  l: {type: array}\n  s: {type: string}\n',
    );
    const texts = { n: '9007199254740993', d: '0.10', b: 'true', l: '[1.0, "x"]', s: '007' };
    expect(writeExact(readInput(inputFields(tree, ''), texts))).toBe('{"n":9007199254740993,"d":0.10,"b":true,"l":[1.0,"x"],"s":"007"}');
    expect(writeExact(readInput(inputFields(tree, ''), { n: 'seven', b: 'maybe', l: 'x' }))).toBe('{"n":"seven","b":"maybe","l":"x"}');
    expect(readInput(inputFields(tree, ''), {})).toEqual({});
  });
});

describe('curlOf', () => {
  const base = 'http://localhost/demo/shop/';

  it('puts names of the path into it and the rest into the query', () => {
    const line = curlOf({
      base,
      uri: 'a/{id}',
      method: 'get',
      version: undefined,
      input: { id: 'x/y', n: new Digits('1.0'), l: ['a', 'b'] },
    });
    expect(line).toBe(`curl 'http://localhost/demo/shop/a/x%2Fy?n=1.0&l=a&l=b' \\\n  -H "Authorization: Bearer $MILLRACE_TOKEN"`);
  });

  it('quotes a body for the shell', () => {
    const line = curlOf({ base, uri: 'a', method: 'post', version: '1.0.0', input: { name: "O'Hara $(x)" } });
    expect(line).toContain(`-d '{"name":"O'\\''Hara $(x)"}'`);
    expect(line).toContain('a?version=1.0.0');
  });
});

describe('yamlPathAt', () => {
  const at = (text: string) => {
    const { path, isValue, isBlock } = yamlPathAt(text.replace(/\|$/, ''));
    return [path.join(' '), isBlock ? 'block' : isValue ? 'value' : 'key'];
  };

  it.each([
    ['', '', 'key'],
    ['per', '', 'key'],
    ['http:\n  ', 'http', 'key'],
    ['http:\n  meth', 'http', 'key'],
    ['http:\n  method: g', 'http method', 'value'],
    ['logic:\n  - ', 'logic []', 'key'],
    ['logic:\n- ', 'logic []', 'key'],
    ['logic:\n  - sql: SELECT 1\n    om', 'logic []', 'key'],
    ['logic:\n  - sql: |\n      SELECT 1\n      FR', 'logic [] sql', 'block'],
    ['logic:\n  - sql: |\n      SELECT 1\n    omit: t', 'logic [] omit', 'value'],
    ['logic:\n  - sql: SELECT 1\n  - lark: a\n    code: |\n      x', 'logic [] code', 'block'],
    ['input:\n  limit: {ty', 'input limit', 'key'],
    ['input:\n  limit: {type: in', 'input limit type', 'value'],
    ['input:\n  limit: {type: integer, de', 'input limit', 'key'],
    ['tables:\n  pg/shop/orders:\n    read:\n      columns: [id, st', 'tables pg/shop/orders read columns []', 'value'],
    ['permission: [ad', 'permission []', 'value'],
    ['a: 1\nhttp: {uri: x, method: ', 'http method', 'value'],
  ])('of %j is %j, a %s', (text, path, kind) => {
    expect(at(text)).toEqual([path, kind]);
  });
});

describe('names in a statement', () => {
  it('are its tables and their aliases', () => {
    expect(tablesIn('SELECT 1 FROM orders AS o JOIN "order_items" i ON i.a = o.a LEFT JOIN shop.customers WHERE x')).toEqual([
      { table: 'orders', alias: 'o' },
      { table: 'order_items', alias: 'i' },
      { table: 'customers', alias: undefined },
    ]);
  });

  it.each([
    ['SELECT * FROM ', { kind: 'table' }],
    ['SELECT ', { kind: 'name' }],
    ['SELECT o.', { kind: 'column', of: 'o' }],
    ['WHERE id = ?:', { kind: 'parameter' }],
  ])('that may follow %j are of the kind %j', (before, place) => {
    expect(sqlPlace(before)).toEqual(place);
  });
});

describe('writeYaml', () => {
  it('writes what a parser reads back', () => {
    const text =
      '{"http":{"uri":"a/{id}","version":"1.10"},"l":[{"sql":"SELECT 1\\nFROM x\\n","omit":true},[],{}],"t":"true","e":"","n":1.0}';
    expect(parseDocument(writeYaml(parseExact(text))).toJS()).toEqual(JSON.parse(text));
    expect(writeYaml(parseExact(text))).toContain('version: "1.10"');
  });
});
