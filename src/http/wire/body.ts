/** The body of a request as it arrives: so many bytes, or chunks until the last one. Bounded; trailers are read and forgotten. */
import { giveBack, lend } from '../../util/lent-memory.ts';
import { Refused } from './refusal.ts';

/** Takes bytes until the body is whole. */
export interface BodyReader {
  /** Takes what belongs to the body, from `at` on, and returns where it stops; `done` says whether the body is whole. */
  take(bytes: Buffer, at: number): number;
  readonly done: boolean;
  /** In how many pieces it is kept. */
  readonly pieces: number;
  body(): Buffer;
}

const EMPTY = Buffer.alloc(0);

/** Smaller pieces are joined as they come: a body sent byte by byte must not become as many objects. */
const SMALL_PIECE = 64 * 1024;

/** Adds a piece. Of two neighbours the later is always the smaller or large enough, so that few are left and each byte is copied a few times. */
function add(pieces: Buffer[], piece: Buffer): void {
  let last = piece;
  for (
    let before = pieces.at(-1);
    before !== undefined && before.length <= last.length && before.length < SMALL_PIECE;
    before = pieces.at(-1)
  ) {
    pieces.pop();
    last = Buffer.concat([before, last]);
  }
  pieces.push(last);
}

function joined(pieces: readonly Buffer[]): Buffer {
  return pieces.length === 1 ? (pieces[0] ?? EMPTY) : Buffer.concat(pieces);
}

/** A body of a size between these is put together in memory that was lent, which whoever has done with it may give back. */
const LENT_FROM = 16 * 1024;
const LENT_TO = 1024 * 1024;
/** Of a larger one, so much room is made before it has come: a promise alone must not take memory. */
const FIRST_ROOM = 256 * 1024;

export function sizedBody(length: number): BodyReader {
  return length >= LENT_FROM && length <= LENT_TO ? new LentBody(length) : new SizedBody(length);
}

class LentBody implements BodyReader {
  readonly pieces = 1;
  readonly #length: number;
  #bytes: Buffer = EMPTY;
  #taken = 0;

  constructor(length: number) {
    this.#length = length;
  }

  get done(): boolean {
    return this.#taken === this.#length;
  }

  take(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#length - this.#taken);
    this.#reserve(this.#taken + end - at);
    bytes.copy(this.#bytes, this.#taken, at, end);
    this.#taken += end - at;
    return end;
  }

  body(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(size: number): void {
    if (size <= this.#bytes.length) return;
    const before = this.#bytes;
    this.#bytes = lend(size <= FIRST_ROOM ? Math.min(this.#length, FIRST_ROOM) : this.#length).bytes;
    before.copy(this.#bytes, 0, 0, this.#taken);
    giveBack(before);
  }
}

class SizedBody implements BodyReader {
  readonly #pieces: Buffer[] = [];
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
    if (end > at) add(this.#pieces, bytes.subarray(at, end));
    this.#missing -= end - at;
    return end;
  }

  body(): Buffer {
    return joined(this.#pieces);
  }
}

/** Longer lines of sizes, extensions and trailers are nobody's honest intent. */
const MOST_LINE = 4096;
const MOST_TRAILERS = 16 * 1024;
const SIZE = /^([0-9a-fA-F]{1,12})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;
const TRAILER = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/;

export class ChunkedBody implements BodyReader {
  done = false;
  readonly #most: number;
  readonly #pieces: Buffer[] = [];
  #size = 0;
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
    add(this.#pieces, bytes.subarray(at, end));
    this.#missing -= end - at;
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
      this.#size += this.#missing;
      if (this.#size > this.#most) throw new Refused('body_too_large');
      this.#state = this.#missing === 0 ? 'trailer' : 'data';
    } else if (this.#state === 'data end') {
      if (line !== '') throw new Refused('malformed');
      this.#state = 'size';
    } else if (line === '') this.done = true;
    else {
      this.#trailers += line.length;
      if (this.#trailers > MOST_TRAILERS || !TRAILER.test(line)) throw new Refused('malformed');
    }
  }
}
