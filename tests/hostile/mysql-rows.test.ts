// Malformed rows and errors of a MySQL server are rejected at once, and never expose the bytes
// behind them.
import { expect, test } from 'vitest';
import { serverFailure } from '../../src/engines/mysql/dialect/failures.ts';
import { Cursor } from '../../src/engines/mysql/protocol/bytes.ts';
import { SHAPE } from '../../src/engines/mysql/protocol/columns.ts';
import { RowReader } from '../../src/engines/mysql/protocol/rows.ts';
import { cpuMs } from '../support/cpu.ts';

const AT_ONCE_MS = 100;
const SPARE = 64;
const text = (value: string): number[] => [value.length, ...Buffer.from(value)];

/** A cell after the row mark and the null bitmap. */
const ROWS: readonly (readonly [keyof typeof SHAPE, readonly number[]])[] = [
  ['bytes', [5, 65]],
  ['bytes', [1, 65, 66]],
  ['bytes', [0xfb]],
  ['bytes', [0xff, 1]],
  ['bytes', [0xfc, 0, 16]],
  ['bytes', [0xfd, 255, 255, 255]],
  ['bytes', [0xfe, 255, 255, 255, 255, 255, 255, 255, 255]],
  ['bytes', [0xfe, 1, 0, 0, 0, 0, 0, 32, 0, 65]],
  ['bit', [0xfe, 0, 0, 0, 0, 0, 1, 0, 0, 1]],
  ['bit', [9, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
  ['int32', [1, 2]],
  ['int64', [1, 2, 3, 4]],
  ['double', []],
  ['nothing', [1]],
  ['decimal', text('')],
  ['decimal', text('-')],
  ['decimal', text('1.')],
  ['decimal', text('.5')],
  ['decimal', text('1.2.3')],
  ['decimal', text('0,"role":"admin"')],
  ['date', [3, 1, 1, 1]],
  ['date', [4, 0xe8, 7, 13, 1]],
  ['date', [4, 0xe8, 7, 2, 200]],
  ['date', [4, 0xff, 0xff, 1, 1]],
  ['date', [255]],
  ['datetime', [7, 0xe8, 7, 1, 1, 200, 0, 0]],
  ['datetime', [7, 0xe8, 7, 1, 1, 1, 60, 0]],
  ['timestamp', [11, 0xe8, 7, 1, 1, 1, 1, 1, 0x40, 0x42, 0x0f, 0]],
  ['timestamp', [11, 0xe8, 7, 1, 1, 1, 1, 1, 255, 255, 255, 255]],
  ['time', [8, 0, 35, 0, 0, 0, 0, 0, 0]],
  ['time', [8, 0, 0, 0, 0, 255, 0, 0, 0]],
  ['time', [8, 0, 0, 0, 0, 0, 24, 0, 0]],
  ['time', [5, 0, 0, 0, 0, 0]],
];

test.each(ROWS)('a row with a bad %s: %j', (shape, cell) => {
  const reader = new RowReader([{ shape: SHAPE[shape], digits: 6 }]);
  const row = Buffer.from([0, 0, ...cell]);
  const bytes = Buffer.concat([row, Buffer.alloc(SPARE, 'behind the row')]);
  const took = cpuMs(() =>
    expect(() => reader.read(bytes, 0, row.length, row.length + SPARE / 2)).toThrow(expect.objectContaining({ kind: 'malformed' })),
  );
  expect(took).toBeLessThan(AT_ONCE_MS);
});

test('leading zeros of a decimal are dropped', () => {
  const reader = new RowReader([{ shape: SHAPE.decimal, digits: 0 }]);
  for (const [sent, read] of [
    ['-0012.50', '-12.50'],
    ['0000', '0'],
    ['0.5', '0.5'],
    ['00.5', '0.5'],
    ['-7', '-7'],
  ] as const) {
    const bytes = Buffer.from([0, 0, ...text(sent)]);
    reader.read(bytes, 0, bytes.length, bytes.length);
    expect(bytes.toString('latin1', reader.cells.from[0], reader.cells.to[0])).toBe(read);
  }
});

test('numbers and strings end with their packet', () => {
  const bytes = Buffer.from([0xfe, 255, 255, 255, 255, 255, 255, 255, 255, 65, 66]);
  for (let end = 0; end < 9; end++) expect(() => new Cursor(bytes, 0, end).number()).toThrow(/shorter/);
  expect(() => new Cursor(bytes, 0, bytes.length).text()).toThrow(/shorter/);
  expect(() => new Cursor(Buffer.from([3, 65, 66, 67]), 0, 3).text()).toThrow(/shorter/);
});

test.each([
  `Unknown column '${'.'.repeat(16_000)}`,
  `column \`${'a.'.repeat(8000)}`,
  " for user '".repeat(1500),
  " for user 'x'@'".repeat(1000),
  `for key '${'x.'.repeat(8000)}`,
  'CONSTRAINT `'.repeat(1300),
])('an error that is a torment to read is read at once', (message) => {
  const took = cpuMs(() => {
    for (const code of [1054, 1062, 1451, 1045]) serverFailure(code, '42S22', message);
  });
  expect(took).toBeLessThan(AT_ONCE_MS);
});
