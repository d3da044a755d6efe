/**
 * Answers: JSON documents, errors, values in a chosen format, and rows as they come. A failure after the first byte breaks the connection
 * off, so that no short body ever looks whole.
 */
import { type ApiError, apiError, REASONS } from '../errors.ts';
import type { Format } from '../formats/format.ts';
import type { Cells, Flow, ResultColumn, RowSink } from '../model/cells.ts';
import { ByteWriter } from '../util/byte-writer.ts';
import type { PlainValue } from '../util/decimal.ts';
import { NestingError } from '../util/json.ts';
import { giveBack } from '../util/lent-memory.ts';
import type { Exchange } from './exchange.ts';
import { Spool } from './spool.ts';
import { JOINED } from './wire/reply.ts';

/** A piece of this size goes to the socket. */
const PIECE = 64 * 1024;

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Heads are written with one byte a character. A character that has no byte would become another one, perhaps the end of the line. */
const NOT_IN_HEADER = /[^\t\x20-\x7e\x80-\xff]/;

/** What answers of one type share of their heads. */
const beginnings = new Map<string, string>();

function beginning(type: string): string {
  let text = beginnings.get(type);
  if (text === undefined) {
    text = `Content-Type: ${type}\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nX-Request-Id: `;
    beginnings.set(type, text);
  }
  return text;
}

/** The lines of an answer's head; `extra`: further names and values in turn. */
function headerLines(exchange: Exchange, type: string, extra: readonly string[]): string {
  let lines = `${beginning(type)}${exchange.requestId}\r\n`;
  for (let i = 0; i < extra.length; i += 2) {
    const value = extra[i + 1] as string;
    if (NOT_IN_HEADER.test(value)) throw new Error(`the header ${extra[i]} cannot hold its value`);
    lines += `${extra[i]}: ${value}\r\n`;
  }
  return lines;
}

export function sendBytes(exchange: Exchange, status: number, type: string, body: Buffer, extra: readonly string[] = []): void {
  exchange.reply.send(status, headerLines(exchange, type, extra), body);
}

export function sendJson(exchange: Exchange, status: number, body: unknown, extra: readonly string[] = []): void {
  sendBytes(exchange, status, JSON_TYPE, Buffer.from(JSON.stringify(body)), extra);
}

/** `{code, status, message}` and what belongs beside it. */
export function sendDone(exchange: Exchange, status: number, message: string, more: object = {}): void {
  sendJson(exchange, status, { code: status, status: REASONS[status] ?? '', message, ...more });
}

export function sendError(exchange: Exchange, error: ApiError): void {
  const { reply } = exchange;
  if (reply.over) return;
  if (reply.status !== 0) {
    reply.destroy();
    return;
  }
  sendJson(exchange, error.status, error.body(), Object.entries(error.headers).flat());
}

export function sendValue(exchange: Exchange, status: number, format: Format, value: PlainValue, extra: readonly string[] = []): void {
  const spool = new Spool();
  const out = new ByteWriter(PIECE, (piece) => spool.add(piece));
  try {
    format.value(value, out);
  } catch (error) {
    spool.discard();
    throw error instanceof NestingError ? apiError('result_too_deep') : error;
  }
  if (spool.size === 0 && format.head === undefined && out.length <= JOINED) {
    exchange.reply.sendLatin1(status, headerLines(exchange, format.contentType, extra), out.takeLatin1());
    return;
  }
  spool.add(out.take());
  sendSpool(exchange, status, format, spool, extra);
}

/** A body whose length is known only now; formats that begin with it get their head. */
function sendSpool(exchange: Exchange, status: number, format: Format, spool: Spool, extra: readonly string[]): void {
  const head = format.head === undefined ? EMPTY : format.head(spool.size);
  if (head === undefined) {
    spool.discard();
    exchange.reply.destroy();
    return;
  }
  const { reply } = exchange;
  const lines = headerLines(exchange, format.contentType, extra);
  if (spool.pieces !== undefined) {
    reply.sendPieces(status, lines, [head, ...spool.pieces], giveBack);
    return;
  }
  reply.begin(status, lines, head.length + spool.size);
  reply.write(head);
  spool.pipe(reply);
}

const EMPTY = Buffer.alloc(0);

/** Rows into a response. A small answer is one write with its length; a large one flows, and the query waits for a slow reader. */
export class RowResponse implements RowSink {
  /** Pairs of names and values, sent with the first byte. */
  readonly headers: string[] = [];
  readonly #exchange: Exchange;
  readonly #format: Format;
  readonly #out: ByteWriter;
  readonly #spool: Spool | undefined;
  #writer: { row(cells: Cells): void; end(): void } | undefined;
  #flow: Flow | undefined;
  #sent = false;

  /** `held`: nothing is sent before `end`, because a header depends on the last row. */
  constructor(exchange: Exchange, format: Format, held: 'held' | 'flowing') {
    this.#exchange = exchange;
    this.#format = format;
    this.#spool = held === 'held' || format.head !== undefined ? new Spool() : undefined;
    this.#out = new ByteWriter(PIECE, (piece) => this.#piece(piece));
  }

  total(count: string): void {
    this.headers.push('X-Total-Count', count);
  }

  start(columns: readonly ResultColumn[], flow: Flow): void {
    this.#flow = flow;
    this.#writer = this.#format.rows(columns, this.#out);
  }

  row(cells: Cells): void {
    this.#writer?.row(cells);
    this.#out.flushIfFull();
  }

  end(): void {
    this.#writer?.end();
    if (this.#spool !== undefined) {
      this.#spool.add(this.#out.take());
      sendSpool(this.#exchange, 200, this.#format, this.#spool, this.headers);
      return;
    }
    const { reply } = this.#exchange;
    if (this.#sent) {
      reply.end(this.#out.take(), giveBack);
      return;
    }
    const lines = headerLines(this.#exchange, this.#format.contentType, this.headers);
    if (this.#out.length <= JOINED) reply.sendLatin1(200, lines, this.#out.takeLatin1());
    else reply.sendPieces(200, lines, [this.#out.take()], giveBack);
  }

  /** What was spooled for an answer that will not be sent. */
  discard(): void {
    this.#spool?.discard();
  }

  #piece(piece: Buffer): void {
    if (this.#spool !== undefined) {
      this.#spool.add(piece);
      return;
    }
    const { reply } = this.#exchange;
    if (!this.#sent) {
      this.#sent = true;
      reply.onDrain = () => this.#flow?.resume();
      reply.begin(200, headerLines(this.#exchange, this.#format.contentType, this.headers), undefined);
    }
    if (!reply.write(piece, giveBack)) this.#flow?.pause();
  }
}
