/**
 * Encodes rows inside a cell, which represent an expanded relation: the number of rows, then for
 * each cell its length (-1 for NULL) and its bytes, which may be rows again. Only this file depends
 * on it.
 */
import type { ByteWriter } from '../util/bytes/byte-writer.ts';
import { viewOf } from '../util/bytes/byte-writer.ts';
import type { Cells } from './cells.ts';

const WORD = 4;
const NULL_LENGTH = -1;

export function beginNested(out: ByteWriter, rows: number): void {
  appendWord(out, rows);
}

export function appendNestedCell(out: ByteWriter, source: Buffer, from: number, to: number): void {
  if (from < 0) {
    appendWord(out, NULL_LENGTH);
    return;
  }
  appendWord(out, to - from);
  appendBytes(out, source, from, to);
}

/** Up to this length, a loop is faster than a call into the runtime. */
const SHORT = 48;

/**
 * Appends bytes from alternating buffers, for which `ByteWriter.copy` would create a view each
 * time.
 */
export function appendBytes(out: ByteWriter, source: Buffer, from: number, to: number): void {
  const size = to - from;
  out.reserve(size);
  const { bytes, length } = out;
  if (size > SHORT) source.copy(bytes, length, from, to);
  else for (let i = 0; i < size; i++) bytes[length + i] = source[from + i] as number;
  out.length = length + size;
}

/** Begins a cell of unknown length. Returns the argument for `endNestedCell`. */
export function beginNestedCell(out: ByteWriter): number {
  appendWord(out, 0);
  return out.length;
}

export function endNestedCell(out: ByteWriter, start: number): void {
  out.view.setInt32(start - WORD, out.length - start, true);
}

export function appendNestedNull(out: ByteWriter): void {
  appendWord(out, NULL_LENGTH);
}

function appendWord(out: ByteWriter, value: number): void {
  out.reserve(WORD);
  out.view.setInt32(out.length, value, true);
  out.length += WORD;
}

/** Reads the rows of a cell one by one. */
export class NestedReader {
  readonly cells: { bytes: Buffer; readonly from: Int32Array; readonly to: Int32Array };
  readonly #width: number;
  #at = 0;

  constructor(width: number) {
    this.#width = width;
    this.cells = { bytes: Buffer.alloc(0), from: new Int32Array(width), to: new Int32Array(width) };
  }

  /** Opens a cell and returns the number of its rows. */
  open(source: Buffer, from: number): number {
    this.cells.bytes = source;
    this.#at = from + WORD;
    return viewOf(source).getInt32(from, true);
  }

  next(): Cells {
    const { bytes, from, to } = this.cells;
    const view = viewOf(bytes);
    for (let i = 0; i < this.#width; i++) {
      const length = view.getInt32(this.#at, true);
      this.#at += WORD;
      from[i] = length < 0 ? -1 : this.#at;
      if (length > 0) this.#at += length;
      to[i] = this.#at;
    }
    return this.cells;
  }
}
