/**
 * Pooled buffers: bytes do not change before their release, released buffers are reused, and use
 * after release is detected.
 */
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { acquireBuffer, Lease, type PooledBuffer, poisonReleased } from '../../src/util/bytes/buffer-pool.ts';

describe('pooled buffers', () => {
  it('are as large as asked for, and belong to one at a time', () => {
    const size = fc.oneof(fc.integer({ min: 0, max: 300 * 1024 }), fc.constantFrom(16_384, 81_920, 1024 * 1024, 1024 * 1024 + 1));
    fc.assert(
      fc.property(fc.array(fc.tuple(size, fc.nat()), { maxLength: 40 }), (steps) => {
        const held: { readonly buffer: PooledBuffer; readonly mark: number }[] = [];
        for (const [i, [wanted, choice]] of steps.entries()) {
          const buffer = acquireBuffer(wanted);
          expect(buffer.bytes.length).toBeGreaterThanOrEqual(wanted);
          buffer.bytes.fill(i);
          held.push({ buffer, mark: i });
          if (choice % 2 === 1) held.splice(choice % held.length, 1)[0]?.buffer.release();
          for (const { buffer: other, mark } of held) expect(other.bytes.every((byte) => byte === mark)).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('serve again, once for each release', () => {
    const first = acquireBuffer(100_000);
    first.lease(10).release();
    first.release();
    const [second, third] = [acquireBuffer(100_000), acquireBuffer(100_000)];
    expect(second.bytes.buffer).toBe(first.bytes.buffer);
    expect(third.bytes.buffer).not.toBe(first.bytes.buffer);
  });

  it('are not kept when they are too large', () => {
    const large = acquireBuffer(2 * 1024 * 1024);
    large.release();
    expect(acquireBuffer(2 * 1024 * 1024).bytes.buffer).not.toBe(large.bytes.buffer);
  });
});

describe('a lease', () => {
  it('is released once: a later release does not take the buffer from its next owner', () => {
    const lease = acquireBuffer(100_000).lease(10);
    const { buffer } = lease.bytes;
    lease.release();
    const next = acquireBuffer(100_000);
    expect(next.bytes.buffer).toBe(buffer);
    lease.release();
    expect(acquireBuffer(100_000).bytes.buffer).not.toBe(buffer);
  });

  it('gives no bytes after its release, of the pool or not', () => {
    for (const lease of [acquireBuffer(100_000).lease(10), new Lease(Buffer.alloc(10))]) {
      expect(lease.bytes.length).toBe(10);
      lease.release();
      expect(() => lease.bytes).toThrow('after its release');
    }
  });
});

describe('released memory that is poisoned', () => {
  afterAll(() => poisonReleased(undefined));

  it('shows whoever reads it, writes to it, or releases it again', () => {
    const used = acquireBuffer(200_000);
    used.bytes.fill(0x61);
    const { bytes } = used.lease(100);
    poisonReleased(0xdb);
    used.release();
    expect(bytes.every((byte) => byte === 0xdb)).toBe(true);
    expect(() => used.release()).toThrow('released twice');
    bytes[5] = 0x61;
    expect(() => acquireBuffer(200_000)).toThrow('a buffer was written after its release');
  });
});
