/** The byte writer: all bytes are written in order, across growth and appended buffers. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Lease } from '../../src/util/bytes/buffer-pool.ts';
import { ByteWriter, EncodedText } from '../../src/util/bytes/byte-writer.ts';

interface Step {
  readonly expected: Buffer;
  readonly write: (out: ByteWriter) => void;
}

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.integer({ min: 0, max: 255 }).map((byte) => ({ expected: Buffer.from([byte]), write: (out: ByteWriter) => out.byte(byte) })),
  bytes.map((content) => ({ expected: content, write: (out: ByteWriter) => out.raw(content) })),
  bytes.map((content) => ({ expected: content, write: (out: ByteWriter) => out.encoded(new EncodedText(content)) })),
  fc.string({ unit: 'binary' }).map((text) => ({ expected: Buffer.from(text), write: (out: ByteWriter) => out.text(text) })),
  fc.tuple(bytes, fc.nat(), fc.nat()).map(([source, first, second]) => {
    const from = first % (source.length + 1);
    const to = from + (second % (source.length - from + 1));
    return { expected: source.subarray(from, to), write: (out: ByteWriter) => out.copy(source, from, to) };
  }),
);

describe('ByteWriter', () => {
  it('gives everything back in order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 2000 }), (steps, limit) => {
        const pieces: Buffer[] = [];
        const out = new ByteWriter(limit, ({ bytes }) => pieces.push(bytes));
        for (const { write } of steps) {
          write(out);
          out.flushIfFull();
        }
        const written = Buffer.concat([...pieces, out.take().bytes]);
        expect(written.equals(Buffer.concat(steps.map(({ expected }) => expected)))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('throws rather than advance over bytes that the source does not have', () => {
    const source = Buffer.alloc(200, 0x61);
    const range = fc.tuple(fc.integer({ min: -300, max: 500 }), fc.integer({ min: -300, max: 500 }));
    fc.assert(
      fc.property(range, ([from, to]) => {
        const out = new ByteWriter(Number.POSITIVE_INFINITY, () => {});
        const isInside = from >= 0 && from <= to && to <= source.length;
        if (isInside) out.copy(source, from, to);
        else expect(() => out.copy(source, from, to)).toThrow(RangeError);
        expect(out.takeText()).toBe(isInside ? 'a'.repeat(to - from) : '');
      }),
      { numRuns: 1000 },
    );
    const out = new ByteWriter(Number.POSITIVE_INFINITY, () => {});
    expect(() => out.copy(source, 100, 100 + 2 ** 31)).toThrow(RangeError);
    expect(out.take().length).toBe(0);
  });

  it('grows past its first size', () => {
    const out = new ByteWriter(Number.POSITIVE_INFINITY, () => {});
    const text = 'é'.repeat(100_000);
    out.text(text);
    for (let i = 0; i < 50_000; i++) out.byte(0x61);
    expect(out.takeText()).toBe(text + 'a'.repeat(50_000));
  });

  it('goes on after what was left has been taken', () => {
    const out = new ByteWriter(10, () => {});
    out.text('one');
    expect(out.takeText()).toBe('one');
    out.text('two');
    out.byte(0x21);
    expect(out.takeText()).toBe('two!');
  });

  it('never disturbs a piece before it was released, however often that is said', () => {
    const turns = fc.array(fc.tuple(fc.nat({ max: 3 }), fc.integer({ min: 1, max: 30_000 }), fc.boolean()), { maxLength: 60 });
    fc.assert(
      fc.property(turns, (list) => {
        const held: { readonly piece: Lease; readonly copy: Buffer }[] = [];
        const hold = (piece: Lease): void => void held.push({ piece, copy: Buffer.from(piece.bytes) });
        const writers = Array.from({ length: 4 }, () => new ByteWriter(20_000, hold));
        for (const [index, size, release] of list) {
          const out = writers[index] as ByteWriter;
          out.raw(Buffer.alloc(size, 0x30 + index));
          out.flushIfFull();
          const oldest = release ? held.shift() : undefined;
          if (oldest === undefined) continue;
          expect(oldest.piece.bytes.equals(oldest.copy)).toBe(true);
          oldest.piece.release();
          oldest.piece.release();
        }
        for (const out of writers) hold(out.take());
        for (const { piece, copy } of held) {
          expect(piece.bytes.equals(copy)).toBe(true);
          expect(copy.every((byte) => byte === copy[0])).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});
