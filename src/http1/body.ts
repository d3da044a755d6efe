/**
 * Readers of request bodies: a known number of bytes, or chunks. Trailers are checked and dropped.
 * No I/O.
 */
import { acquireBuffer, type Lease, type PooledBuffer } from '../util/bytes/buffer-pool.ts';
import { addChunk, joined } from './pending-bytes.ts';
import { RequestRejected } from './request-rejected.ts';

/** Takes bytes until the body is complete. */
export interface BodyReader {
  /**
   * Takes the bytes of the body, starting at `at`. Returns where they end. Throws RequestRejected.
   */
  take(bytes: Buffer, at: number): number;
  readonly done: boolean;
  /** Number of bytes received. */
  readonly size: number;
  /** Number of buffers that hold them. */
  readonly pieces: number;
  /** The whole body. To be called once; the caller owns the lease. */
  body(): Buffer | Lease;
}

const EMPTY = Buffer.alloc(0);

/** Bodies of these sizes are assembled in a pooled buffer. */
const POOLED_FROM = 16 * 1024;
const POOLED_TO = 1024 * 1024;
/** Memory reserved at first: an announced length alone must not take memory. */
const FIRST_BYTES = 256 * 1024;

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
    const buffer = acquireBuffer(size <= FIRST_BYTES ? Math.min(this.#length, FIRST_BYTES) : this.#length);
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

/** Limits for chunk-size lines with their extensions, and for trailers. */
const MAX_LINE = 4096;
const MAX_TRAILERS = 16 * 1024;
/**
 * A chunk size and its extensions. Blanks are rejected: an old rule permits them, and parsers treat
 * them differently. Quotes must close.
 */
const SIZE =
  /^([0-9a-fA-F]{1,12})(?:;[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:=(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"(?:[\t\x20!\x23-\x5b\x5d-\x7e]|\\[\t\x20-\x7e])*"))?)*$/;
const TRAILER = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[\t\x20-\x7e\x80-\xff]*$/;
/** Fields that frame messages, or decide how they are parsed, are not allowed as trailers. */
const FORBIDDEN_TRAILER = /^(?:content-(?:length|type|encoding|range)|transfer-encoding|host|connection|expect|upgrade)$/i;

export class ChunkedBody implements BodyReader {
  done = false;
  size = 0;
  readonly #maxBytes: number;
  readonly #pieces: Buffer[] = [];
  /** Size of all chunks announced so far. */
  #announced = 0;
  #state: 'size' | 'data' | 'data end' | 'trailer' = 'size';
  #missing = 0;
  /** The beginning of an incomplete line. */
  #line = '';
  #trailers = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
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
    if (this.#line.length > MAX_LINE) throw new RequestRejected('malformed');
    if (feed < 0) return end;
    const line = this.#line;
    if (!line.endsWith('\r\n')) throw new RequestRejected('malformed');
    this.#line = '';
    this.#finish(line.slice(0, -2));
    return end;
  }

  #finish(line: string): void {
    if (this.#state === 'size') {
      const digits = SIZE.exec(line)?.[1];
      if (digits === undefined) throw new RequestRejected('malformed');
      this.#missing = Number.parseInt(digits, 16);
      this.#announced += this.#missing;
      if (this.#announced > this.#maxBytes) throw new RequestRejected('body_too_large');
      this.#state = this.#missing === 0 ? 'trailer' : 'data';
    } else if (this.#state === 'data end') {
      if (line !== '') throw new RequestRejected('malformed');
      this.#state = 'size';
    } else if (line === '') this.done = true;
    else {
      this.#trailers += line.length;
      const name = TRAILER.exec(line)?.[1];
      if (this.#trailers > MAX_TRAILERS || name === undefined || FORBIDDEN_TRAILER.test(name)) throw new RequestRejected('malformed');
    }
  }
}
