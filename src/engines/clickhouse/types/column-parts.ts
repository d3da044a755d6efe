/**
 * Parts of every column encoder: the common interface, growing buffers, and 64-bit counts.
 * Independent of types.
 */
import type { Lease } from '../../../util/bytes/buffer-pool.ts';
import { ByteWriter } from '../../../util/bytes/byte-writer.ts';
import type { PlainValue } from '../../../util/text/decimal.ts';

/** A column, or a part of one, that grows row by row. */
export interface ColumnEncoder {
  /** Appends a value inside a nested one. */
  json(value: PlainValue): void;
  /** Appends a whole cell from canonical text. */
  text(value: string): void;
  /**
   * Appends a cell from the bytes of its canonical text. `undefined` if the encoder needs a string.
   */
  range?: ((source: Buffer, from: number, to: number) => void) | undefined;
  /** Appends the placeholder for NULL. */
  blank(): void;
  /**
   * Bytes that precede the column's data, for the whole tree. `prefix` and `data` are called once;
   * the caller owns the leases.
   */
  prefix(): Lease[];
  data(): Lease[];
}

export function growing(): ByteWriter {
  return new ByteWriter(Number.POSITIVE_INFINITY, () => undefined);
}

/** Appends a 64-bit little-endian count. */
export function putCount(out: ByteWriter, value: number): void {
  out.reserve(8);
  out.length = out.bytes.writeUInt32LE(value >>> 0, out.length);
  out.length = out.bytes.writeUInt32LE(Math.floor(value / 0x1_0000_0000), out.length);
}

export function counts(...values: readonly number[]): Lease {
  const out = growing();
  for (const value of values) putCount(out, value);
  return out.take();
}
