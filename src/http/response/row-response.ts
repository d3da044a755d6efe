/**
 * Sends rows as they arrive from the database. A failure after the first byte resets the
 * connection, so that a truncated body never looks complete.
 */
import { type ApiError, apiError } from '../../errors.ts';
import type { Format, RowWriter } from '../../formats/format.ts';
import { type HttpReply, SINGLE_WRITE_BYTES } from '../../http1/index.ts';
import type { Backpressure, Cells, ResultColumn, RowSink } from '../../model/cells.ts';
import type { Lease } from '../../util/bytes/buffer-pool.ts';
import { ByteWriter } from '../../util/bytes/byte-writer.ts';
import { MemoryBusy } from '../../util/bytes/memory-lease.ts';
import { PacedFlow } from '../../util/concurrency/paced-flow.ts';
import type { Exchange } from '../exchange.ts';
import { headerLines, setHeader } from './headers.ts';
import { PIECE_BYTES, sendError, sendSpool } from './respond.ts';
import type { SlowReader } from './slow-readers.ts';
import type { ResponseSpool } from './spool.ts';

const EMPTY = Buffer.alloc(0);

/** The sink of responses without rows. */
export const NO_ROWS = { header(): void {}, start(): void {}, row(): void {} };

interface RowResponseOptions {
  readonly status?: number;
  /** `row`: the document is the only row instead of a list. */
  readonly shape?: 'rows' | 'row';
}

/**
 * A small response is one write with its length. A large one flows in pieces, and the query waits
 * for a slow client. If it waits too long, or if other statements wait behind it, the rest goes to
 * a spool, and the database connection is free again. Without room in the spool the response breaks
 * off.
 */
export class RowResponse implements RowSink, SlowReader {
  /** Names and values, alternating; sent with the first byte. */
  readonly headers: string[] = [];
  readonly #exchange: Exchange;
  readonly #format: Format;
  readonly #status: number;
  readonly #shape: 'rows' | 'row';
  readonly #out: ByteWriter;
  /**
   * Holds bytes that must not be sent before the end, or the rest of a response to a slow client.
   */
  #spool: ResponseSpool | undefined;
  #writer: RowWriter | undefined;
  #flow: PacedFlow | undefined;
  /** `true` if other statements wait behind these rows. */
  #isPipelined = false;
  #hasBegun = false;
  /** 0 while the client is not slow. */
  waitingSince = 0;
  waitedMs = 0;

  /** `held`: nothing is sent before `end`, because a header depends on the last row. */
  constructor(exchange: Exchange, format: Format, mode: 'held' | 'flowing', { status = 200, shape = 'rows' }: RowResponseOptions = {}) {
    this.#exchange = exchange;
    this.#format = format;
    this.#status = status;
    this.#shape = shape;
    this.#spool = mode === 'held' || format.head !== undefined ? exchange.makeSpool() : undefined;
    this.#out = new ByteWriter(PIECE_BYTES, (piece) => this.#addPiece(piece));
  }

  header(name: string, value: string): void {
    setHeader(this.headers, name, value);
  }

  start(columns: readonly ResultColumn[], flow: Backpressure): void {
    this.#flow = new PacedFlow(flow, this.#exchange.owner);
    this.#isPipelined = flow.isPipelined === true;
    const begin = this.#shape === 'row' ? (this.#format.onlyRow ?? this.#format.rows) : this.#format.rows;
    this.#writer = begin(columns, this.#out);
  }

  row(cells: Cells): void {
    this.#writer?.row(cells);
    this.#out.flushIfFull();
  }

  end(): void {
    this.#writer?.end();
    const { reply } = this.#exchange;
    if (this.#spool !== undefined) {
      this.#addToSpool(this.#spool, this.#out.take());
      if (this.#hasBegun) sendRest(reply, this.#spool);
      else sendSpool(this.#exchange, this.#status, this.#format, this.#spool, this.headers);
    } else if (this.#hasBegun) reply.end(this.#out.take());
    else if (this.#out.length <= SINGLE_WRITE_BYTES) reply.sendLatin1(this.#status, this.#headerLines(), this.#out.takeLatin1());
    else reply.sendPieces(this.#status, this.#headerLines(), [this.#out.take()]);
  }

  /** Releases the spool of a response that will not be sent. */
  discard(): void {
    this.#spool?.discard();
  }

  /** The query continues; its rows go to a spool from now on. */
  stopWaiting(): void {
    this.#spool = this.#exchange.makeSpool();
    this.#exchange.reply.onDrain = undefined;
    this.#flow?.resume();
  }

  #headerLines(): string {
    return headerLines(this.#exchange.requestId, this.#format.contentType, this.headers);
  }

  #addPiece(piece: Lease): void {
    this.#flow?.spend(piece.length);
    if (this.#spool !== undefined) {
      this.#addToSpool(this.#spool, piece);
      return;
    }
    const { reply } = this.#exchange;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      reply.onDrain = () => this.#clientCaughtUp();
      reply.begin(this.#status, this.#headerLines(), undefined);
    }
    if (!reply.write(piece) && this.waitingSince === 0) this.#waitForClient();
  }

  #waitForClient(): void {
    this.#flow?.pause();
    if (this.#isPipelined) {
      this.stopWaiting();
      return;
    }
    this.waitingSince = performance.now();
    this.#exchange.resources.slowReaders.add(this);
  }

  /** Also called when the client has left. */
  #clientCaughtUp(): void {
    if (this.waitingSince === 0) return;
    this.#exchange.resources.slowReaders.remove(this);
    this.waitedMs += performance.now() - this.waitingSince;
    this.waitingSince = 0;
    this.#flow?.resume();
  }

  #addToSpool(spool: ResponseSpool, piece: Lease): void {
    if (this.#exchange.reply.isEnded) {
      piece.release();
      return;
    }
    try {
      spool.add(piece);
    } catch (error) {
      if (!(error instanceof MemoryBusy)) throw error;
      spool.discard();
      this.#breakOff(apiError('spool_full'));
    }
  }

  /** Answers with an error, or resets the connection, and cancels the statement. */
  #breakOff(error: ApiError): void {
    this.#exchange.error = error.key;
    sendError(this.#exchange, error);
    this.#exchange.abort();
  }
}

/** Sends the rest of a response that has begun. */
function sendRest(reply: HttpReply, spool: ResponseSpool): void {
  if (reply.isEnded) {
    spool.discard();
    return;
  }
  if (spool.pieces === undefined) {
    spool.pipe(reply);
    return;
  }
  for (const piece of spool.pieces) reply.write(piece);
  reply.end(EMPTY);
}
