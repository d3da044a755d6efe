/**
 * Reads little-endian integers, length-encoded numbers and strings. Rejects a packet that ends
 * before its content. Independent of packets and commands.
 */
import { malformed } from '../../contract/limits.ts';

const TWO_32 = 0x100000000;

/** Failure for a packet that is shorter than its content. */
export function cutShort(): Error {
  return malformed('a packet that is shorter than its contents');
}

/** A cursor over one packet, for everything except rows. */
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
    if (this.at >= this.end) throw cutShort();
    return this.bytes[this.at++] as number;
  }

  u16(): number {
    return this.u8() + this.u8() * 0x100;
  }

  u32(): number {
    return this.u16() + this.u16() * 0x10000;
  }

  /**
   * Reads a length-encoded number. Above 2^53 it is inexact, which no count or id in use reaches.
   */
  number(): number {
    const first = this.u8();
    if (first < 0xfb) return first;
    if (first === 0xfc) return this.u16();
    if (first === 0xfd) return this.u16() + this.u8() * 0x10000;
    if (first === 0xfe) return this.u32() + this.u32() * TWO_32;
    throw malformed('a number that begins with an unknown mark');
  }

  /** Skips a length-encoded string and returns where it begins. */
  skip(): number {
    const size = this.number();
    if (size > this.end - this.at) throw cutShort();
    this.at += size;
    return this.at - size;
  }

  /** Reads a length-encoded string. */
  text(): string {
    const from = this.skip();
    return this.bytes.toString('utf8', from, this.at);
  }

  /** Returns the rest of the packet, at most `max` bytes. */
  rest(max: number): string {
    return this.bytes.toString('utf8', this.at, Math.min(this.end, this.at + max));
  }
}
