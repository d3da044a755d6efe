/** Limits on the memory for large rows: of one row, and of all rows together. */
import { afterEach, describe, expect, it } from 'vitest';
import { Spool } from '../../src/engines/clickhouse/protocol/spool.ts';
import { checkRowCount, LargeRowBudget, LIMITS, largeRowBytes } from '../../src/engines/contract/limits.ts';
import { TextRows } from '../../src/engines/contract/rows.ts';
import type { Cells } from '../../src/model/cells.ts';

const held: LargeRowBudget[] = [];
const share = (rowBytes?: number): LargeRowBudget => {
  const one = new LargeRowBudget(rowBytes);
  held.push(one);
  return one;
};
afterEach(() => {
  for (const one of held.splice(0)) one.hold(0);
  expect(largeRowBytes()).toBe(0);
});

describe('LargeRowBudget', () => {
  it('rejects a row that is too large', () => {
    expect(() => share(1000).checkRow(1000)).not.toThrow();
    expect(() => share(1000).checkRow(1001)).toThrow(/a row of 1001 bytes; at most 1000 are read/);
    expect(() => share().checkRow(LIMITS.rowBytes + 1)).toThrow(expect.objectContaining({ kind: 'malformed' }));
  });

  it('rejects a row when all rows together are too large', () => {
    for (let i = 0; i < LIMITS.largeBytes / LIMITS.rowBytes; i++) share().hold(LIMITS.rowBytes);
    expect(() => share().hold(LIMITS.largeFrom + 1)).toThrow(expect.objectContaining({ kind: 'busy' }));
    // Small rows still pass, and a row that shrinks frees memory.
    expect(() => share().hold(LIMITS.largeFrom)).not.toThrow();
    held[0]?.hold(0);
    expect(() => share().hold(LIMITS.rowBytes)).not.toThrow();
  });
});

describe('a row that never ends', () => {
  it('takes no more memory than was received', () => {
    const MIB = 1024 * 1024;
    const budget = share();
    const spool = new Spool(budget);
    const piece = Buffer.alloc(MIB, 'x');
    const before = process.memoryUsage.rss();
    let most = 0;
    for (let received = 0; received < 200; received++) {
      spool.append(piece, 0, MIB);
      most = Math.max(most, process.memoryUsage.rss());
    }
    expect((most - before) / MIB).toBeLessThan(260);
    expect(largeRowBytes()).toBeLessThan(210 * MIB);
    spool.letGo();
  });
});

describe('checkRowCount', () => {
  it('rejects a number that is not exact', () => {
    expect(checkRowCount(7)).toBe(7);
    for (const count of [Number('18446744073709551615'), Number.NaN, 2 ** 53]) expect(() => checkRowCount(count)).toThrow(/impossible/);
  });
});

describe('TextRows', () => {
  const rowsOf = (count: number, from: number, to: number): TextRows => {
    const rows = new TextRows();
    rows.start([{ name: 'a', kind: 'text' }] as Parameters<TextRows['start']>[0], { pause: () => undefined, resume: () => undefined });
    const cells = { bytes: Buffer.alloc(64 * 1024), from: [from], to: [to] } as unknown as Cells;
    for (let i = 0; i < count; i++) rows.row(cells);
    return rows;
  };

  it('limits the total size of the rows', () => {
    expect(() => rowsOf(1000, 0, 64 * 1024)).toThrow(/a catalog of more than/);
  });

  it('counts nothing for NULL, wherever the value before it ended', () => {
    expect(rowsOf(1000, -1, 64 * 1024).rows).toHaveLength(1000);
  });
});
