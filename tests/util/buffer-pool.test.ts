/** Pooled buffers: nobody's bytes change before their release, and released ones serve again. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acquireBuffer, poisonReleased, releaseBuffer, releaseLease } from '../../src/util/buffer-pool.ts';

describe('pooled buffers', () => {
  it('is as large as asked for, and belongs to one at a time', () => {
    const size = fc.oneof(fc.integer({ min: 0, max: 300 * 1024 }), fc.constantFrom(16_384, 81_920, 1024 * 1024, 1024 * 1024 + 1));
    fc.assert(
      fc.property(fc.array(fc.tuple(size, fc.nat()), { maxLength: 40 }), (steps) => {
        const held: { readonly bytes: Buffer; readonly mark: number }[] = [];
        for (const [i, [wanted, choice]] of steps.entries()) {
          const { bytes } = acquireBuffer(wanted);
          expect(bytes.length).toBeGreaterThanOrEqual(wanted);
          bytes.fill(i);
          held.push({ bytes, mark: i });
          if (choice % 2 === 1) {
            const [one] = held.splice(choice % held.length, 1);
            releaseBuffer((one as { bytes: Buffer }).bytes.subarray(choice % 7));
          }
          for (const { bytes: content, mark } of held) expect(content.every((byte) => byte === mark)).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('serves again, once for each time that it was given back', () => {
    const first = acquireBuffer(100_000);
    releaseBuffer(first.bytes);
    releaseBuffer(first.bytes.subarray(10, 20));
    releaseLease(first);
    const [second, third] = [acquireBuffer(100_000), acquireBuffer(100_000)];
    expect(second.bytes.buffer).toBe(first.bytes.buffer);
    expect(third.bytes.buffer).not.toBe(first.bytes.buffer);
  });

  it('leaves alone what was never leased, and keeps nothing that is too large', () => {
    const own = Buffer.alloc(100_000);
    releaseBuffer(own);
    expect(acquireBuffer(100_000).bytes.buffer).not.toBe(own.buffer);
    const large = acquireBuffer(2 * 1024 * 1024);
    releaseLease(large);
    releaseBuffer(large.bytes);
    expect(acquireBuffer(2 * 1024 * 1024).bytes.buffer).not.toBe(large.bytes.buffer);
  });

  it('can be told to spoil what is given back, so that a use after the release shows', () => {
    const used = acquireBuffer(100_000);
    used.bytes.fill(0x61);
    poisonReleased(0xdb);
    releaseBuffer(used.bytes);
    expect(used.bytes.every((byte) => byte === 0xdb)).toBe(true);
  });
});
