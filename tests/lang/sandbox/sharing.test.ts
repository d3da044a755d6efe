/** Parts of the sandbox: the serialization of values, and the queue of jobs. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../src/lang/sandbox/fair-queue.ts';
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

describe('Packer and Unpacker', () => {
  it('restores any plain value', () => {
    fc.assert(
      fc.property(plain, (value) => {
        expect(throughPieces(value).value).toStrictEqual(value);
      }),
    );
  });

  it('splits large values into several pieces', () => {
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

  it('counts the size of a shared part every time it occurs', () => {
    let value: PlainValue = ['x'];
    for (let i = 0; i < 12; i++) value = [value, value];
    const packer = new Packer(value);
    do packer.piece();
    while (!packer.done);
    expect(packer.size).toBeGreaterThan(2 ** 12 * 8);
  });
});

describe('FairQueue', () => {
  const anyTenant = () => true;
  const queueOf = (...tenants: string[]) => {
    const jobs = new FairQueue<{ tenant: string; n: number }>({ max: 6, maxPerTenant: 3 });
    for (const [n, tenant] of tenants.entries()) jobs.add({ tenant, n });
    return jobs;
  };

  it('serves tenants round robin, and each in the order of its jobs', () => {
    const jobs = queueOf('a', 'a', 'a', 'b', 'c');
    const order = Array.from({ length: 5 }, () => jobs.take(anyTenant)).map((job) => `${job?.tenant}${job?.n}`);
    expect(order).toEqual(['a0', 'b3', 'c4', 'a1', 'a2']);
    expect(jobs.length).toBe(0);
  });

  it('skips tenants that may not have a job', () => {
    const jobs = queueOf('a', 'b');
    expect(jobs.take((tenant) => tenant !== 'a')?.tenant).toBe('b');
    expect(jobs.take((tenant) => tenant !== 'a')).toBeUndefined();
    expect(jobs.length).toBe(1);
  });

  it('rejects a job when the queue or the share of its tenant is full', () => {
    const jobs = queueOf('a', 'a', 'a');
    expect(jobs.add({ tenant: 'a', n: 9 })).toBe(false);
    expect(['b', 'b', 'c'].map((tenant) => jobs.add({ tenant, n: 9 }))).toEqual([true, true, true]);
    expect(jobs.add({ tenant: 'd', n: 9 })).toBe(false);
  });
});
