/**
 * The answer to one request: a head, then the body in one piece or in many. Adds what the protocol needs (length or chunks, keep-alive, the
 * date). Knows nothing of the content.
 */
import type { Socket } from 'node:net';
import { reasonOf } from '../errors.ts';
import { Lease } from '../util/bytes/buffer-pool.ts';
import type { RequestHead } from './head.ts';

/** What a reply needs from its connection. */
export interface Carrier {
  readonly socket: Socket;
  /** The server closes: an answer that begins now is the last one. */
  readonly isLeaving: boolean;
  /** The answer is complete. When the system has taken it, the next request may come, unless the connection closes. */
  answered(closes: boolean): void;
  /** This many bytes of the request's body are no longer used. */
  bodyDone(bytes: number): void;
}

/** Resets a connection, so that nobody takes a truncated answer for a complete one: some clients take an orderly close for the end. */
export function reset(socket: Socket): void {
  // Once all is sent and our side has closed, a reset would fail, and nothing is missing.
  if (socket.writableEnded && socket.writableLength === 0) socket.destroy();
  else socket.resetAndDestroy();
}

/** Up to this size, head and body go in one write. */
export const JOINED = 16 * 1024;
/** How long a connection may stay idle between requests; clients are told. */
export const REST_SECS = 72;
const KEEP_ALIVE = `Connection: keep-alive\r\nKeep-Alive: timeout=${REST_SECS}\r\n\r\n`;
const CLOSE = 'Connection: close\r\n\r\n';

/** The date, written once a second. */
let second = 0;
let dateLine = '';

function date(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    dateLine = `Date: ${new Date(now * 1000).toUTCString()}\r\n`;
  }
  return dateLine;
}

const statusLines = new Map<number, string>();

function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    line = `HTTP/1.1 ${status} ${reasonOf(status)}\r\n`;
    statusLines.set(status, line);
  }
  return line;
}

/** A part of a body. The reply owns a lease, and releases it when the system has taken its bytes or they will not be sent. */
export type Piece = Buffer | Lease;

function put(socket: Socket, piece: Piece): boolean {
  return piece instanceof Lease ? socket.write(piece.bytes, () => piece.release()) : socket.write(piece);
}

function drop(piece: Piece): void {
  if (piece instanceof Lease) piece.release();
}

function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

export class HttpReply {
  /** 0 until the head is sent. */
  status = 0;
  /** Of the answer's body, so far. */
  bytes = 0;
  /** The client left, or the connection was reset, before all of the answer was taken. */
  gone = false;
  /** The connection was reset because the client took nothing for too long. */
  stalled = false;
  /** Called once, when the system has taken the whole answer or the client has left. */
  onOver: (() => void) | undefined;
  /** Called when a slow client has caught up. */
  onDrain: (() => void) | undefined;
  readonly #carrier: Carrier;
  readonly #bodiless: boolean;
  readonly #minor: 0 | 1;
  #closes: boolean;
  /** The answer is complete. */
  #over = false;
  #told = false;
  #bodyBytes: number;
  #framing: 'length' | 'chunks' | 'end of connection' = 'length';
  /** A head that leaves with the first piece. */
  #begun = '';

  /** `bodyBytes`: the size of the request's body, counted until `bodyDone`. */
  constructor(carrier: Carrier, { method, section }: RequestHead, bodyBytes: number) {
    this.#carrier = carrier;
    this.#bodyBytes = bodyBytes;
    this.#bodiless = method === 'HEAD';
    this.#minor = section.minor;
    this.#closes = !section.keepAlive;
  }

  /** The connection ends with this answer. */
  closeAfter(): void {
    this.#closes = true;
  }

  /** The request's body is no longer used. */
  bodyDone(): void {
    this.#carrier.bodyDone(this.#bodyBytes);
    this.#bodyBytes = 0;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Sends the whole answer. `headers`: lines with their line ends. */
  send(status: number, headers: string, body: Buffer): void {
    if (body.length > JOINED) this.sendPieces(status, headers, [body]);
    else this.sendLatin1(status, headers, body.toString('latin1'));
  }

  /** Sends the whole answer, with a body in pieces. */
  sendPieces(status: number, headers: string, pieces: readonly Piece[]): void {
    if (this.#over) {
      pieces.forEach(drop);
      return;
    }
    const { socket } = this.#carrier;
    socket.cork();
    this.bytes = lengthOf(pieces);
    socket.write(this.#head(status, headers, this.bytes), 'latin1');
    for (const piece of pieces) {
      if (this.#bodiless) drop(piece);
      else put(socket, piece);
    }
    socket.uncork();
    this.#end();
  }

  /** Sends the whole answer, with the body as a string of one character per byte. */
  sendLatin1(status: number, headers: string, body: string): void {
    if (this.#over) return;
    this.bytes = body.length;
    const head = this.#head(status, headers, body.length);
    this.#carrier.socket.write(this.#bodiless ? head : head + body, 'latin1');
    this.#end();
  }

  /** Begins an answer, whose head leaves with the first piece; `length` if the size of the body is known. */
  begin(status: number, headers: string, length: number | undefined): void {
    if (!this.#over) this.#begun = this.#head(status, headers, length);
  }

  /** Sends a piece of the body. Returns false when the client is slow; `onDrain` is called when it has caught up. */
  write(piece: Piece): boolean {
    if (this.#over || this.#bodiless || piece.length === 0) {
      drop(piece);
      return true;
    }
    this.bytes += piece.length;
    const { socket } = this.#carrier;
    const isChunk = this.#framing === 'chunks';
    socket.cork();
    this.#lead(isChunk ? `${piece.length.toString(16)}\r\n` : '');
    let isQuick = put(socket, piece);
    if (isChunk) isQuick = socket.write('\r\n', 'latin1');
    socket.uncork();
    // What the system has taken at once waits for nobody.
    return isQuick || socket.writableLength === 0;
  }

  /** Sends the last piece. */
  end(piece: Piece): void {
    if (this.#over) {
      drop(piece);
      return;
    }
    const { socket } = this.#carrier;
    socket.cork();
    this.write(piece);
    this.#lead(this.#framing === 'chunks' && !this.#bodiless ? '0\r\n\r\n' : '');
    socket.uncork();
    this.#end();
  }

  /** Sends what stands before a piece: the head of the answer, unless it is sent, and its own. */
  #lead(own: string): void {
    const text = this.#begun + own;
    this.#begun = '';
    if (text !== '') this.#carrier.socket.write(text, 'latin1');
  }

  /** Resets the connection: a truncated answer must not look complete. */
  destroy(): void {
    reset(this.#carrier.socket);
    this.leave();
  }

  /** The connection is gone. */
  leave(): void {
    if (this.#told) return;
    this.gone = true;
    this.#finish();
  }

  /** The system has taken all of the answer. */
  sent(): void {
    if (!this.#told) this.#finish();
  }

  #head(status: number, headers: string, length: number | undefined): string {
    this.status = status;
    let framing = '';
    // These have no body and no length.
    if (status === 204 || status === 304) framing = '';
    else if (length !== undefined) framing = `Content-Length: ${length}\r\n`;
    else if (this.#minor === 1) {
      this.#framing = 'chunks';
      framing = 'Transfer-Encoding: chunked\r\n';
    } else {
      this.#framing = 'end of connection';
      this.#closes = true;
    }
    if (this.#carrier.isLeaving) this.#closes = true;
    return statusLine(status) + headers + framing + date() + (this.#closes ? CLOSE : KEEP_ALIVE);
  }

  #end(): void {
    this.#over = true;
    this.#releaseWaiting();
    this.#carrier.answered(this.#closes);
  }

  #finish(): void {
    this.#over = true;
    this.#told = true;
    this.onOver?.();
    this.#releaseWaiting();
  }

  /** Nobody is slow any more: whoever waits for that must not wait for ever. */
  #releaseWaiting(): void {
    const { onDrain } = this;
    this.onDrain = undefined;
    onDrain?.();
  }
}
