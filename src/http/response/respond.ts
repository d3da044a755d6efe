/**
 * Sends responses whose content is known: JSON documents, errors, values in a chosen format, and
 * OpenAPI documents.
 */
import type { DocumentStream } from '../../describe/documents/document-cache.ts';
import { type ApiError, apiError, REASONS } from '../../errors.ts';
import type { Format } from '../../formats/format.ts';
import { SINGLE_WRITE_BYTES } from '../../http1/index.ts';
import { ByteWriter } from '../../util/bytes/byte-writer.ts';
import { MemoryBusy } from '../../util/bytes/memory-lease.ts';
import { NestingError } from '../../util/json/json.ts';
import type { PlainValue } from '../../util/text/decimal.ts';
import type { Exchange } from '../exchange.ts';
import { headerLines, JSON_TYPE } from './headers.ts';
import type { ResponseSpool } from './spool.ts';

/** Size of the pieces of a body. A page of a thousand rows is one piece. */
export const PIECE_BYTES = 128 * 1024;

const EMPTY = Buffer.alloc(0);

export function sendBytes(
  { reply, requestId }: Exchange,
  status: number,
  type: string,
  body: Buffer,
  headers: readonly string[] = [],
): void {
  reply.send(status, headerLines(requestId, type, headers), body);
}

export function sendJson(exchange: Exchange, status: number, body: unknown, headers: readonly string[] = []): void {
  sendBytes(exchange, status, JSON_TYPE, Buffer.from(JSON.stringify(body)), headers);
}

/** Sends `{code, status, message}` and additional fields. */
export function sendDone(exchange: Exchange, status: number, message: string, fields: object = {}): void {
  sendJson(exchange, status, { code: status, status: REASONS[status] ?? '', message, ...fields });
}

export function sendEmpty({ reply, requestId }: Exchange, status: number, headers: readonly string[]): void {
  reply.sendLatin1(status, headerLines(requestId, JSON_TYPE, headers), '');
}

/** After the first byte of another response, the connection is reset instead. */
export function sendError(exchange: Exchange, error: ApiError): void {
  const { reply } = exchange;
  if (reply.isEnded) return;
  if (reply.status === 0) sendJson(exchange, error.status, error.body(), Object.entries(error.headers).flat());
  else reply.destroy();
}

export function sendValue(exchange: Exchange, status: number, format: Format, value: PlainValue, headers: readonly string[] = []): void {
  const { reply, requestId } = exchange;
  const spool = exchange.makeSpool();
  const out = new ByteWriter(PIECE_BYTES, (piece) => spool.add(piece));
  try {
    format.value(value, out);
    if (spool.size === 0 && format.head === undefined && out.length <= SINGLE_WRITE_BYTES) {
      reply.sendLatin1(status, headerLines(requestId, format.contentType, headers), out.takeLatin1());
      return;
    }
    spool.add(out.take());
  } catch (error) {
    spool.discard();
    if (error instanceof MemoryBusy) throw apiError('spool_full');
    throw error instanceof NestingError ? apiError('result_too_deep') : error;
  }
  sendSpool(exchange, status, format, spool, headers);
}

/** Sends a complete body. Formats that begin with their length get their head only now. */
export function sendSpool(exchange: Exchange, status: number, format: Format, spool: ResponseSpool, headers: readonly string[]): void {
  const { reply, requestId } = exchange;
  const head = format.head === undefined ? EMPTY : format.head(spool.size);
  if (head === undefined) {
    spool.discard();
    reply.destroy();
    return;
  }
  const lines = headerLines(requestId, format.contentType, headers);
  if (spool.pieces !== undefined) {
    reply.sendPieces(status, lines, [head, ...spool.pieces]);
    return;
  }
  reply.begin(status, lines, head.length + spool.size);
  reply.write(head);
  spool.pipe(reply);
}

/**
 * Sends a document with an ETag, as it is made and as the client reads. `undefined`: the client's
 * copy is current (304).
 */
export function sendDocument({ reply, requestId }: Exchange, type: string, document: DocumentStream | undefined, etag: string): void {
  const head = `X-Content-Type-Options: nosniff\r\nCache-Control: private, no-cache\r\nETag: ${etag}\r\nX-Request-Id: ${requestId}\r\n`;
  if (document === undefined) {
    reply.sendPieces(304, head, []);
    return;
  }
  const { pieces } = document;
  let sent = 0;
  let isSlow = false;
  const sendMore = (): void => {
    while (!isSlow && sent < pieces.length) isSlow = !reply.write(pieces[sent++] as Buffer);
    if (document.isComplete && sent === pieces.length) reply.end(EMPTY);
  };
  reply.onDrain = () => {
    isSlow = false;
    sendMore();
  };
  const length = document.isComplete ? pieces.reduce((sum, piece) => sum + piece.length, 0) : undefined;
  reply.begin(200, `Content-Type: ${type}\r\n${head}`, length);
  document.onMore(sendMore);
  sendMore();
}
