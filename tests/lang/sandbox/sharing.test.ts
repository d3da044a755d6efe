/** What the sandbox is made of: values in pieces, and jobs in turn. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairLine } from '../../../src/lang/sandbox/fair-line.ts';
import { Packer, Unpacker } from '../../../src/lang/sandbox/flat.ts';
import { Decimal, type PlainValue } from '../../../src/util/text/decimal.ts';

function throughPieces(value: PlainValue): { readonly value: PlainValue; readonly pieces: number } {
  const packer = new Packer(value);
  const unpacker = new Unpacker();
  let pieces = 0;
  do {
    unpacker.add(structuredClone(packer.piece()));
    pieces++;
  } while (!packer.done);
  return { value: unpacker.value, pieces };
}

const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.string(),
  fc.integer(),
  fc.bigInt(),
  fc.integer().map((n) => new Decimal(`${n}.50`)),
);
const { plain } = fc.letrec<{ plain: PlainValue }>((tie) => ({
  plain: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('plain')),
    fc.array(fc.tuple(fc.string(), tie('plain'))).map((entries) => new Map(entries)),
  ),
}));

describe('values in pieces', () => {
  it('are the same again', () => {
    fc.assert(
      fc.property(plain, (value) => {
        expect(throughPieces(value).value).toStrictEqual(value);
      }),
    );
  });

  it('are several when they are large', () => {
    const rows = Array.from(
      { length: 5000 },
      (_, i) =>
        new Map<string, PlainValue>([
          ['i', i],
          ['list', [i, [i]]],
        ]),
    );
    const { value, pieces } = throughPieces(rows);
    expect(value).toStrictEqual(rows);
    expect(pieces).toBeGreaterThan(5);
    expect(throughPieces(['x'.repeat(300_000), 'y']).pieces).toBe(2);
  });

  it('know their size, also when parts of them are shared', () => {
    let value: PlainValue = ['x'];
    for (let i = 0; i < 12; i++) value = [value, value];
    const packer = new Packer(value);
    do packer.piece();
    while (!packer.done);
    expect(packer.size).toBeGreaterThan(2 ** 12 * 8);
  });
});

describe('jobs in turn', () => {
  const everybody = () => true;
  const line = (...owners: string[]) => {
    const jobs = new FairLine<{ owner: string; n: number }>({ most: 6, mostOfOne: 3 });
    for (const [n, owner] of owners.entries()) jobs.add({ owner, n });
    return jobs;
  };

  it('serves owners in turn, and each in its own order', () => {
    const jobs = line('a', 'a', 'a', 'b', 'c');
    const order = Array.from({ length: 5 }, () => jobs.take(everybody)).map((job) => `${job?.owner}${job?.n}`);
    expect(order).toEqual(['a0', 'b3', 'c4', 'a1', 'a2']);
    expect(jobs.length).toBe(0);
  });

  it('passes over those who may not have one', () => {
    const jobs = line('a', 'b');
    expect(jobs.take((owner) => owner !== 'a')?.owner).toBe('b');
    expect(jobs.take((owner) => owner !== 'a')).toBeUndefined();
    expect(jobs.length).toBe(1);
  });

  it('has so much room for all, and for each', () => {
    const jobs = line('a', 'a', 'a');
    expect(jobs.add({ owner: 'a', n: 9 })).toBe(false);
    expect(['b', 'b', 'c'].map((owner) => jobs.add({ owner, n: 9 }))).toEqual([true, true, true]);
    expect(jobs.add({ owner: 'd', n: 9 })).toBe(false);
  });
});
