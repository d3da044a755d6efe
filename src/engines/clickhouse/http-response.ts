/**
 * One HTTP/1.1 response as it arrives in pieces: status, headers, and a body that is chunked, counted or lasts until the socket
 * closes. Bytes of the body are passed on where they lie. Knows no ClickHouse.
 */
export interface ResponseHead {
  readonly status: number;
  /** Names in lower case. */
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

export class ResponseParser {
  #state = HEAD;
  #left = 0;
  /** A head or line that has not wholly arrived. */
  #partial = '';
  readonly #events: ResponseEvents;

  constructor(events: ResponseEvents) {
    this.#events = events;
  }

  get done(): boolean {
    return this.#state === DONE;
  }

  /** May the response end with the socket? Otherwise an end before `done` is a cut. */
  get endsWithSocket(): boolean {
    return this.#state === UNTIL_CLOSE;
  }

  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length && this.#state !== DONE) at = this.#step(bytes, at);
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
      if (this.#partial.length > LONGEST_HEAD) throw new Error('the response head is too long');
      return bytes.length;
    }
    const head = parseHead(this.#partial.slice(0, end));
    this.#partial = '';
    // An interim response (100 Continue) announces the true one.
    if (head.status >= 200) this.#begin(head);
    return at + (end + 4 - before);
  }

  #begin(head: ResponseHead): void {
    this.#events.head(head);
    const length = head.headers.get('content-length');
    if (head.headers.get('transfer-encoding')?.toLowerCase() === 'chunked') this.#state = CHUNK_SIZE;
    else if (head.status === 204 || head.status === 304) this.#state = DONE;
    else if (length === undefined) this.#state = UNTIL_CLOSE;
    else this.#count(Number(length), COUNTED, DONE);
  }

  #count(size: number, state: number, whenEmpty: number): void {
    if (!Number.isSafeInteger(size) || size < 0) throw new Error('the response has a length that is no number');
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
    if (this.#partial.length > LONGEST_LINE) throw new Error('a line of the response is too long');
    if (end < 0) return bytes.length;
    const line = this.#partial.trimEnd();
    this.#partial = '';
    if (this.#state === CHUNK_SIZE) this.#count(/^[0-9a-fA-F]+/.test(line) ? Number.parseInt(line, 16) : Number.NaN, CHUNK_DATA, TRAILER);
    else if (this.#state === CHUNK_END) this.#state = CHUNK_SIZE;
    else if (line === '') this.#state = DONE;
    return end + 1;
  }
}

function parseHead(text: string): ResponseHead {
  const lines = text.split('\r\n');
  const match = /^HTTP\/1\.[01] (\d{3})/.exec(lines[0] ?? '');
  if (match === null) throw new Error('the answer is no HTTP response');
  const headers = new Map<string, string>();
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] ?? '';
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return { status: Number(match[1]), headers };
}
