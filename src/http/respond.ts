/**
 * Sends answers: JSON documents, errors, values in a chosen format, and rows as they arrive. A failure after the first byte resets the
 * connection, so that a truncated body never looks complete.
 */
import type { DocumentStream } from '../describe/documents/document-cache.ts';
import { type ApiError, apiError, REASONS } from '../errors.ts';
import type { Format } from '../formats/format.ts';
import { type HttpReply, SINGLE_WRITE_BYTES } from '../http1/index.ts';
import type { Backpressure, Cells, ResultColumn, RowSink } from '../model/cells.ts';
import type { Lease } from '../util/bytes/buffer-pool.ts';
import { ByteWriter } from '../util/bytes/byte-writer.ts';
import { MemoryBusy } from '../util/bytes/memory-lease.ts';
import { PacedFlow } from '../util/concurrency/paced-flow.ts';
import { NestingError } from '../util/json/json.ts';
import type { PlainValue } from '../util/text/decimal.ts';
import type { Exchange } from './exchange.ts';
import { awaitReader, readerIsBack, type SlowReader } from './slow-readers.ts';
import { AnswerSpool } from './spool.ts';

/** The size of the pieces that go to the socket: a page of a thousand rows is one, which leaves with its length in one write. */
const PIECE = 128 * 1024;

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Heads are written with one byte per character. Any other character would become a different one, perhaps a line break. */
const NOT_IN_HEADER = /[^\t\x20-\x7e\x80-\xff]/;

/** Unless an author says otherwise. */
const NO_STORE = 'Cache-Control: no-store\r\n';

/** The part of the head that all answers of one content type share. */
const beginnings = new Map<string, string>();

function beginning(type: string): string {
  let text = beginnings.get(type);
  if (text === undefined) {
    text = `Content-Type: ${type}\r\nX-Content-Type-Options: nosniff\r\n${NO_STORE}X-Request-Id: `;
    beginnings.set(type, text);
  }
  return text;
}

/** The header lines of an answer; `extra` has further names and values, alternating. */
function headerLines(exchange: Exchange, type: string, extra: readonly string[]): string {
  let lines = `${beginning(type)}${exchange.requestId}\r\n`;
  for (let i = 0; i < extra.length; i += 2) {
    const value = extra[i + 1] as string;
    if (NOT_IN_HEADER.test(value)) throw new Error(`the header ${extra[i]} cannot hold its value`);
    if (extra[i] === 'Cache-Control') lines = lines.replace(NO_STORE, '');
    lines += `${extra[i]}: ${value}\r\n`;
  }
  return lines;
}

/** Replaces the value if the name is there already (names and values alternate). */
export function setHeader(headers: string[], name: string, value: string): void {
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i] !== name) continue;
    headers[i + 1] = value;
    return;
  }
  headers.push(name, value);
}

export function sendBytes(exchange: Exchange, status: number, type: string, body: Buffer, extra: readonly string[] = []): void {
  exchange.reply.send(status, headerLines(exchange, type, extra), body);
}

/** A document that a client may keep, and ask whether it still holds; without one: it does. It flows as it is made and as its reader takes it. */
export function sendDocument(exchange: Exchange, type: string, document: DocumentStream | undefined, etag: string): void {
  const { reply, requestId } = exchange;
  const head = `X-Content-Type-Options: nosniff\r\nCache-Control: private, no-cache\r\nETag: ${etag}\r\nX-Request-Id: ${requestId}\r\n`;
  if (document === undefined) {
    reply.sendPieces(304, head, []);
    return;
  }
  const { pieces } = document;
  let sent = 0;
  let isSlow = false;
  const goOn = (): void => {
    while (!isSlow && sent < pieces.length) isSlow = !reply.write(pieces[sent++] as Buffer);
    if (document.isComplete && sent === pieces.length) reply.end(EMPTY);
  };
  reply.onDrain = () => {
    isSlow = false;
    goOn();
  };
  const length = document.isComplete ? pieces.reduce((sum, piece) => sum + piece.length, 0) : undefined;
  reply.begin(200, `Content-Type: ${type}\r\n${head}`, length);
  document.onMore(goOn);
  goOn();
}

export function sendJson(exchange: Exchange, status: number, body: unknown, extra: readonly string[] = []): void {
  sendBytes(exchange, status, JSON_TYPE, Buffer.from(JSON.stringify(body)), extra);
}

/** An answer without a body. */
export function sendEmpty(exchange: Exchange, status: number, extra: readonly string[]): void {
  exchange.reply.sendLatin1(status, headerLines(exchange, JSON_TYPE, extra), '');
}

/** `{code, status, message}` and additional fields. */
export function sendDone(exchange: Exchange, status: number, message: string, more: object = {}): void {
  sendJson(exchange, status, { code: status, status: REASONS[status] ?? '', message, ...more });
}

export function sendError(exchange: Exchange, error: ApiError): void {
  const { reply } = exchange;
  if (reply.isEnded) return;
  if (reply.status !== 0) {
    reply.destroy();
    return;
  }
  sendJson(exchange, error.status, error.body(), Object.entries(error.headers).flat());
}

export function sendValue(exchange: Exchange, status: number, format: Format, value: PlainValue, extra: readonly string[] = []): void {
  const spool = new AnswerSpool(ownerOf(exchange));
  const out = new ByteWriter(PIECE, (piece) => spool.add(piece));
  try {
    format.value(value, out);
    if (spool.size === 0 && format.head === undefined && out.length <= SINGLE_WRITE_BYTES) {
      exchange.reply.sendLatin1(status, headerLines(exchange, format.contentType, extra), out.takeLatin1());
      return;
    }
    spool.add(out.take());
  } catch (error) {
    spool.discard();
    if (error instanceof MemoryBusy) throw apiError('spool_full');
    throw error instanceof NestingError ? apiError('result_too_deep') : error;
  }
  sendSpool(exchange, status, format, spool, extra);
}

/** The sink of answers without rows. */
export const NO_ROWS = { header(): void {}, start(): void {}, row(): void {} };

/** Sends a body whose length is known only now. Formats that begin with their length get their head. */
function sendSpool(exchange: Exchange, status: number, format: Format, spool: AnswerSpool, extra: readonly string[]): void {
  const head = format.head === undefined ? EMPTY : format.head(spool.size);
  if (head === undefined) {
    spool.discard();
    exchange.reply.destroy();
    return;
  }
  const { reply } = exchange;
  const lines = headerLines(exchange, format.contentType, extra);
  if (spool.pieces !== undefined) {
    reply.sendPieces(status, lines, [head, ...spool.pieces]);
    return;
  }
  reply.begin(status, lines, head.length + spool.size);
  reply.write(head);
  spool.pipe(reply);
}

const EMPTY = Buffer.alloc(0);

/**
 * Sends rows. A small answer is one write with its length. A large one flows in slices, and the query waits for a slow reader. If that takes
 * too long, or others wait behind it, the rest goes to a spool, and the connection to the database is free again. If the spool has no room, the answer
 * breaks off.
 */
export class RowResponse implements RowSink, SlowReader {
  /** Names and values, alternating; sent with the first byte. */
  readonly headers: string[] = [];
  readonly #exchange: Exchange;
  readonly #format: Format;
  readonly #status: number;
  readonly #shape: 'rows' | 'row';
  readonly #out: ByteWriter;
  /** Holds what must not be sent before the end, or the rest of an answer for a slow reader. */
  #spool: AnswerSpool | undefined;
  #writer: { row(cells: Cells): void; end(): void } | undefined;
  #flow: PacedFlow | undefined;
  /** Others wait behind these rows. */
  #isPipelined = false;
  #sent = false;
  since = 0;
  waited = 0;

  /** `held`: nothing is sent before `end`, because a header depends on the last row. `shape`: the document is the only row itself. */
  constructor(
    exchange: Exchange,
    format: Format,
    held: 'held' | 'flowing',
    { status = 200, shape = 'rows' }: { readonly status?: number; readonly shape?: 'rows' | 'row' } = {},
  ) {
    this.#exchange = exchange;
    this.#format = format;
    this.#status = status;
    this.#shape = shape;
    this.#spool = held === 'held' || format.head !== undefined ? new AnswerSpool(ownerOf(exchange)) : undefined;
    this.#out = new ByteWriter(PIECE, (piece) => this.#piece(piece));
  }

  header(name: string, value: string): void {
    setHeader(this.headers, name, value);
  }

  start(columns: readonly ResultColumn[], flow: Backpressure): void {
    this.#flow = new PacedFlow(flow, ownerOf(this.#exchange));
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
      this.#keep(this.#spool, this.#out.take());
      if (this.#sent) sendRest(reply, this.#spool);
      else sendSpool(this.#exchange, this.#status, this.#format, this.#spool, this.headers);
      return;
    }
    if (this.#sent) {
      reply.end(this.#out.take());
      return;
    }
    const lines = headerLines(this.#exchange, this.#format.contentType, this.headers);
    if (this.#out.length <= SINGLE_WRITE_BYTES) reply.sendLatin1(this.#status, lines, this.#out.takeLatin1());
    else reply.sendPieces(this.#status, lines, [this.#out.take()]);
  }

  /** Discards what was spooled for an answer that will not be sent. */
  discard(): void {
    this.#spool?.discard();
  }

  /** The reader is too slow for the query to keep waiting. */
  giveUp(): void {
    this.#spool = new AnswerSpool(ownerOf(this.#exchange));
    this.#exchange.reply.onDrain = undefined;
    this.#flow?.resume();
  }

  #piece(piece: Lease): void {
    this.#flow?.spend(piece.length);
    if (this.#spool !== undefined) {
      this.#keep(this.#spool, piece);
      return;
    }
    const { reply } = this.#exchange;
    if (!this.#sent) {
      this.#sent = true;
      reply.onDrain = () => this.#goOn();
      reply.begin(this.#status, headerLines(this.#exchange, this.#format.contentType, this.headers), undefined);
    }
    if (!reply.write(piece) && this.since === 0) {
      this.#flow?.pause();
      if (this.#isPipelined) {
        this.giveUp();
        return;
      }
      this.since = performance.now();
      awaitReader(this);
    }
  }

  /** The reader has caught up, or has left. */
  #goOn(): void {
    if (this.since === 0) return;
    readerIsBack(this);
    this.waited += performance.now() - this.since;
    this.since = 0;
    this.#flow?.resume();
  }

  #keep(spool: AnswerSpool, piece: Lease): void {
    const { reply } = this.#exchange;
    if (reply.isEnded) {
      piece.release();
      return;
    }
    try {
      spool.add(piece);
    } catch (error) {
      if (!(error instanceof MemoryBusy)) throw error;
      // Nobody needs the statement any more.
      spool.discard();
      refuse(this.#exchange, apiError('spool_full'));
      this.#exchange.abort();
    }
  }
}

function refuse(exchange: Exchange, error: ApiError): void {
  exchange.error = error.key;
  sendError(exchange, error);
}

/** Sends the rest of an answer that has begun. */
function sendRest(reply: HttpReply, spool: AnswerSpool): void {
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

function ownerOf({ caller }: Exchange): string {
  return caller?.projectId ?? '';
}
