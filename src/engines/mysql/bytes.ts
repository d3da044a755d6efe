/**
 * Small readers and writers of the wire's basic shapes: little-endian integers and length-encoded numbers.
 * Knows nothing of packets or commands.
 */

/** A cursor over one packet, for the parts of an answer that are not rows. */
export class Cursor {
  readonly bytes: Buffer;
  at: number;
  readonly end: number;

  constructor(bytes: Buffer, from: number, to: number) {
    this.bytes = bytes;
    this.at = from;
    this.end = to;
  }

  u8(): number {
    return this.bytes[this.at++] ?? 0;
  }

  u16(): number {
    return this.u8() + this.u8() * 0x100;
  }

  u32(): number {
    return this.u16() + this.u16() * 0x10000;
  }

  /** A length-encoded number; past 2^53 it loses digits, which no length or count reaches. */
  length(): number {
    const first = this.u8();
    if (first < 0xfb) return first;
    if (first === 0xfc) return this.u16();
    if (first === 0xfd) return this.u16() + this.u8() * 0x10000;
    return this.u32() + this.u32() * 0x100000000;
  }

  /** Steps over a length-encoded string. */
  skip(): void {
    const size = this.length();
    this.at += size;
  }

  /** A length-encoded string. */
  text(): string {
    const size = this.length();
    const from = this.at;
    this.at = Math.min(from + size, this.end);
    return this.bytes.toString('utf8', from, this.at);
  }

  /** Everything up to the end of the packet. */
  rest(): string {
    return this.bytes.toString('utf8', Math.min(this.at, this.end), this.end);
  }
}
