// Values and columns: which values of the query and of JSON each kind accepts and rejects.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromJson, fromText, InvalidValue } from '../../src/auto/plan/values.ts';
import type { Column, Kind } from '../../src/model/table.ts';
import { JsonNumber, RawJson } from '../../src/util/json/json.ts';

const column = (kind: Kind, more: Partial<Column> = {}): Column => ({
  name: 'c',
  type: kind,
  kind,
  nullable: false,
  primaryKey: false,
  default: null,
  required: true,
  readOnly: false,
  sortable: true,
  cast: kind,
  ...more,
});

const int32 = column('int', { min: -(2n ** 31n), max: 2n ** 31n - 1n });
const uint8 = column('int', { min: 0n, max: 255n });
const money = column('decimal', { precision: 5, scale: 2 });

const taken: readonly (readonly [Column, string, string])[] = [
  [int32, '0', '0'],
  [int32, '-2147483648', '-2147483648'],
  [int32, '007', '7'],
  [int32, '-0', '0'],
  [uint8, '255', '255'],
  [column('int', { min: 0n, max: 2n ** 256n - 1n }), String(2n ** 256n - 1n), String(2n ** 256n - 1n)],
  [money, '123.45', '123.45'],
  [money, '-0.10', '-0.10'],
  [money, '1.500', '1.500'],
  [money, '1e2', '100'],
  [money, '12345e-2', '123.45'],
  [column('decimal'), 'NaN', 'NaN'],
  [column('float'), '1e300', '1e300'],
  [column('float'), '-Infinity', '-Infinity'],
  [column('bool'), 'true', 'true'],
  [column('bool'), '0', 'false'],
  [column('text', { maxLength: 3 }), 'é😀x', 'é😀x'],
  [column('enum', { values: ['a', 'b'] }), 'b', 'b'],
  [column('set', { values: ['a', 'b'] }), 'a,b', 'a,b'],
  [column('uuid'), 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
  [column('date'), '2024-02-29', '2024-02-29'],
  [column('time'), '10:30', '10:30:00'],
  [column('timestamp', { fraction: 6 }), '2024-01-01T10:00:00.123456', '2024-01-01T10:00:00.123456'],
  [column('timestamp'), '2024-01-01 10:00:00+02:00', '2024-01-01T08:00:00'],
  [column('timestamp'), '2024-01-01T00:30:00+01', '2023-12-31T23:30:00'],
  [column('timestamptz'), '2024-01-01', '2024-01-01T00:00:00Z'],
  [column('timestamptz'), '2024-01-01T10:00:00+0530', '2024-01-01T10:00:00+05:30'],
  [column('json'), '{"a":[1]}', '{"a":[1]}'],
];

const refused: readonly (readonly [Column, string])[] = [
  ...['', ' 1', '1.5', '1e3', '0x10', 'abc', '2147483648', '-2147483649', '１', '1_000', '+1', '--1', '1 or 1=1'].map(
    (text) => [int32, text] as const,
  ),
  ...['-1', '256'].map((text) => [uint8, text] as const),
  ...['1234.5', '1.234', '', '.', '1.', '.5', '1e9999', 'abc', '1,5'].map((text) => [money, text] as const),
  ...['', '1e400', 'nan', 'inf', '0x1p3'].map((text) => [column('float'), text] as const),
  ...['', 'yes', 'TRUE', '2'].map((text) => [column('bool'), text] as const),
  [column('text', { maxLength: 2 }), 'é😀x'],
  [column('enum', { values: ['a'] }), 'A'],
  [column('set', { values: ['a'] }), 'a,b'],
  [column('uuid'), 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1'],
  ...['2024-02-30', '2023-02-29', '2024-13-01', '2024-1-1', 'now', 'yesterday', '01/02/2024', ''].map(
    (text) => [column('date'), text] as const,
  ),
  ...['25', '10:60', '10:00:61', 'noon'].map((text) => [column('time'), text] as const),
  ...['2024-01-01T24:00:00Z', '2024-01-01T10:00:00.1234567', '2024-01-01T10:00:00+99:00', 'now', 'today', '1704103200'].map(
    (text) => [column('timestamptz', { fraction: 6 }), text] as const,
  ),
  [column('bytes'), 'not base64!'],
  [column('json'), '{a:1}'],
];

describe('a value of the query', () => {
  it.each(taken.map(([c, text, result]) => [c.kind, text, result, c] as const))('%s accepts %s', (_, text, result, c) => {
    expect(fromText(c, text, 'store')).toBe(result);
  });

  it.each(refused.map(([c, text]) => [c.kind, text, c] as const))('%s rejects %j', (_, text, c) => {
    expect(() => fromText(c, text, 'store')).toThrow(InvalidValue);
  });

  it('is compared with more digits than the column stores', () => {
    expect(fromText(money, '1.005', 'compare')).toBe('1.005');
    expect(fromText(column('text', { maxLength: 2 }), 'abc', 'compare')).toBe('abc');
  });

  it('reads base64 as bytes', () => {
    expect(Buffer.from(fromText(column('bytes'), 'AP8=', 'store') as Uint8Array)).toEqual(Buffer.from([0, 255]));
  });

  it('accepts exactly the integers of the range', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 40n), max: 2n ** 40n }), (value) => {
        const fits = value >= -(2n ** 31n) && value <= 2n ** 31n - 1n;
        if (fits) expect(BigInt(String(fromText(int32, String(value), 'store')))).toBe(value);
        else expect(() => fromText(int32, String(value), 'store')).toThrow(InvalidValue);
      }),
    );
  });

  it('keeps the value of a decimal whatever its exponent', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 999999 }),
        fc.integer({ min: 0, max: 999 }),
        fc.integer({ min: -8, max: 8 }),
        (whole, fraction, exponent) => {
          const result = String(fromText(column('decimal'), `${whole}.${fraction}e${exponent}`, 'store'));
          expect(result).not.toMatch(/e/);
          expect(Number(result)).toBeCloseTo(Number(`${whole}.${fraction}e${exponent}`), 12);
        },
      ),
    );
  });
});

describe('a value of a JSON body', () => {
  const number = (text: string): JsonNumber => new JsonNumber(text, !/[.eE]/.test(text));

  it('accepts numbers for numeric columns, and strings for every kind', () => {
    expect(fromJson(int32, number('5'))).toBe('5');
    expect(fromJson(int32, '5')).toBe('5');
    expect(fromJson(money, number('0.10'))).toBe('0.10');
    expect(fromJson(column('bool'), true)).toBe('true');
    expect(fromJson(column('int', { takesBooleans: true }), true)).toBe('1');
    expect(fromJson(column('text', { nullable: true }), null)).toBeNull();
  });

  it('keeps any JSON for a JSON column', () => {
    expect(fromJson(column('json'), new RawJson('{"a": 1.50}'))).toBe('{"a": 1.50}');
    expect(fromJson(column('json'), 'text')).toBe('"text"');
    expect(fromJson(column('json'), number('1.50'))).toBe('1.50');
    expect(fromJson(column('json'), false)).toBe('false');
  });

  it.each([
    [column('text'), number('5')],
    [column('text'), true],
    [column('text'), new RawJson('{}')],
    [column('text'), null],
    [int32, true],
    [int32, number('1.0')],
    [int32, new RawJson('[1]')],
    [column('date'), number('20240101')],
  ])('refuses what does not fit (%#)', (c, cell) => {
    expect(() => fromJson(c, cell)).toThrow(InvalidValue);
  });
});
