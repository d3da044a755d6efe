/** Numbers, instants and nested JSON are exact in every format, as independent readers show. */
import { Decimal128, Long } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { bson } from '../../src/formats/bson.ts';
import { readInstant } from '../../src/formats/bson-number.ts';
import { json } from '../../src/formats/json.ts';
import { yaml } from '../../src/formats/yaml.ts';
import type { ResultColumn } from '../../src/model/cells.ts';
import { readBsonRows, type TestCell, writeRows, yamlEntries } from './support.ts';

const RUNS = { numRuns: 1000 };
const digits = (length: number) => fc.stringMatching(new RegExp(`^(0|[1-9][0-9]{0,${length}})$`));
const sign = fc.constantFrom('', '-');
const integer = fc.oneof(
  fc.tuple(sign, digits(45)).map((parts) => parts.join('')),
  fc.bigInt({ min: -(2n ** 63n) - 10n, max: 2n ** 63n + 10n }).map(String),
  fc.maxSafeInteger().map(String),
);
const fraction = fc.stringMatching(/^[0-9]{1,40}$/);
const exact = fc.tuple(sign, digits(20), fraction).map(([minus, whole, part]) => `${minus}${whole}.${part}`);
const bsonCell = (kind: ResultColumn['kind'], cell: TestCell) =>
  Object.values(readBsonRows(writeRows(bson, [{ name: 'c', kind }], [[cell]]))[0] ?? {})[0];

/** Normalizes digits: no sign of zero, no point, no trailing zeros, and the exponent apart. */
function normal(value: string): string {
  const [, minus = '', whole = '', part = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:E\+?(-?\d+))?$/.exec(value) ?? [];
  const significant = `${whole}${part}`.replace(/^0+/, '');
  const kept = significant.replace(/0+$/, '');
  return `${minus}${kept}e${kept === '' ? 0 : Number(power) - part.length + significant.length - kept.length}`;
}

describe('a number', () => {
  it('is int32, int64, decimal128 or digits in BSON, the first that holds an integer exactly', () => {
    fc.assert(
      fc.property(integer, (cell) => {
        const value = BigInt(cell);
        const read = bsonCell('int', cell);
        if (BigInt.asIntN(32, value) === value) expect(read).toBe(Number(value) + 0);
        else if (BigInt.asIntN(64, value) === value) expect(read).toStrictEqual(Long.fromString(String(value)));
        else if (cell.replace('-', '').length <= 34) expect(read).toStrictEqual(Decimal128.fromString(cell));
        else expect(read).toBe(cell);
      }),
      { numRuns: 2000 },
    );
  });

  it('is an exact decimal128 in BSON when it is a decimal', () => {
    fc.assert(
      fc.property(exact, (cell) => {
        const read = bsonCell('decimal', cell);
        if (cell.replace(/[-.]/g, '').replace(/^0+/, '').length <= 34) expect(read).toStrictEqual(Decimal128.fromString(cell));
        else expect(normal(String(read))).toBe(normal(cell));
      }),
      { numRuns: 2000 },
    );
  });

  it('is a datetime in BSON when it is an instant', () => {
    const instant = fc.date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });
    fc.assert(
      fc.property(instant, fc.integer({ min: -15 * 60, max: 15 * 60 }), (date, minutes) => {
        const local = new Date(date.getTime() + minutes * 60_000);
        fc.pre(local.getUTCFullYear() >= 0 && local.getUTCFullYear() < 10_000);
        const size = Math.abs(minutes);
        const zone = `${minutes < 0 ? '-' : '+'}${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`;
        expect(bsonCell('timestamptz', local.toISOString().replace('Z', zone))).toStrictEqual(date);
      }),
      { numRuns: 2000 },
    );
    for (const bad of [
      '2023-02-29T00:00:00Z',
      '2024-13-01T00:00:00',
      '2024-01-01T24:00:00',
      '2024-01-01 00:00:00',
      '2024-01-01T00:00:00X',
      'x',
    ])
      expect(readInstant(Buffer.from(bad), 0, bad.length)).toBeNaN();
  });

  it('is read as the same number by YAML 1.1 and 1.2', () => {
    const float = fc.double({ noNaN: true, noDefaultInfinity: true });
    for (const version of ['1.1', '1.2'] as const) {
      fc.assert(
        fc.property(float, (value) => {
          const cell = Object.is(value, -0) ? '-0.0' : Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value);
          const document = writeRows(yaml, [{ name: 'c', kind: 'float' }], [[cell]]).toString();
          expect(yamlEntries(document, version)).toStrictEqual([[['c', value]]]);
        }),
        RUNS,
      );
      fc.assert(
        fc.property(integer, (cell) => {
          const document = writeRows(yaml, [{ name: 'c', kind: 'int' }], [[cell]]).toString();
          expect(yamlEntries(document, version)).toStrictEqual([[['c', BigInt(cell)]]]);
        }),
      );
    }
  });
});

describe('a JSON cell', () => {
  const column: ResultColumn[] = [{ name: 'c', kind: 'json' }];
  const spaced = fc.constantFrom(undefined, 1, '\t');
  /** Any JSON except -0, which JSON.stringify does not keep. */
  const nested = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }).map((value) => JSON.parse(JSON.stringify(value)) as fc.JsonValue);

  it('is the same nested value in JSON, YAML and BSON', () => {
    fc.assert(
      fc.property(nested, spaced, (value, space) => {
        const cell = JSON.stringify(value, null, space);
        expect(JSON.parse(writeRows(json, column, [[cell]]).toString())).toStrictEqual([{ c: value }]);
        for (const version of ['1.1', '1.2'] as const) {
          const read: unknown = parseYaml(writeRows(yaml, column, [[cell]]).toString(), { version });
          expect(JSON.stringify(read)).toBe(JSON.stringify([{ c: value }]));
        }
      }),
      RUNS,
    );
  });

  it('keeps escapes that only JSON has', () => {
    const cell = '{"a\\/b": "\\ud83d\\ude00\\u0041", "e": 1E5, "k": [1e-3]}';
    expect(writeRows(yaml, column, [[cell]]).toString()).toBe('- c: {"a/b":"😀A","e":1.0e+5,"k":[1.0e-3]}\n');
    expect(bsonCell('json', cell)).toStrictEqual({ 'a/b': '😀A', e: Decimal128.fromString('1E+5'), k: [Decimal128.fromString('0.001')] });
  });

  it('is a nested document in BSON with any keys', () => {
    const keys = fc.constantFrom('_bsontype', '__proto__', 'constructor', '$oid', '', 'a.b', 'x');
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.boolean(), fc.constant(null), fc.integer());
    fc.assert(
      fc.property(fc.dictionary(keys, fc.oneof(value, fc.array(value), fc.dictionary(keys, value))), (object) => {
        const cell = JSON.stringify(object);
        expect(JSON.stringify(bsonCell('json', cell))).toBe(cell);
      }),
      RUNS,
    );
  });

  it('is text in BSON when it is invalid, and its last repeated key counts', () => {
    expect(bsonCell('json', '{"a":1,"a":2}')).toStrictEqual({ a: 2 });
    expect(bsonCell('json', '{"a":')).toBe('{"a":');
    expect(bsonCell('json', '['.repeat(5000) + ']'.repeat(5000))).toHaveLength(10_000);
  });

  it('has explicit keys in YAML when they are long', () => {
    const long = 'k'.repeat(2000);
    const document = writeRows(yaml, column, [[JSON.stringify({ [long]: 1 })]]).toString();
    expect(parseYaml(document)).toStrictEqual([{ c: { [long]: 1 } }]);
  });
});
