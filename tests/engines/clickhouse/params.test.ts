/**
 * Typed parameters: any value arrives unchanged, on both ports and at any size, and never becomes
 * SQL.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connection } from '../../../src/engines/contract/engine.ts';
import type { ParamType, ParamValue } from '../../../src/sql/statement.ts';
import { failureOf, open, PORTS, rowsOf } from './support.ts';

const TEXT: ParamType = { kind: 'text', cast: 'String' };
const HEX = [{ name: 'hex', kind: 'text' }] as const;

const NASTY = [
  '',
  "'",
  '"',
  '`',
  '\\',
  '\\\\',
  "\\'",
  '\t',
  '\n',
  '\r\n',
  '\0',
  '\b\f',
  '😀',
  '{p1:String}',
  '%_',
  "'; DROP TABLE x --",
  '\\N',
  'NULL',
  '&param_p2=x',
  '+ %2B %',
  '\u2028',
  '\x7f\x01',
];

let connection: Connection;

describe.each(PORTS)('over the %s port', (_, port) => {
  beforeAll(async () => {
    connection = await open(port);
  });

  afterAll(() => connection.close());

  async function echo(type: ParamType, value: ParamValue): Promise<string | null | undefined> {
    const kept = await rowsOf(connection, { text: `SELECT {p1:${type.cast}} AS v`, types: [type] }, [value]);
    return kept.rows[0]?.[0];
  }

  test.each(NASTY)('returns the string %j unchanged', async (value) => {
    expect(await echo(TEXT, value)).toBe(value);
    const list: ParamType = { kind: 'json', cast: 'Array(String)' };
    expect(JSON.parse((await echo(list, JSON.stringify([value, value]))) ?? '')).toEqual([value, value]);
  });

  test('passes any two strings byte for byte', async () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...NASTY, 'a') }));
    await fc.assert(
      fc.asyncProperty(text, text, async (first, second) => {
        const statement = { text: "SELECT concat(hex({p1:String}), '-', hex({p2:String})) AS hex", types: [TEXT, TEXT], columns: HEX };
        const kept = await rowsOf(connection, statement, [first, second]);
        const expected = [first, second].map((part) => Buffer.from(part).toString('hex').toUpperCase()).join('-');
        expect(kept.rows).toEqual([[expected]]);
      }),
      { numRuns: 150 },
    );
  });

  test('accepts NULL for nullable types only', async () => {
    expect(await echo({ kind: 'int', cast: 'Nullable(Int32)' }, null)).toBeNull();
    expect(await failureOf(echo({ kind: 'int', cast: 'Int32' }, null))).toMatchObject({ kind: 'invalid' });
  });

  test('rejects values that the server would wrap or truncate', async () => {
    const refused: readonly (readonly [string, string])[] = [
      ['Int32', '99999999999'],
      ['UInt8', '-1'],
      ['UInt64', '18446744073709551616'],
      ['Int32', '1.5'],
      ['Decimal(5, 2)', '1.234'],
      ['Decimal(5, 2)', '1000.00'],
      ['Date', '2200-01-01'],
      ['Date', '2023-02-30'],
      ["DateTime('UTC')", '2200-01-01T00:00:00Z'],
      ['Array(UInt8)', '[1, 256]'],
      ['Array(UInt8)', '[null]'],
      ['Array(String)', '[1]'],
      ['Map(String, Int8)', '{"a": 128}'],
      ['Bool', 'maybe'],
    ];
    for (const [cast, value] of refused)
      expect(await failureOf(echo({ kind: 'other', cast }, value)), `${cast} ${value}`).toMatchObject({ kind: 'invalid' });
  });

  test('accepts timestamps with any offset', async () => {
    const type: ParamType = { kind: 'temporal', cast: "DateTime64(6, 'UTC')" };
    expect(await echo(type, '2024-03-31T03:30:00.25+02:00')).toBe('2024-03-31T01:30:00.250000Z');
    expect(await echo(type, '1969-12-31T23:59:59.5Z')).toBe('1969-12-31T23:59:59.500000Z');
  });

  test('types nested values to the last leaf', async () => {
    expect(
      await echo({ kind: 'json', cast: "Map(String, Array(Nullable(DateTime('UTC'))))" }, '{"a\'b": ["2024-01-01T01:00:00+01:00", null]}'),
    ).toBe('{"a\'b":["2024-01-01T00:00:00Z",null]}');
    expect(
      await echo({ kind: 'json', cast: 'Tuple(a Int256, b Decimal(20, 3))' }, '{"a": 123456789012345678901234567890, "b": 0.100}'),
    ).toBe('{"a":123456789012345678901234567890,"b":0.100}');
  });

  test('passes 3,000 parameters, and one of 3 MB', async () => {
    const values = Array.from({ length: 3000 }, (_, i) => `value ${i}`);
    const list = values.map((_, i) => `{p${i + 1}:String}`).join(', ');
    const many = await rowsOf(
      connection,
      { text: `SELECT 'value 2999' IN (${list}) AS found, 'x' IN (${list}) AS not_found`, types: values.map(() => TEXT) },
      values,
    );
    expect(many.rows).toEqual([['1', '0']]);
    const part = `it's\t\\${'x'.repeat(94)}`;
    const long = part.repeat(30_000);
    const kept = await rowsOf(
      connection,
      {
        text: 'SELECT length({p1:String}) AS n, cityHash64({p1:String}) = cityHash64(repeat({p2:String}, 30000)) AS same',
        types: [TEXT, TEXT],
      },
      [long, part],
    );
    expect(kept.rows).toEqual([[String(long.length), '1']]);
  });
});
