/**
 * Writes values into the body of an execute command. The wire type follows from the ParamType
 * alone, never from the value: MySQL remembers the first types, and would compare text as numbers
 * from then on.
 */
import type { RowValues } from '../../../sql/rows.ts';
import type { ParamKind, ParamType, StatementParam } from '../../../sql/statement.ts';
import { acquireBuffer, Lease, type PooledBuffer } from '../../../util/bytes/buffer-pool.ts';
import { copyWords, OVERSHOOT, SHORT } from '../../../util/bytes/byte-writer.ts';
import { BIT, floatOf, refused, UNSIGNED, YEAR, yearText } from '../types/casts.ts';
import { spaceForT, temporalText, withoutZone } from '../types/temporal.ts';

const LONGLONG = 8;
const DOUBLE = 5;
const DECIMAL = 246;
const TEXT = 253;
const BLOB = 252;
const UNSIGNED_FLAG = 0x80;
const TWO_32 = 0x100000000;

interface Wire {
  readonly type: number;
  readonly flag: number;
  write(out: ParameterWriter, value: string | Uint8Array, cast: string): void;
  /** Writes a range of the body without making a string of it. */
  readonly copy?: (out: ParameterWriter, source: Buffer, from: number, to: number) => void;
}

const plain = (type: number, write: Wire['write']): Wire => ({ type, flag: 0, write });

const asText: Wire = { ...plain(TEXT, (out, value) => out.text(value)), copy: (out, source, from, to) => out.range(source, from, to) };

const asMoment: Wire = {
  ...plain(TEXT, (out, value) => out.text(temporalText(toText(value)))),
  copy: (out, source, from, to) => out.moment(source, from, to),
};

const INT: Wire = plain(LONGLONG, (out, value) => out.int(toText(value), 'signed'));
const UINT: Wire = { type: LONGLONG, flag: UNSIGNED_FLAG, write: (out, value) => out.int(toText(value), 'unsigned') };
const YEARS: Wire = plain(TEXT, (out, value) => out.text(yearText(toText(value))));

const WIRES: Readonly<Record<ParamKind, Wire>> = {
  int: INT,
  decimal: plain(DECIMAL, (out, value) => out.text(decimalText(toText(value)))),
  float: plain(DOUBLE, (out, value, cast) => out.double(floatOf(toText(value), cast))),
  bool: plain(LONGLONG, (out, value) => out.int(toText(value).startsWith('t') ? '1' : '0', 'signed')),
  text: asText,
  bytes: plain(BLOB, (out, value) => out.text(value)),
  json: asText,
  temporal: asMoment,
  other: asText,
};

const INT_WIRES: Readonly<Record<string, Wire>> = { [UNSIGNED]: UINT, [BIT]: UINT, [YEAR]: YEARS };

function wireOf(type: ParamType): Wire {
  return type.kind === 'int' ? (INT_WIRES[type.cast] ?? INT) : WIRES[type.kind];
}

const LONG_LIST = 100;

/** Memoizes what is made of long lists of types, which belong to cached statements. */
function keptFor<Made>(make: (types: readonly ParamType[]) => Made): (types: readonly ParamType[]) => Made {
  const kept = new WeakMap<readonly ParamType[], Made>();
  return (types) => {
    if (types.length < LONG_LIST) return make(types);
    let made = kept.get(types);
    if (made === undefined) kept.set(types, (made = make(types)));
    return made;
  };
}

/** Distinguishes two uses of one text with different parameter types. */
export const signature = keptFor((types) => {
  let key = '';
  for (const type of types) {
    const wire = wireOf(type);
    key += String.fromCharCode(wire.type + wire.flag);
  }
  return key;
});

/** Writes the types, two bytes each. */
function spell(types: readonly ParamType[], bytes: Buffer, start: number): Buffer {
  let at = start;
  for (const type of types) {
    const wire = wireOf(type);
    bytes[at++] = wire.type;
    bytes[at++] = wire.flag;
  }
  return bytes;
}

const spelled = keptFor((types) => spell(types, Buffer.alloc(2 * types.length), 0));

const DECIMAL_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Rejects text that is not a decimal (such as NaN), which the servers would take for zero. */
function decimalText(text: string): string {
  if (!DECIMAL_TEXT.test(text)) throw refused(text, 'is not a decimal number');
  return text;
}

function toText(value: string | Uint8Array): string {
  return typeof value === 'string' ? value : Buffer.from(value).toString('utf8');
}

const INTEGER = /^[+-]?\d+$/;
const BOUNDS = {
  signed: [-(2n ** 63n), 2n ** 63n - 1n],
  unsigned: [0n, 2n ** 64n - 1n],
} as const;

/**
 * A growing command: space for the packet header, then the content. Moves from the scratch buffer
 * to a pooled one when it is full.
 */
export class ParameterWriter {
  bytes: Buffer;
  length: number;
  readonly #scratch: Buffer;
  #larger: PooledBuffer | undefined;
  /** View of `bytes`, created on demand. */
  #view: DataView | undefined;

  constructor(scratch: Buffer, from: number) {
    this.bytes = scratch;
    this.#scratch = scratch;
    this.length = from;
  }

  /** Writes the head of an execute command: statement id, no cursor, one iteration. */
  execute(code: number, id: number): void {
    this.#room(10);
    this.bytes[this.length] = code;
    this.bytes.writeUInt32LE(id, this.length + 1);
    this.bytes[this.length + 5] = 0;
    this.bytes.writeUInt32LE(1, this.length + 6);
    this.length += 10;
  }

  /** Writes the null bitmap, the types and the values. Releases the leases among them. */
  parameters(types: readonly ParamType[], values: readonly StatementParam[]): void {
    const nulls = this.#head(types);
    for (let i = 0; i < types.length; i++) {
      const value = values[i] ?? null;
      const type = types[i] as ParamType;
      if (value === null) this.#setNull(nulls, i);
      else if (value instanceof Lease) {
        wireOf(type).write(this, value.bytes, type.cast);
        value.release();
      } else wireOf(type).write(this, value, type.cast);
    }
  }

  /** The same for the values of many rows; `types` repeats the types of one row. */
  rows(types: readonly ParamType[], rows: RowValues): void {
    const { from, to, source, width } = rows;
    const nulls = this.#head(types);
    const wires = types.slice(0, width).map(wireOf);
    for (let i = 0, column = 0; i < types.length; i++, column = column === width - 1 ? 0 : column + 1) {
      const wire = wires[column] as Wire;
      const start = from[i] as number;
      if (start >= 0 && wire.copy !== undefined) {
        wire.copy(this, source, start, to[i] as number);
        continue;
      }
      const value = rows.value(i);
      if (value === null) this.#setNull(nulls, i);
      else wire.write(this, value, (types[column] as ParamType).cast);
    }
  }

  /** Returns the offset of the null bitmap. */
  #head(types: readonly ParamType[]): number {
    const bitmap = (types.length + 7) >> 3;
    this.#room(bitmap + 1 + 2 * types.length);
    const nulls = this.length;
    this.bytes.fill(0, nulls, nulls + bitmap);
    this.length += bitmap;
    this.bytes[this.length++] = 1;
    if (types.length < LONG_LIST) spell(types, this.bytes, this.length);
    else this.bytes.set(spelled(types), this.length);
    this.length += 2 * types.length;
    return nulls;
  }

  #setNull(nulls: number, index: number): void {
    const at = nulls + (index >> 3);
    this.bytes[at] = (this.bytes[at] as number) | (1 << (index & 7));
  }

  int(text: string, sign: 'signed' | 'unsigned'): void {
    if (!INTEGER.test(text)) throw refused(text, 'is not a whole number');
    this.#room(8);
    if (text.length <= 15) {
      const n = Number(text);
      if (n < 0 && sign === 'unsigned') throw refused(text, 'is negative');
      const high = Math.floor(n / TWO_32);
      this.length = this.bytes.writeInt32LE(high, this.bytes.writeUInt32LE(n - high * TWO_32, this.length));
      return;
    }
    const n = BigInt(text);
    const [least, most] = BOUNDS[sign];
    if (n < least || n > most) throw refused(text, 'is beyond 64 bits');
    this.length = this.bytes.writeBigUInt64LE(BigInt.asUintN(64, n), this.length);
  }

  double(value: number): void {
    this.#room(8);
    this.length = this.bytes.writeDoubleLE(value, this.length);
  }

  /** Writes a string or bytes with their length. */
  text(value: string | Uint8Array): void {
    const size = typeof value === 'string' ? Buffer.byteLength(value) : value.length;
    this.#room(size + 9);
    this.#lengthOf(size);
    if (typeof value === 'string') this.bytes.write(value, this.length, 'utf8');
    else this.bytes.set(value, this.length);
    this.length += size;
  }

  /** Writes the text of `source[from..to)`. */
  range(source: Buffer, from: number, to: number): void {
    const size = to - from;
    this.#room(size + 9 + OVERSHOOT);
    this.#lengthOf(size);
    if (size > SHORT) source.copy(this.bytes, this.length, from, to);
    else {
      this.#view ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
      copyWords(this.#view, this.length, source, from, to);
    }
    this.length += size;
  }

  moment(source: Buffer, from: number, to: number): void {
    const end = withoutZone(source, to);
    this.range(source, from, end);
    spaceForT(this.bytes, this.length - (end - from));
  }

  take(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  /** Releases the pooled buffer after the command was sent. */
  release(): void {
    this.#larger?.release();
    this.#larger = undefined;
    this.#view = undefined;
    this.bytes = this.#scratch;
  }

  #lengthOf(size: number): void {
    if (size < 0xfb) {
      this.bytes[this.length++] = size;
    } else if (size < 0x10000) {
      this.bytes[this.length++] = 0xfc;
      this.length = this.bytes.writeUInt16LE(size, this.length);
    } else if (size < 0x1000000) {
      this.bytes[this.length++] = 0xfd;
      this.length = this.bytes.writeUIntLE(size, this.length, 3);
    } else {
      this.bytes[this.length++] = 0xfe;
      this.length = this.bytes.writeBigUInt64LE(BigInt(size), this.length);
    }
  }

  #room(n: number): void {
    if (this.length + n <= this.bytes.length) return;
    const before = this.bytes;
    const larger = acquireBuffer(Math.max(before.length * 2, this.length + n));
    before.copy(larger.bytes, 0, 0, this.length);
    this.#larger?.release();
    this.#larger = larger;
    ({ bytes: this.bytes, view: this.#view } = larger);
  }
}
