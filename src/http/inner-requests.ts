/**
 * Requests that the service sends to itself on behalf of a caller. They pass through the same
 * handlers, checks and errors as requests of clients; the response is captured in memory, up to a
 * limit.
 */
import type { Socket } from 'node:net';
import { apiError } from '../errors.ts';
import { HttpReply, type RequestHead } from '../http1/index.ts';

import { type InnerRequest, type InnerResponse, ToolError } from '../mcp/session.ts';
import { Exchange, pathOf } from './exchange.ts';
import type { HttpMethod } from './route.ts';
import type { Router } from './router.ts';

/** Larger responses are broken off: no model could read them. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

/** Headers of the caller that are copied to the inner request. */
const CONTEXT_HEADERS: ReadonlySet<string> = new Set([
  'x-org-id',
  'x-project-id',
  'x-space-id',
  'x-user-id',
  'x-user-roles',
  'x-user-claims',
  'x-persona',
  'x-persona-claims',
  'x-feature-id',
]);

/** Headers that are copied beside a token. */
const PERSONA_HEADERS: ReadonlySet<string> = new Set(['x-persona', 'x-persona-claims']);

/** The part of a socket that replies use, without a client. */
class CapturingSocket {
  readonly pieces: Buffer[] = [];
  writableEnded = false;
  writableLength = 0;
  isBroken = false;
  #bytes = 0;

  write(data: string | Buffer, how?: BufferEncoding | (() => void), taken?: () => void): boolean {
    const piece = typeof data === 'string' ? Buffer.from(data, typeof how === 'string' ? how : 'utf8') : Buffer.from(data);
    this.#bytes += piece.length;
    if (this.#bytes > MAX_RESPONSE_BYTES) this.isBroken = true;
    else this.pieces.push(piece);
    const done = typeof how === 'function' ? how : taken;
    if (done !== undefined) queueMicrotask(done);
    return true;
  }

  cork(): void {}
  uncork(): void {}

  destroy(): void {
    this.isBroken = true;
  }

  resetAndDestroy(): void {
    this.isBroken = true;
  }
}

/** Sends a request for the caller of `outer`. A `token` replaces the caller's context headers. */
export async function sendInside(
  router: Router,
  outer: Exchange,
  token: string | undefined,
  request: InnerRequest,
): Promise<InnerResponse> {
  const { method, path, query, body, type } = request;
  const parameters = token === undefined ? query : [...query, ['pwt', token] as const];
  const search = parameters.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  const lines = [...contextLines(outer, token), ...(type === undefined ? [] : ['content-type', type]), 'x-request-id', outer.requestId];
  const section = { minor: 1, lines, keepAlive: true, length: body?.length ?? 0, expectsContinue: false, derived: undefined } as const;
  const head: RequestHead = { method, target: search === '' ? path : `${path}?${search}`, section: { ...section } };
  const route = router.find(pathOf(head));
  const handler = route?.methods[method as HttpMethod];
  if (handler === undefined) throw apiError('unknown_path');
  const socket = new CapturingSocket();
  const reply = new HttpReply(
    {
      socket: socket as unknown as Socket,
      isClosing: false,
      dateLine: () => '',
      replied: () => reply.flushed(),
      releaseBody: () => undefined,
    },
    head,
    0,
  );
  const finished = new Promise<void>((resolve) => {
    reply.onFinished = resolve;
  });
  const inner = new Exchange(head, reply, body, outer.resources);
  inner.isReadOnly = request.isReadOnly === true;
  inner.countsDryRuns = request.countsDryRuns === true;
  const stop = (): void => inner.abort();
  outer.addEventListener('abort', stop);
  try {
    await handler(inner);
    await finished;
  } finally {
    outer.removeEventListener('abort', stop);
  }
  if (socket.isBroken) throw new ToolError('The answer is too large for a tool; ask for less.');
  return parseAnswer(Buffer.concat(socket.pieces));
}

function contextLines(outer: Exchange, token: string | undefined): string[] {
  const { lines } = outer.head.section;
  const copied: string[] = token === undefined ? [] : ['x-power-token', token];
  for (let i = 0; i < lines.length; i += 2) {
    const name = lines[i] as string;
    if (token === undefined ? CONTEXT_HEADERS.has(name) : PERSONA_HEADERS.has(name)) copied.push(name, lines[i + 1] as string);
  }
  return copied;
}

/** Parses a response of this service: a head, and a body with its length or in chunks. */
function parseAnswer(bytes: Buffer): InnerResponse {
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]));
  const rest = bytes.subarray(end + 4);
  return { status: Number(first.split(' ')[1]), headers, body: headers.get('transfer-encoding') === 'chunked' ? joinChunks(rest) : rest };
}

function joinChunks(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (!(size > 0)) return Buffer.concat(pieces);
    pieces.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}
