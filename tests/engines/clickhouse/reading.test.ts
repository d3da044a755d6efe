/**
 * Parsers of type names, HTTP responses and rows give the same result however their bytes are
 * split.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ResponseParser } from '../../../src/engines/clickhouse/protocol/http-response.ts';
import { RowReader } from '../../../src/engines/clickhouse/protocol/row-reader.ts';
import { Spool } from '../../../src/engines/clickhouse/protocol/spool.ts';
import { fitOf } from '../../../src/engines/clickhouse/types/fit.ts';
import { typeFacts } from '../../../src/engines/clickhouse/types/kinds.ts';
import { dateText, parseDate, parseInstant } from '../../../src/engines/clickhouse/types/temporal.ts';
import { enumMembers, parameterType, parseType, quoteName } from '../../../src/engines/clickhouse/types/type-text.ts';
import { LargeRowBudget } from '../../../src/engines/contract/limits.ts';
import type { Kind } from '../../../src/model/table.ts';
import { Kept } from './support.ts';

const FLOW = { pause: () => undefined, resume: () => undefined };

test('type names are parsed into trees and parameter types', () => {
  const types: readonly (readonly [text: string, parameter: string])[] = [
    ['Int32', 'Int32'],
    ['LowCardinality(Nullable(String))', 'Nullable(String)'],
    ["Array(DateTime('Asia/Tokyo'))", "Array(DateTime('UTC'))"],
    ["DateTime64(3, 'Asia/Tokyo')", "DateTime64(3, 'UTC')"],
    ['Map(String, Tuple(a Int8, `b c` Array(LowCardinality(String))))', 'Map(String, Tuple(`a` Int8, `b c` Array(String)))'],
    ['Nested(x Int8, y String)', 'Array(Tuple(`x` Int8, `y` String))'],
    ["Enum8('a' = 1, 'it\\'s (x)' = -2)", "Enum8('a' = 1, 'it\\'s (x)' = -2)"],
    ['SimpleAggregateFunction(anyLast, Nullable(Float64))', 'Nullable(Float64)'],
    ['JSON(max_dynamic_paths=10, a.b UInt32, SKIP c)', 'String'],
    ['Dynamic(max_types=5)', 'String'],
    ['Variant(String, Array(UInt8))', 'String'],
    ['AggregateFunction(quantiles(0.5, 0.9), UInt64)', 'String'],
    ['Decimal(10, 2)', 'Decimal(10, 2)'],
  ];
  for (const [text, parameter] of types) expect(parameterType(parseType(text)), text).toBe(parameter);
  expect([...enumMembers(parseType("Enum16('a\\nb' = 1, 'x = y' = 300)"))]).toEqual([
    ['a\nb', 1],
    ['x = y', 300],
  ]);
  for (const broken of ['', 'Array(', 'Array(Int8', "Enum8('a", 'Tuple(a Int8', 'Int8)']) expect(() => parseType(broken), broken).toThrow();
  expect(typeFacts('Map(String, Int8)')).toMatchObject({ kind: 'json', sortable: false });
  expect(typeFacts('Array(Tuple(Int8, Map(String, Int8)))').sortable).toBe(false);
  expect(typeFacts('UInt256').max).toBe(2n ** 256n - 1n);
  expect(quoteName('a`b\\c\0')).toBe('`a\\`b\\\\c\\0`');
});

test('a value is inside, below, above or between the values of a type', () => {
  const cases: readonly (readonly [type: string, text: string, fit: object | undefined])[] = [
    ['Int8', '127', { side: 'within', exact: true, text: '127' }],
    ['Int8', '128', { side: 'above', exact: true, text: '127' }],
    ['UInt8', '-1', { side: 'below', exact: true, text: '0' }],
    ['Int8', 'x', undefined],
    ['Decimal(4, 2)', '1.239', { side: 'within', exact: false, text: '1.23' }],
    ['Decimal(4, 2)', '-1.239', { side: 'within', exact: false, text: '-1.24' }],
    ['Decimal(4, 2)', '100', { side: 'above', exact: true, text: '99.99' }],
    ['Decimal(4, 2)', '12e-1', { side: 'within', exact: true, text: '1.20' }],
    ['Date', '2024-02-30', undefined],
    ['Date', '1969-12-31', { side: 'below', exact: true, text: '1970-01-01' }],
    ['DateTime', '2024-01-01T00:00:00.5+01:00', { side: 'within', exact: false, text: '2023-12-31T23:00:00Z' }],
    ['DateTime64(3)', '1969-12-31T23:59:59.9999Z', { side: 'within', exact: false, text: '1969-12-31T23:59:59.999Z' }],
  ];
  for (const [type, text, fit] of cases) expect(fitOf(parseType(type), text), `${type} ${text}`).toEqual(fit);
});

test('dates and instants agree with the calendar', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }), (date) => {
      const iso = date.toISOString();
      expect(dateText(parseDate(iso.slice(0, 10)) ?? Number.NaN)).toBe(iso.slice(0, 10));
      const instant = parseInstant(iso);
      expect((instant?.seconds ?? 0) * 1000 + (instant?.nanos ?? 0) / 1e6).toBe(date.getTime());
    }),
  );
  for (const bad of ['2024-13-01', '2024-00-10', '24-01-01', 'now', '2023-02-29']) expect(parseDate(bad), bad).toBeUndefined();
  for (const bad of ['2024-01-01T24:00:00Z', '2024-01-01T10:60:00Z', '2024-01-01T10:00:60Z', 'x'])
    expect(parseInstant(bad), bad).toBeUndefined();
});

/** Splits bytes into pieces of the given sizes, repeatedly. */
function pieces(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    found.push(bytes.subarray(at, at + size));
    at += size;
  }
  return found;
}

const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });

test('a response is the same in pieces of any size', () => {
  const body = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(body, fc.constantFrom('chunked', 'counted'), cuts, cuts, (content, form, chunking, cutting) => {
      const chunks = pieces(content, chunking).flatMap((piece) => [
        Buffer.from(`${piece.length.toString(16)};x=y\r\n`),
        piece,
        Buffer.from('\r\n'),
      ]);
      const framed = form === 'chunked' ? [...chunks, Buffer.from('0\r\nX-Trailer: 1\r\n\r\n')] : [content];
      const length = form === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${content.length}`;
      const whole = Buffer.concat([Buffer.from(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n${length}\r\nX-A: b\r\n\r\n`), ...framed]);
      const seen: Buffer[] = [];
      let header: string | undefined;
      const parser = new ResponseParser({
        head: (head) => {
          header = head.headers.get('x-a');
        },
        body: (bytes, from, to) => seen.push(Buffer.from(bytes.subarray(from, to))),
      });
      const parts = pieces(whole, cutting);
      parts.forEach((part, index) => {
        expect(parser.done && content.length > 0 && index < parts.length - 1 && form === 'chunked').toBe(false);
        parser.push(part);
      });
      expect(parser.done).toBe(true);
      expect(header).toBe('b');
      expect(Buffer.concat(seen).equals(content)).toBe(true);
    }),
  );
  const broken = new ResponseParser({ head: () => undefined, body: () => undefined });
  expect(() => broken.push(Buffer.from('220 mail.example\r\n\r\n'))).toThrow();
});

const CELLS: readonly (readonly [kind: Kind, value: fc.Arbitrary<unknown>])[] = [
  ['int', fc.integer()],
  ['text', fc.string({ unit: 'binary' })],
  ['json', fc.jsonValue()],
  ['float', fc.constantFrom(1.5, 'nan', 'inf', '-inf')],
  ['text', fc.option(fc.string({ unit: fc.constantFrom('"', '\\', '\n', '\u2028', ']', ',', 'é') }))],
];
const SPELLED: Readonly<Record<string, string>> = { nan: 'NaN', inf: 'Infinity', '-inf': '-Infinity' };

test('any row is read as its cells, in pieces of any size', () => {
  const row = fc.tuple(...CELLS.map(([, value]) => value));
  fc.assert(
    fc.property(fc.array(row, { maxLength: 20 }), cuts, (rows, sizes) => {
      const spool = new Spool(new LargeRowBudget());
      const kept = new Kept();
      const reader = new RowReader(kept, FLOW);
      reader.start(CELLS.map(([kind], index) => ({ name: `c${index}`, kind })));
      const bytes = Buffer.from(rows.map((cells) => `[${cells.map((cell) => JSON.stringify(cell)).join(', ')}]\n`).join(''));
      for (const piece of pieces(bytes, sizes)) {
        spool.append(piece, 0, piece.length);
        for (let end = spool.bytes.indexOf(10, spool.start); end >= 0 && end < spool.end; end = spool.bytes.indexOf(10, spool.start)) {
          reader.row(spool.bytes, spool.start, end);
          spool.start = end + 1;
        }
      }
      expect(spool.empty).toBe(true);
      const expected = rows.map(([int, text, json, float, nasty]) => [
        String(int),
        Buffer.from(String(text)).toString(),
        json === null ? null : JSON.stringify(json),
        SPELLED[String(float)] ?? String(float),
        nasty ?? null,
      ]);
      expect(kept.rows).toEqual(expected);
    }),
  );
});

test('a damaged or unexpected row fails, and is never read past its end', () => {
  const one = [{ name: 'a', kind: 'int' as const }];
  for (const text of ['[1', '["x', '[[1,2]', '[{"a":', '["\\', '[1, 2]', '[]', '1]', '["5"]', '']) {
    const reader = new RowReader(new Kept(), FLOW);
    reader.start(one);
    const bytes = Buffer.from(`${text}\n["another", "row"]\n`);
    expect(() => reader.row(bytes, 0, text.length), text).toThrow(/columns/);
  }
});
