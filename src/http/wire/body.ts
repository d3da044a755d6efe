/** The body of a request as it arrives: so many bytes, or chunks until the last one. Bounded; trailers are read and forgotten. */
import { acquireBuffer, type Lease, type PooledBuffer } from '../../util/buffer-pool.ts';
import { addChunk, joined } from './pending-bytes.ts';
import { Refused } from './refusal.ts';

/** Takes bytes until the body is whole. */
export interface BodyReader {
  /** Takes what belongs to the body, from `at` on, and returns where it stops; `done` says whether the body is whole. */
  take(bytes: Buffer, at: number): number;
  readonly done: boolean;
  /** How many bytes of it have come. */
  readonly size: number;
  /** In how many pieces it is kept. */
  readonly pieces: number;
  /** The whole body, once; a lease is the caller's from then on. */
  body(): Buffer | Lease;
}

const EMPTY = Buffer.alloc(0);

/** A body of a size between these is put together in a buffer of the pool. */
const POOLED_FROM = 16 * 1024;
const POOLED_TO = 1024 * 1024;
/** Of a larger one, so much room is made before it has come: a promise alone must not take memory. */
const FIRST_ROOM = 256 * 1024;

export function sizedBody(length: number): BodyReader {
  return length >= POOLED_FROM && length <= POOLED_TO ? new PooledBody(length) : new SizedBody(length);
}

class PooledBody implements BodyReader {
  readonly pieces = 1;
  readonly #length: number;
  #buffer: PooledBuffer | undefined;
  #taken = 0;

  constructor(length: number) {
    this.#length = length;
  }

  get done(): boolean {
    return this.#taken === this.#length;
  }

  get size(): number {
    return this.#taken;
  }

  take(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#length - this.#taken);
    bytes.copy(this.#reserve(this.#taken + end - at), this.#taken, at, end);
    this.#taken += end - at;
    return end;
  }

  body(): Buffer | Lease {
    const buffer = this.#buffer;
    this.#buffer = undefined;
    return buffer?.lease(this.#length) ?? EMPTY;
  }

  #reserve(size: number): Buffer {
    const before = this.#buffer;
    if (before !== undefined && size <= before.bytes.length) return before.bytes;
    const buffer = acquireBuffer(size <= FIRST_ROOM ? Math.min(this.#length, FIRST_ROOM) : this.#length);
    this.#buffer = buffer;
    before?.bytes.copy(buffer.bytes, 0, 0, this.#taken);
    before?.release();
    return buffer.bytes;
  }
}

class SizedBody implements BodyReader {
  readonly #pieces: Buffer[] = [];
  size = 0;
  #missing: number;

  constructor(length: number) {
    this.#missing = length;
  }

  get done(): boolean {
    return this.#missing === 0;
  }

  get pieces(): number {
    return this.#pieces.length;
  }

  take(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#missing);
    if (end > at) addChunk(this.#pieces, bytes.subarray(at, end));
    this.#missing -= end - at;
    this.size += end - at;
    return end;
  }

  body(): Buffer {
    return joined(this.#pieces);
  }
}

/** Longer lines of sizes, extensions and trailers are nobody's honest intent. */
const MOST_LINE = 4096;
const MOST_TRAILERS = 16 * 1024;
/** A size and its extensions, without the blanks that an old rule permits and readers understand in several ways; quotes must close. */
const SIZE =
  /^([0-9a-fA-F]{1,12})(?:;[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:=(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"(?:[\t\x20!\x23-\x5b\x5d-\x7e]|\\[\t\x20-\x7e])*"))?)*$/;
const TRAILER = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[\t\x20-\x7e\x80-\xff]*$/;
/** What says where messages begin and end, or how to read them, has no place behind the body. */
const NO_TRAILER = /^(?:content-(?:length|type|encoding|range)|transfer-encoding|host|connection|expect|upgrade)$/i;

export class ChunkedBody implements BodyReader {
  done = false;
  size = 0;
  readonly #most: number;
  readonly #pieces: Buffer[] = [];
  /** Of all chunks that were announced. */
  #announced = 0;
  #state: 'size' | 'data' | 'data end' | 'trailer' = 'size';
  #missing = 0;
  /** The beginning of a line whose end has not come yet. */
  #line = '';
  #trailers = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get pieces(): number {
    return this.#pieces.length;
  }

  take(bytes: Buffer, start: number): number {
    let at = start;
    while (at < bytes.length && !this.done) at = this.#state === 'data' ? this.#data(bytes, at) : this.#text(bytes, at);
    return at;
  }

  body(): Buffer {
    return joined(this.#pieces);
  }

  #data(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#missing);
    addChunk(this.#pieces, bytes.subarray(at, end));
    this.#missing -= end - at;
    this.size += end - at;
    if (this.#missing === 0) this.#state = 'data end';
    return end;
  }

  #text(bytes: Buffer, at: number): number {
    const feed = bytes.indexOf(0x0a, at);
    const end = feed < 0 ? bytes.length : feed + 1;
    this.#line += bytes.toString('latin1', at, end);
    if (this.#line.length > MOST_LINE) throw new Refused('malformed');
    if (feed < 0) return end;
    const line = this.#line;
    if (!line.endsWith('\r\n')) throw new Refused('malformed');
    this.#line = '';
    this.#finish(line.slice(0, -2));
    return end;
  }

  #finish(line: string): void {
    if (this.#state === 'size') {
      const digits = SIZE.exec(line)?.[1];
      if (digits === undefined) throw new Refused('malformed');
      this.#missing = Number.parseInt(digits, 16);
      this.#announced += this.#missing;
      if (this.#announced > this.#most) throw new Refused('body_too_large');
      this.#state = this.#missing === 0 ? 'trailer' : 'data';
    } else if (this.#state === 'data end') {
      if (line !== '') throw new Refused('malformed');
      this.#state = 'size';
    } else if (line === '') this.done = true;
    else {
      this.#trailers += line.length;
      const name = TRAILER.exec(line)?.[1];
      if (this.#trailers > MOST_TRAILERS || name === undefined || NO_TRAILER.test(name)) throw new Refused('malformed');
    }
  }
}
