/**
 * The reply to one request: adds what the protocol requires to a head and a body. Independent of
 * the content.
 */
import type { Socket } from 'node:net';
import { reasonOf } from '../errors.ts';
import { Lease } from '../util/bytes/buffer-pool.ts';
import type { RequestHead } from './head/request-head.ts';

/** The connection of a reply, or what stands in for one. */
export interface ReplyChannel {
  readonly socket: Socket;
  /** `true` if a reply that begins now must be the last one. */
  readonly isClosing: boolean;
  /** The `Date` header line. */
  dateLine(): string;
  /** The reply is complete. */
  replied(closesConnection: boolean): void;
  /** This many bytes of the request's body are no longer used. */
  releaseBody(bytes: number): void;
}

/** Resets a connection. Some clients take an orderly close for the end of a truncated body. */
export function resetSocket(socket: Socket): void {
  // Once everything is sent and our side is closed a reset would fail, and nothing is truncated.
  if (socket.writableEnded && socket.writableLength === 0) socket.destroy();
  else socket.resetAndDestroy();
}

/** Up to this size, head and body are sent in one write. */
export const SINGLE_WRITE_BYTES = 16 * 1024;
/** How long a connection may be idle between requests. A header announces it. */
export const KEEP_ALIVE_SECS = 72;
const KEEP_ALIVE = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_SECS}\r\n\r\n`;
const CLOSE = 'Connection: close\r\n\r\n';

/** By status. */
const STATUS_LINES: readonly string[] = Array.from({ length: 1000 }, (_, status) => `HTTP/1.1 ${status} ${reasonOf(status)}\r\n`);

/**
 * A part of a body. The reply releases a lease when its bytes are sent, or if they will not be
 * sent.
 */
export type Piece = Buffer | Lease;

function writePiece(socket: Socket, piece: Piece): boolean {
  return piece instanceof Lease ? socket.write(piece.bytes, () => piece.release()) : socket.write(piece);
}

function discardPiece(piece: Piece): void {
  if (piece instanceof Lease) piece.release();
}

const byteLength = (pieces: readonly Piece[]): number => pieces.reduce((sum, { length }) => sum + length, 0);

export class HttpReply {
  /** 0 until the head is written. */
  status = 0;
  /** Size of the response body so far. */
  bytes = 0;
  /** `true` if the connection ended before the client had received the whole reply. */
  isLost = false;
  /** `true` if the connection was reset because the client did not read. */
  isStalled = false;
  /** Called once, when the reply is delivered or lost. */
  onFinished: (() => void) | undefined;
  /** Called when a slow client has caught up, and when there is nothing left to wait for. */
  onDrain: (() => void) | undefined;
  readonly #channel: ReplyChannel;
  readonly #hasNoBody: boolean;
  readonly #minorVersion: 0 | 1;
  #closesConnection: boolean;
  #isEnded = false;
  #isFinished = false;
  #requestBodyBytes: number;
  #framing: 'length' | 'chunks' | 'end of connection' = 'length';
  /** A head that is sent together with the first piece. */
  #unsentHead = '';

  /** `requestBodyBytes`: taken from the budget of bodies until `releaseRequestBody`. */
  constructor(channel: ReplyChannel, { method, section }: RequestHead, requestBodyBytes: number) {
    this.#channel = channel;
    this.#requestBodyBytes = requestBodyBytes;
    this.#hasNoBody = method === 'HEAD';
    this.#minorVersion = section.minor;
    this.#closesConnection = !section.keepAlive;
  }

  /** `true` if nothing more can be sent. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Closes the connection after this reply. */
  closeAfter(): void {
    this.#closesConnection = true;
  }

  releaseRequestBody(): void {
    this.#channel.releaseBody(this.#requestBodyBytes);
    this.#requestBodyBytes = 0;
  }

  /** Sends a whole reply. `headers`: lines with their line ends. */
  send(status: number, headers: string, body: Buffer): void {
    if (body.length > SINGLE_WRITE_BYTES) this.sendPieces(status, headers, [body]);
    else this.sendLatin1(status, headers, body.toString('latin1'));
  }

  /** Sends a whole reply whose body is in pieces. */
  sendPieces(status: number, headers: string, pieces: readonly Piece[]): void {
    if (this.#isEnded) {
      pieces.forEach(discardPiece);
      return;
    }
    const { socket } = this.#channel;
    socket.cork();
    this.bytes = byteLength(pieces);
    socket.write(this.#makeHead(status, headers, this.bytes), 'latin1');
    for (const piece of pieces) {
      if (this.#hasNoBody) discardPiece(piece);
      else writePiece(socket, piece);
    }
    socket.uncork();
    this.#endReply();
  }

  /** Sends a whole reply whose body is a string with one character per byte. */
  sendLatin1(status: number, headers: string, body: string): void {
    if (this.#isEnded) return;
    this.bytes = body.length;
    const head = this.#makeHead(status, headers, body.length);
    this.#channel.socket.write(this.#hasNoBody ? head : head + body, 'latin1');
    this.#endReply();
  }

  /**
   * Begins a reply. Its head is sent with the first piece. `length`: size of the body, if it is
   * known.
   */
  begin(status: number, headers: string, length: number | undefined): void {
    if (!this.#isEnded) this.#unsentHead = this.#makeHead(status, headers, length);
  }

  /** Sends a piece of the body. Returns `false` if the client is slow: wait for `onDrain`. */
  write(piece: Piece): boolean {
    if (this.#isEnded || this.#hasNoBody || piece.length === 0) {
      discardPiece(piece);
      return true;
    }
    this.bytes += piece.length;
    const { socket } = this.#channel;
    const isChunk = this.#framing === 'chunks';
    socket.cork();
    this.#writeHeadAnd(isChunk ? `${piece.length.toString(16)}\r\n` : '');
    let isQuick = writePiece(socket, piece);
    if (isChunk) isQuick = socket.write('\r\n', 'latin1');
    socket.uncork();
    // `isQuick` is false for every large piece, even if the system has accepted all of it.
    return isQuick || socket.writableLength === 0;
  }

  /** Sends the last piece. */
  end(piece: Piece): void {
    if (this.#isEnded) {
      discardPiece(piece);
      return;
    }
    const { socket } = this.#channel;
    socket.cork();
    this.write(piece);
    this.#writeHeadAnd(this.#framing === 'chunks' && !this.#hasNoBody ? '0\r\n\r\n' : '');
    socket.uncork();
    this.#endReply();
  }

  /** Resets the connection: a truncated reply must not look complete. */
  destroy(): void {
    resetSocket(this.#channel.socket);
    this.clientLeft();
  }

  /** Called by the channel when the connection has closed. */
  clientLeft(): void {
    if (this.#isFinished) return;
    this.isLost = true;
    this.#finish();
  }

  /** Called by the channel when the system has accepted all bytes of the reply. */
  flushed(): void {
    if (!this.#isFinished) this.#finish();
  }

  #writeHeadAnd(text: string): void {
    const all = this.#unsentHead + text;
    this.#unsentHead = '';
    if (all !== '') this.#channel.socket.write(all, 'latin1');
  }

  #makeHead(status: number, headers: string, length: number | undefined): string {
    this.status = status;
    let framing = '';
    if (status === 204 || status === 304) {
      // These have neither a body nor a length.
    } else if (length !== undefined) framing = `Content-Length: ${length}\r\n`;
    else if (this.#minorVersion === 1) {
      this.#framing = 'chunks';
      framing = 'Transfer-Encoding: chunked\r\n';
    } else {
      this.#framing = 'end of connection';
      this.#closesConnection = true;
    }
    if (this.#channel.isClosing) this.#closesConnection = true;
    return STATUS_LINES[status] + headers + framing + this.#channel.dateLine() + (this.#closesConnection ? CLOSE : KEEP_ALIVE);
  }

  #endReply(): void {
    this.#isEnded = true;
    this.#releaseWriter();
    this.#channel.replied(this.#closesConnection);
  }

  #finish(): void {
    this.#isEnded = true;
    this.#isFinished = true;
    this.onFinished?.();
    this.#releaseWriter();
  }

  /** A writer that waits for a slow client must not wait for ever. */
  #releaseWriter(): void {
    const { onDrain } = this;
    this.onDrain = undefined;
    onDrain?.();
  }
}
