/**
 * Reads one row of a binary result into cells. Strings stay where they were received. Numbers and
 * times are written as canonical text into the spare space behind the row, without allocating.
 * A cell is passed on only after the row was proven to end with its packet, so a wrong length never
 * exposes the bytes behind it.
 */
import type { Cells } from '../../../model/cells.ts';
import { viewOf } from '../../../util/bytes/byte-writer.ts';
import { malformed } from '../../contract/limits.ts';
import { cutShort } from './bytes.ts';
import { SHAPE, type WireColumn } from './columns.ts';
import { clockDigits, dateDigits, doubleText, floatText, padded, wholeBefore } from './digits.ts';

/** The longest text of a number or a time (`2024-01-01T10:00:00.000000Z`), rounded up. */
export const SPARE_PER_COLUMN = 32;

/** Values below this length have one length byte. */
const LONG = 0xfb;
const TWO_32 = 0x100000000;
const DASH = 45;
const DOT = 46;
const ZERO = 48;
const OPEN_DIGITS = 31;
const MAX_BIT_BYTES = 8;
const MAX_MICROS = 999_999;
/** Lengths of temporal values: the server omits trailing zero parts. */
const TIMESTAMP_SIZES = marked(0, 4, 7, 11);
const TIME_SIZES = marked(0, 8, 12);
/** A TIME has at most 838 hours. */
const MAX_DAYS = 34;
/** Powers of ten. */
const POWERS = [1, 10, 100, 1_000, 10_000, 100_000];
const EMPTY = Buffer.alloc(0);

export class RowReader {
  readonly cells: Cells;
  readonly #shapes: Uint8Array;
  readonly #digits: Uint8Array;
  readonly #nullBytes: number;
  #at = 0;
  #end = 0;
  #spare = 0;

  constructor(columns: readonly WireColumn[]) {
    const count = columns.length;
    this.#shapes = new Uint8Array(count);
    this.#digits = new Uint8Array(count);
    for (let i = 0; i < count; i++) {
      this.#shapes[i] = columns[i]?.shape ?? SHAPE.nothing;
      this.#digits[i] = columns[i]?.digits ?? 0;
    }
    this.#nullBytes = (count + 9) >> 3;
    this.cells = { bytes: EMPTY, from: new Int32Array(count), to: new Int32Array(count) };
  }

  /**
   * Checks only the end of the row: lengths are not negative, so if the values end with the row,
   * each of them lies inside it.
   */
  read(bytes: Buffer, from: number, to: number, spare: number): void {
    const { cells } = this;
    const { from: starts, to: ends } = cells;
    const shapes = this.#shapes;
    cells.bytes = bytes;
    this.#end = to;
    this.#spare = spare;
    let nulls = bytes[from + 1] as number;
    let at = from + 1 + this.#nullBytes;
    for (let i = 0; i < shapes.length; i++) {
      const bit = i + 2;
      if ((bit & 7) === 0) nulls = bytes[from + 1 + (bit >> 3)] as number;
      if ((nulls & (1 << (bit & 7))) !== 0) {
        starts[i] = -1;
        ends[i] = -1;
        continue;
      }
      const shape = shapes[i] as number;
      const size = bytes[at] as number;
      // Most values are short strings.
      if (shape === SHAPE.bytes && size < LONG) {
        starts[i] = at + 1;
        at += 1 + size;
        ends[i] = at;
        continue;
      }
      this.#at = at;
      this.#value(bytes, i, shape);
      at = this.#at;
    }
    if (at !== to) throw malformed('a row whose length is wrong');
  }

  #value(bytes: Buffer, i: number, shape: number): void {
    const at = this.#at;
    switch (shape) {
      case SHAPE.bytes: {
        const size = this.#length(bytes);
        this.#set(i, this.#at, this.#at + size);
        this.#at += size;
        break;
      }
      case SHAPE.decimal:
        this.#decimal(bytes, i);
        break;
      case SHAPE.int32:
        this.#at = at + 4;
        this.#whole(bytes, i, viewOf(bytes).getInt32(at, true));
        break;
      case SHAPE.uint32:
        this.#at = at + 4;
        this.#whole(bytes, i, viewOf(bytes).getUint32(at, true));
        break;
      case SHAPE.int64:
        this.#at = at + 8;
        this.#int64(bytes, i, at);
        break;
      case SHAPE.uint64:
        this.#at = at + 8;
        this.#uint64(bytes, i, viewOf(bytes).getUint32(at + 4, true), viewOf(bytes).getUint32(at, true));
        break;
      case SHAPE.int8:
        this.#at = at + 1;
        this.#whole(bytes, i, bytes.readInt8(at));
        break;
      case SHAPE.uint8:
        this.#at = at + 1;
        this.#whole(bytes, i, bytes.readUInt8(at));
        break;
      case SHAPE.int16:
        this.#at = at + 2;
        this.#whole(bytes, i, bytes.readInt16LE(at));
        break;
      case SHAPE.uint16:
        this.#at = at + 2;
        this.#whole(bytes, i, bytes.readUInt16LE(at));
        break;
      case SHAPE.float:
        this.#at = at + 4;
        this.#text(bytes, i, floatText(bytes.readFloatLE(at)));
        break;
      case SHAPE.double:
        this.#at = at + 8;
        this.#text(bytes, i, doubleText(bytes.readDoubleLE(at)));
        break;
      case SHAPE.date:
      case SHAPE.datetime:
      case SHAPE.timestamp:
        this.#timestamp(bytes, i, shape);
        break;
      case SHAPE.time:
        this.#time(bytes, i);
        break;
      case SHAPE.bit:
        this.#bit(bytes, i);
        break;
      default:
        throw malformed('a value of a type without values');
    }
  }

  #set(i: number, from: number, to: number): void {
    this.cells.from[i] = from;
    this.cells.to[i] = to;
  }

  /** Reserves the spare space of one cell and returns its end. */
  #take(): number {
    this.#spare += SPARE_PER_COLUMN;
    return this.#spare;
  }

  /** Reads a length, all of whose bytes must be in the row. */
  #length(bytes: Buffer): number {
    const at = this.#at;
    const first = bytes[at] as number;
    let size = first;
    if (first < LONG) {
      this.#at = at + 1;
    } else if (first === 0xfc) {
      this.#at = at + 3;
      size = bytes.readUInt16LE(at + 1);
    } else if (first === 0xfd) {
      this.#at = at + 4;
      size = bytes.readUIntLE(at + 1, 3);
    } else if (first === 0xfe) {
      this.#at = at + 9;
      size = viewOf(bytes).getUint32(at + 1, true) + viewOf(bytes).getUint32(at + 5, true) * TWO_32;
    } else {
      throw malformed('a value without a length');
    }
    if (size > this.#end - this.#at) throw cutShort();
    return size;
  }

  #whole(bytes: Buffer, i: number, n: number): void {
    const end = this.#take();
    let from = wholeBefore(bytes, end, n < 0 ? -n : n);
    if (n < 0) bytes[--from] = DASH;
    this.#set(i, from, end);
  }

  #int64(bytes: Buffer, i: number, at: number): void {
    const n = viewOf(bytes).getInt32(at + 4, true) * TWO_32 + viewOf(bytes).getUint32(at, true);
    if (Number.isSafeInteger(n)) this.#whole(bytes, i, n);
    else this.#text(bytes, i, bytes.readBigInt64LE(at).toString());
  }

  #uint64(bytes: Buffer, i: number, high: number, low: number): void {
    const n = high * TWO_32 + low;
    if (Number.isSafeInteger(n)) this.#whole(bytes, i, n);
    else this.#text(bytes, i, ((BigInt(high) << 32n) + BigInt(low)).toString());
  }

  #text(bytes: Buffer, i: number, text: string): void {
    const from = this.#take() - SPARE_PER_COLUMN;
    this.#set(i, from, from + bytes.write(text, from, 'latin1'));
  }

  /** Validates the number, which is copied into responses, and drops the zeros of ZEROFILL. */
  #decimal(bytes: Buffer, i: number): void {
    const size = this.#length(bytes);
    const end = this.#at + size;
    const negative = bytes[this.#at] === DASH;
    let from = this.#at + (negative ? 1 : 0);
    let dot = end;
    for (let at = from; at < end; at++) {
      if (((bytes[at] as number) - ZERO) >>> 0 <= 9) continue;
      if (bytes[at] !== DOT || dot !== end || at + 1 === end) throw malformed('an invalid decimal');
      dot = at;
    }
    if (dot <= from) throw malformed('an invalid decimal');
    if (bytes[from] === ZERO) while (from + 1 < dot && bytes[from] === ZERO) from++;
    if (negative) bytes[--from] = DASH;
    this.#set(i, from, end);
    this.#at = end;
  }

  /** BIT(n): up to eight bytes, big-endian. */
  #bit(bytes: Buffer, i: number): void {
    const size = this.#length(bytes);
    if (size > MAX_BIT_BYTES) throw malformed(`a BIT of ${size} bytes`);
    const end = this.#at + size;
    let high = 0;
    let low = 0;
    for (let at = this.#at; at < end; at++) {
      high = end - at > 4 ? high * 256 + (bytes[at] as number) : high;
      low = end - at > 4 ? low : low * 256 + (bytes[at] as number);
    }
    this.#at = end;
    this.#uint64(bytes, i, high, low);
  }

  /** Reads the length of a temporal value and checks that it lies in the row. */
  #parts(bytes: Buffer, sizes: Uint8Array): number {
    const size = bytes[this.#at] as number;
    if (sizes[size] !== 1 || size >= this.#end - this.#at) throw invalidTime();
    this.#at += 1 + size;
    return size;
  }

  /** DATE, DATETIME and TIMESTAMP: the server omits trailing zero parts. */
  #timestamp(bytes: Buffer, i: number, shape: number): void {
    const at = this.#at + 1;
    const size = this.#parts(bytes, TIMESTAMP_SIZES);
    const from = this.#take() - SPARE_PER_COLUMN;
    const year = size < 4 ? 0 : (bytes[at] as number) + (bytes[at + 1] as number) * 256;
    const month = size < 4 ? 0 : (bytes[at + 2] as number);
    const day = size < 4 ? 0 : (bytes[at + 3] as number);
    // Tests all signs at once: is any part above its maximum?
    if (((9999 - year) | (12 - month) | (31 - day)) < 0) throw invalidTime();
    let to = dateDigits(viewOf(bytes), from, year, month, day);
    if (shape !== SHAPE.date) {
      bytes[to++] = 84;
      to = size < 7 ? this.#clock(bytes, to, 0, 0, 0) : this.#clock(bytes, to, bytes[at + 4], bytes[at + 5], bytes[at + 6]);
      to = this.#fraction(bytes, to, i, size < 11 ? 0 : viewOf(bytes).getInt32(at + 7, true));
      if (shape === SHAPE.timestamp) bytes[to++] = 90;
    }
    this.#set(i, from, to);
  }

  /** TIME: sign, days and clock. Days become hours, as the engine prints it. */
  #time(bytes: Buffer, i: number): void {
    const at = this.#at + 1;
    const size = this.#parts(bytes, TIME_SIZES);
    const from = this.#take() - SPARE_PER_COLUMN;
    let to = from;
    if (size >= 8 && bytes[at] === 1) bytes[to++] = DASH;
    const days = size < 8 ? 0 : viewOf(bytes).getInt32(at + 1, true);
    const hour = size < 8 ? 0 : (bytes[at + 5] as number);
    if ((days | (MAX_DAYS - days) | (23 - hour)) < 0) throw invalidTime();
    const hours = days * 24 + hour;
    const hundreds = (hours / 100) | 0;
    if (hundreds > 0) bytes[to++] = ZERO + hundreds;
    to = size < 8 ? this.#clock(bytes, to, 0, 0, 0) : this.#clock(bytes, to, hours - hundreds * 100, bytes[at + 6], bytes[at + 7]);
    this.#set(i, from, this.#fraction(bytes, to, i, size < 12 ? 0 : viewOf(bytes).getInt32(at + 8, true)));
  }

  #clock(bytes: Buffer, at: number, hours = 0, minutes = 0, seconds = 0): number {
    if (((99 - hours) | (59 - minutes) | (59 - seconds)) < 0) throw invalidTime();
    return clockDigits(viewOf(bytes), at, hours, minutes, seconds);
  }

  /** Writes the digits of the type; if the server leaves it open, six or none. */
  #fraction(bytes: Buffer, at: number, i: number, micros: number): number {
    if ((micros | (MAX_MICROS - micros)) < 0) throw invalidTime();
    const declared = this.#digits[i] as number;
    const digits = declared >= OPEN_DIGITS ? (micros === 0 ? 0 : 6) : Math.min(declared, 6);
    if (digits === 0) return at;
    bytes[at] = DOT;
    return padded(bytes, at + 1, Math.floor(micros / (POWERS[6 - digits] as number)), digits);
  }
}

function invalidTime(): Error {
  return malformed('an impossible date or time');
}

function marked(...sizes: readonly number[]): Uint8Array {
  const marks = new Uint8Array(256);
  for (const size of sizes) marks[size] = 1;
  return marks;
}
