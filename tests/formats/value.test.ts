/** Plain values in all formats: directly in JSON and YAML, as rows in the others. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { bson } from '../../src/formats/bson.ts';
import { csv } from '../../src/formats/csv.ts';
import { json } from '../../src/formats/json.ts';
import { xml } from '../../src/formats/xml.ts';
import { yaml } from '../../src/formats/yaml.ts';
import { Decimal, type PlainMap, type PlainValue } from '../../src/util/text/decimal.ts';
import { readBsonRows, readCsv, readXml, writeValue, xmlColumn } from './support.ts';

const map = (object: Readonly<Record<string, PlainValue>>): PlainMap => new Map(Object.entries(object));
const xmlRows = (value: PlainValue) => readXml(writeValue(xml, value).toString()).children.map((row) => row.children.map(xmlColumn));
const csvRows = (value: PlainValue) => readCsv(writeValue(csv, value).toString());
const bsonRows = (value: PlainValue) => readBsonRows(writeValue(bson, value), {});

describe('a plain value', () => {
  it('is one row when it is an object', () => {
    const value = map({ a: 1, b: 'x', c: null });
    expect(writeValue(json, value).toString()).toBe('{"a":1,"b":"x","c":null}');
    expect(writeValue(yaml, value).toString()).toBe('a: 1\nb: x\nc: null\n');
    expect(csvRows(value)).toStrictEqual([
      ['a', 'b', 'c'],
      ['1', 'x', null],
    ]);
    expect(writeValue(xml, value).toString()).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><response><row><a>1</a><b>x</b><c nil="true"/></row></response>',
    );
    expect(bsonRows(value)).toStrictEqual([{ a: 1, b: 'x', c: null }]);
  });

  it('is a row per item, with all keys, when it is a list of objects', () => {
    const value = [map({ a: 1 }), map({ b: true, a: new Decimal('0.10') })];
    expect(writeValue(json, value).toString()).toBe('[{"a":1},{"b":true,"a":0.10}]');
    expect(writeValue(yaml, value).toString()).toBe('- a: 1\n- b: true\n  a: 0.10\n');
    expect(csvRows(value)).toStrictEqual([
      ['a', 'b'],
      ['1', null],
      ['0.10', 'true'],
    ]);
    expect(xmlRows(value)).toStrictEqual([
      [
        ['a', '1'],
        ['b', null],
      ],
      [
        ['a', '0.10'],
        ['b', 'true'],
      ],
    ]);
    expect(JSON.stringify(bsonRows(value))).toBe('[{"a":1,"b":null},{"a":{"$numberDecimal":"0.10"},"b":true}]');
  });

  it('is in the column `value` when it is a scalar', () => {
    expect(writeValue(json, 5).toString()).toBe('5');
    expect(writeValue(yaml, 'no').toString()).toBe('"no"\n');
    expect(csvRows('x,y')).toStrictEqual([['value'], ['x,y']]);
    expect(csvRows([1, null, 2.5])).toStrictEqual([['value'], ['1'], [null], ['2.5']]);
    expect(xmlRows([true, 10n ** 20n])).toStrictEqual([[['value', 'true']], [['value', '100000000000000000000']]]);
    expect(bsonRows(['a', null, Number.NaN])).toStrictEqual([{ value: 'a' }, { value: null }, { value: Number.NaN }]);
  });

  it('has scalars beside the columns of objects when it is a mixed list', () => {
    const value = [map({ a: 1 }), 7, [1, 'x']];
    expect(csvRows(value)).toStrictEqual([
      ['a', 'value'],
      ['1', null],
      [null, '7'],
      [null, '[1,"x"]'],
    ]);
  });

  it('has nested values as JSON text, or nested in BSON', () => {
    const value = map({ a: [1, map({ b: new Decimal('1.0') })] });
    expect(csvRows(value)).toStrictEqual([['a'], ['[1,{"b":1.0}]']]);
    expect(xmlRows(value)).toStrictEqual([[['a', '[1,{"b":1.0}]']]]);
    expect(bsonRows(map({ a: [1, map({ b: 'x' })] }))).toStrictEqual([{ a: [1, { b: 'x' }] }]);
    expect(writeValue(yaml, value).toString()).toBe('a:\n  - 1\n  - b: 1.0\n');
  });

  it('may be empty', () => {
    expect(writeValue(json, []).toString()).toBe('[]');
    expect(writeValue(yaml, []).toString()).toBe('[]\n');
    expect(writeValue(yaml, map({})).toString()).toBe('{}\n');
    expect(writeValue(csv, []).toString()).toBe('');
    expect(xmlRows([])).toStrictEqual([]);
    expect(bsonRows([])).toStrictEqual([]);
    expect(xmlRows(map({}))).toStrictEqual([[]]);
  });

  it('has NaN and infinities as strings in JSON', () => {
    expect(writeValue(json, [Number.NaN, Number.NEGATIVE_INFINITY, new Decimal('NaN')]).toString()).toBe('["NaN","-Infinity","NaN"]');
    expect(parseYaml(writeValue(yaml, [Number.NaN, 1e300, 1e-7]).toString(), { version: '1.1' })).toStrictEqual(['NaN', 1e300, 1e-7]);
  });

  it('is rejected when it is nested too deeply', () => {
    let value: PlainValue = 1;
    for (let i = 0; i < 100_000; i++) value = [value];
    for (const format of [json, yaml, xml, csv, bson]) expect(() => writeValue(format, value)).toThrow(/nested deeper than 512/);
  });
});

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('no', '1', '', 'a: b', '- a', '\ufeff', '~'));
const { tree } = fc.letrec<{ tree: PlainValue }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(text, fc.boolean(), fc.constant(null), fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true })),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(text, tie('tree'), { maxKeys: 4 }).map(map),
  ),
}));

function toObject(value: PlainValue): unknown {
  if (value instanceof Map) return new Map([...value].map(([key, member]) => [key, toObject(member)]));
  if (Array.isArray(value)) return value.map(toObject);
  return Object.is(value, -0) ? 0 : value;
}

describe('any value', () => {
  it('reads back from yaml, in both versions', () => {
    for (const version of ['1.1', '1.2'] as const) {
      fc.assert(
        fc.property(tree, (value) => {
          expect(parseYaml(writeValue(yaml, value).toString(), { version, mapAsMap: true })).toStrictEqual(toObject(value));
        }),
        { numRuns: 500 },
      );
    }
  });

  it('fits the strict readers of the other formats', () => {
    fc.assert(
      fc.property(tree, (value) => {
        const rows = Array.isArray(value) ? value.length : 1;
        expect(xmlRows(value)).toHaveLength(rows);
        const lines = csvRows(value);
        if (lines.length > 0) expect(lines).toHaveLength(rows + 1);
        expect(readBsonRows(writeValue(bson, value), { promoteValues: false })).toHaveLength(rows);
        JSON.parse(writeValue(json, value).toString());
      }),
      { numRuns: 500 },
    );
  });
});
