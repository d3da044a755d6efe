/**
 * Incremental parser of one HTTP/1.1 response: status, headers, and a body that is chunked, counted
 * or ends with the socket. Passes the body on without copying. Rejects everything else: the server
 * may be anything. Independent of ClickHouse.
 */
import { malformed } from '../../contract/limits.ts';

export interface ResponseHead {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
}

export interface ResponseEvents {
  head(head: ResponseHead): void;
  body(bytes: Buffer, from: number, to: number): void;
}

const HEAD = 0;
const COUNTED = 1;
const CHUNK_SIZE = 2;
const CHUNK_DATA = 3;
const CHUNK_END = 4;
const TRAILER = 5;
const UNTIL_CLOSE = 6;
const DONE = 7;

const LF = 0x0a;
const LONGEST_HEAD = 256 * 1024;
const LONGEST_LINE = 16 * 1024;
const LONGEST_TRAILER = 64 * 1024;
/** Maximum number of interim responses (1xx). */
const MAX_INTERIM = 8;
/** Headers that decide where a response ends, so they must not be repeated. */
const SINGLE: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'content-encoding']);

export class ResponseParser {
  #state = HEAD;
  #left = 0;
  /** Incomplete head or line. */
  #partial = '';
  #interim = 0;
  #trailer = 0;
  readonly #events: ResponseEvents;

  constructor(events: ResponseEvents) {
    this.#events = events;
  }

  get done(): boolean {
    return this.#state === DONE;
  }

  /**
   * `true` if the response may end with the socket. Otherwise an end before `done` means that it is
   * truncated.
   */
  get endsWithSocket(): boolean {
    return this.#state === UNTIL_CLOSE;
  }

  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === DONE) throw malformed('more than the response');
      at = this.#step(bytes, at);
    }
  }

  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case HEAD:
        return this.#readHead(bytes, at);
      case COUNTED:
      case CHUNK_DATA:
        return this.#readData(bytes, at);
      case UNTIL_CLOSE:
        this.#events.body(bytes, at, bytes.length);
        return bytes.length;
      default:
        return this.#readLine(bytes, at);
    }
  }

  #readHead(bytes: Buffer, at: number): number {
    const before = this.#partial.length;
    this.#partial += bytes.toString('latin1', at);
    const end = this.#partial.indexOf('\r\n\r\n', Math.max(0, before - 3));
    if (end < 0) {
      if (this.#partial.length > LONGEST_HEAD) throw malformed(`a head of more than ${LONGEST_HEAD} bytes`);
      return bytes.length;
    }
    const head = parseHead(this.#partial.slice(0, end));
    this.#partial = '';
    // An interim response (100 Continue) precedes the final one.
    if (head.status >= 200) this.#begin(head);
    else if (++this.#interim > MAX_INTERIM) throw malformed('too many interim responses');
    return at + (end + 4 - before);
  }

  #begin(head: ResponseHead): void {
    this.#events.head(head);
    const length = head.headers.get('content-length');
    const coding = head.headers.get('transfer-encoding')?.toLowerCase();
    if (coding !== undefined && coding !== 'chunked') throw malformed('a body in a coding that was not requested');
    if (coding === 'chunked') this.#state = CHUNK_SIZE;
    else if (head.status === 204 || head.status === 304) this.#state = DONE;
    else if (length === undefined) this.#untilClose(head);
    else this.#count(/^\d{1,15}$/.test(length) ? Number(length) : Number.NaN, COUNTED, DONE);
  }

  /** Only errors may end with the socket: truncated rows would look complete. */
  #untilClose(head: ResponseHead): void {
    if (head.status === 200) throw malformed('a response without a length, which may be truncated');
    this.#state = UNTIL_CLOSE;
  }

  #count(size: number, state: number, whenEmpty: number): void {
    if (!Number.isSafeInteger(size)) throw malformed('a length that is not a number');
    this.#left = size;
    this.#state = size === 0 ? whenEmpty : state;
  }

  #readData(bytes: Buffer, at: number): number {
    const to = Math.min(bytes.length, at + this.#left);
    this.#events.body(bytes, at, to);
    this.#left -= to - at;
    if (this.#left === 0) this.#state = this.#state === COUNTED ? DONE : CHUNK_END;
    return to;
  }

  #readLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(LF, at);
    this.#partial += bytes.toString('latin1', at, end < 0 ? bytes.length : end);
    if (this.#partial.length > LONGEST_LINE) throw malformed(`a line of more than ${LONGEST_LINE} bytes`);
    if (end < 0) return bytes.length;
    const line = this.#partial.endsWith('\r') ? this.#partial.slice(0, -1) : this.#partial;
    this.#partial = '';
    if (this.#state === CHUNK_SIZE) this.#count(chunkSize(line), CHUNK_DATA, TRAILER);
    else if (this.#state === TRAILER) this.#readTrailer(line);
    else if (line === '') this.#state = CHUNK_SIZE;
    else throw malformed('a chunk that is longer than announced');
    return end + 1;
  }

  #readTrailer(line: string): void {
    this.#trailer += line.length + 2;
    if (this.#trailer > LONGEST_TRAILER) throw malformed('a trailer that is too long');
    if (line === '') this.#state = DONE;
  }
}

/** Parses a hexadecimal size, and ignores chunk extensions. */
function chunkSize(line: string): number {
  const digits = /^([0-9a-fA-F]{1,13})[ \t]*(?:;|$)/.exec(line)?.[1];
  return digits === undefined ? Number.NaN : Number.parseInt(digits, 16);
}

function parseHead(text: string): ResponseHead {
  const lines = text.split('\r\n');
  const match = /^HTTP\/1\.[01] (\d{3})/.exec(lines[0] ?? '');
  if (match === null) throw malformed('something other than an HTTP response');
  const headers = new Map<string, string>();
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] ?? '';
    const colon = line.indexOf(':');
    if (colon <= 0) throw malformed('a header without a name');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (SINGLE.has(name) && headers.has(name) && headers.get(name) !== value) throw malformed(`two different headers ${name}`);
    headers.set(name, value);
  }
  return { status: Number(match[1]), headers };
}
