/** Numbers and times as text: any value that is written parses to the same value. */
import fc from 'fast-check';
import { expect, describe as suite, test } from 'vitest';
import { clockDigits, dateDigits, doubleText, floatText, padded, wholeBefore } from '../../../src/engines/mysql/protocol/digits.ts';
import { ParameterWriter } from '../../../src/engines/mysql/protocol/parameters.ts';
import { temporalText } from '../../../src/engines/mysql/types/temporal.ts';

suite('digits', () => {
  test('writes integers up to 2^53', () => {
    const bytes = Buffer.alloc(32);
    fc.assert(
      fc.property(fc.maxSafeNat(), (n) => {
        expect(bytes.toString('latin1', wholeBefore(bytes, 32, n), 32)).toBe(String(n));
      }),
      { numRuns: 2000 },
    );
  });

  test('writes padded numbers', () => {
    const bytes = Buffer.alloc(16);
    fc.assert(
      fc.property(fc.nat(999_999), (n) => {
        expect(bytes.toString('latin1', 0, padded(bytes, 0, n, 6))).toBe(String(n).padStart(6, '0'));
      }),
    );
  });

  test('writes dates and times of day', () => {
    const bytes = Buffer.alloc(32, 0x78);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const two = (n: number): string => String(n).padStart(2, '0');
    fc.assert(
      fc.property(fc.nat(9999), fc.nat(99), fc.nat(99), fc.nat(99), (year, one, other, third) => {
        expect(bytes.toString('latin1', 1, dateDigits(view, 1, year, one, other))).toBe(
          `${String(year).padStart(4, '0')}-${two(one)}-${two(other)}`,
        );
        expect(bytes.toString('latin1', 12, clockDigits(view, 12, one, other, third))).toBe(`${two(one)}:${two(other)}:${two(third)}`);
        expect(bytes.toString('latin1', 20)).toBe('x'.repeat(12));
      }),
    );
  });

  test('writes floats in their shortest exact form', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = floatText(value);
        expect(Object.is(Math.fround(Number(text)), value)).toBe(true);
        expect(text.length).toBeLessThanOrEqual(doubleText(value).length);
        expect(() => JSON.parse(text)).not.toThrow();
      }),
      { numRuns: 5000 },
    );
    expect([0.1, 16777216, 1 / 3, 3.4028234663852886e38].map((value) => floatText(Math.fround(value)))).toEqual([
      '0.1',
      '16777216',
      '0.33333334',
      '3.4028235e+38',
    ]);
  });

  test('writes doubles exactly', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Object.is(Number(doubleText(value)), value)).toBe(true);
      }),
    );
  });
});

suite('parameters', () => {
  test('writes 64-bit integers, signed and unsigned', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.bigInt(0n, 2n ** 64n - 1n), (signed, unsigned) => {
        const writer = new ParameterWriter(Buffer.alloc(4), 0);
        writer.int(String(signed), 'signed');
        writer.int(String(unsigned), 'unsigned');
        expect([writer.take().readBigInt64LE(0), writer.take().readBigUInt64LE(8)]).toEqual([signed, unsigned]);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['int', '', '9223372036854775808'],
    ['int', 'unsigned', '-1'],
    ['int', 'unsigned', '18446744073709551616'],
    ['int', '', '1.5'],
    ['int', '', ''],
    ['int', 'year', '99'],
    ['decimal', '', 'NaN'],
    ['decimal', '', '-Infinity'],
    ['decimal', '', '1x'],
    ['float', '', 'NaN'],
    ['float', '', '1e400'],
    ['float', 'float', '1e39'],
  ] as const)('%s %s rejects %s', (kind, cast, value) => {
    const writer = new ParameterWriter(Buffer.alloc(64), 0);
    expect(() => writer.parameters([{ kind, cast }], [value])).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });
});

suite('times', () => {
  test.each([
    ['2024-01-01T10:00:00.5Z', '2024-01-01 10:00:00.5'],
    ['2024-01-01T10:00:00', '2024-01-01 10:00:00'],
    ['2024-01-01 10:00', '2024-01-01 10:00:00'],
    ['2024-01-01T00:30:00.123456+02:00', '2023-12-31 22:30:00.123456'],
    ['2024-02-28T23:30:00-05', '2024-02-29 04:30:00'],
    ['0099-01-01T00:00:00+00:00', '0099-01-01 00:00:00'],
    ['2024-01-01', '2024-01-01'],
    ['10:00:00Z', '10:00:00'],
    ['-838:59:59.5', '-838:59:59.5'],
    ['0000-00-00T00:00:00', '0000-00-00 00:00:00'],
    ["' OR 1=1", "' OR 1=1"],
  ])('%s is %s', (given, expected) => {
    expect(temporalText(given)).toBe(expected);
  });

  test('converts timestamps with any offset to UTC', () => {
    const moments = fc.date({ min: new Date('1000-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true });
    fc.assert(
      fc.property(moments, fc.integer({ min: -14 * 60, max: 14 * 60 }), (moment, offset) => {
        const local = new Date(moment.getTime() + offset * 60_000).toISOString().slice(0, -1);
        const size = Math.abs(offset);
        const zone = `${offset < 0 ? '-' : '+'}${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`;
        expect(temporalText(local + zone)).toBe(moment.toISOString().slice(0, -1).replace('T', ' '));
      }),
    );
  });
});
