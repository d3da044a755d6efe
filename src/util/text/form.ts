/**
 * Reads a form-encoded body field by field and can pause at any field. `+` is a space; invalid
 * UTF-8 and NUL are rejected.
 */
import { isUtf8 } from 'node:buffer';
import { BadEncoding } from './query.ts';

const AND = 0x26;
const EQUALS = 0x3d;
const PLUS = 0x2b;
const PERCENT = 0x25;
const SPACE = 0x20;

/** The value of a hexadecimal digit; -1 for every other byte. */
const HEX = new Int8Array(256).fill(-1);
for (const [value, digit] of [...'0123456789abcdef'].entries())
  for (const spelled of [digit, digit.toUpperCase()]) HEX[spelled.charCodeAt(0)] = value;

export class FormReader {
  readonly #bytes: Buffer;
  readonly #onField: (name: string, value: string) => void;
  /** The current field, decoded. */
  readonly #decoded: Buffer;
  #length = 0;
  /** Offset of the value in the decoded field; -1 before the equals sign. */
  #value = -1;
  at = 0;

  constructor(bytes: Buffer, onField: (name: string, value: string) => void) {
    this.#bytes = bytes;
    this.#decoded = Buffer.allocUnsafe(bytes.length);
    this.#onField = onField;
  }

  /** Reads to the end or to `until`. Returns `true` at the end. Throws BadEncoding. */
  read(until: number): boolean {
    const bytes = this.#bytes;
    const decoded = this.#decoded;
    const end = Math.min(until, bytes.length);
    let { at } = this;
    let length = this.#length;
    while (at < end) {
      const byte = bytes[at++] as number;
      if (byte === AND) {
        this.#length = length;
        this.#end();
        length = 0;
      } else if (byte === EQUALS && this.#value < 0) this.#value = length;
      else if (byte === PERCENT) {
        const high = HEX[bytes[at] ?? 0] as number;
        const low = HEX[bytes[at + 1] ?? 0] as number;
        if (high < 0 || low < 0) throw new BadEncoding();
        decoded[length++] = high * 16 + low;
        at += 2;
      } else decoded[length++] = byte === PLUS ? SPACE : byte;
    }
    this.at = at;
    this.#length = length;
    if (at < bytes.length) return false;
    this.#end();
    return true;
  }

  #end(): void {
    const split = this.#value < 0 ? this.#length : this.#value;
    if (this.#length > 0 || this.#value >= 0) this.#onField(this.#text(0, split), this.#text(split, this.#length));
    this.#length = 0;
    this.#value = -1;
  }

  #text(from: number, to: number): string {
    const bytes = this.#decoded.subarray(from, to);
    if (!isUtf8(bytes) || bytes.includes(0)) throw new BadEncoding();
    return bytes.toString('utf8');
  }
}
