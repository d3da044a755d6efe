/**
 * Bytes of an answer as they are made: one growing buffer that is handed on in pieces, so that nothing is built as strings first.
 * Knows nothing of sockets: whoever owns it says where full pieces go.
 */
const INITIAL = 16 * 1024;
/** Up to here a loop is quicker than a call into the runtime. */
const SHORT = 40;
/** From here on a string is measured first rather than given three bytes a character. */
const LONG_TEXT = 4096;

export class ByteWriter {
  /** Write at `bytes[length]` after `reserve`, then advance `length`. */
  bytes: Buffer;
  length = 0;
  readonly #limit: number;
  readonly #full: (piece: Buffer) => void;

  /** `full` takes over each piece of at least `limit` bytes; it may keep it, the writer goes on with a new one. */
  constructor(limit: number, full: (piece: Buffer) => void) {
    this.#limit = limit;
    this.#full = full;
    this.bytes = Buffer.allocUnsafe(INITIAL);
  }

  /** Makes room for n more bytes. */
  reserve(n: number): void {
    if (this.length + n <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + n));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  byte(value: number): void {
    if (this.length === this.bytes.length) this.reserve(1);
    this.bytes[this.length++] = value;
  }

  raw(source: Uint8Array): void {
    this.reserve(source.length);
    this.bytes.set(source, this.length);
    this.length += source.length;
  }

  /** A short piece, byte by byte. */
  piece(source: Uint8Array): void {
    const size = source.length;
    if (this.length + size > this.bytes.length) this.reserve(size);
    const target = this.bytes;
    let at = this.length;
    for (let i = 0; i < size; i++) target[at++] = source[i] as number;
    this.length = at;
  }

  /** Copies source[from..to): short runs byte by byte, which beats a call into the runtime. */
  copy(source: Buffer, from: number, to: number): void {
    const size = to - from;
    if (this.length + size > this.bytes.length) this.reserve(size);
    if (size > SHORT) {
      source.copy(this.bytes, this.length, from, to);
      this.length += size;
      return;
    }
    const target = this.bytes;
    let at = this.length;
    for (let i = from; i < to; i++) target[at++] = source[i] as number;
    this.length = at;
  }

  /** A string as UTF-8; half a surrogate pair becomes U+FFFD. */
  text(value: string): void {
    this.reserve(value.length < LONG_TEXT ? value.length * 3 : Buffer.byteLength(value));
    this.length += this.bytes.write(value, this.length, 'utf8');
  }

  /** Between rows: hands a full piece on. */
  flushIfFull(): void {
    if (this.length >= this.#limit) this.flush();
  }

  flush(): void {
    if (this.length === 0) return;
    const piece = this.bytes.subarray(0, this.length);
    this.bytes = Buffer.allocUnsafe(this.bytes.length);
    this.length = 0;
    this.#full(piece);
  }

  /** What is left, without handing it on: a small answer is one piece. */
  take(): Buffer {
    const piece = this.bytes.subarray(0, this.length);
    this.bytes = EMPTY;
    this.length = 0;
    return piece;
  }
}

const EMPTY = Buffer.alloc(0);
