/** What every column encoder is made of: the interface that parents and children share, growing bytes, and 64-bit counts. Knows no type. */
import type { Lease } from '../../../util/bytes/buffer-pool.ts';
import { ByteWriter } from '../../../util/bytes/byte-writer.ts';
import type { PlainValue } from '../../../util/text/decimal.ts';

/** One column (or a part of one) that grows row by row. */
export interface ColumnEncoder {
  /** A value inside a nested one. */
  json(value: PlainValue): void;
  /** A whole cell as canonical text. */
  text(value: string): void;
  /** The same as the bytes of the text, where they need not become a string first. */
  range?: ((source: Buffer, from: number, to: number) => void) | undefined;
  /** The value that stands where NULL is. */
  blank(): void;
  /** What the format puts before the column's data, for the whole tree at once. Both are asked for once, and are the caller's. */
  prefix(): Lease[];
  data(): Lease[];
}

export function growing(): ByteWriter {
  return new ByteWriter(Number.POSITIVE_INFINITY, () => undefined);
}

/** One 64-bit little-endian count. */
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
