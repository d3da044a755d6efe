/**
 * Requests that the service makes of itself for a caller: through the same handlers, with the same checks, errors and answers as over the wire.
 * The answer is taken from a socket that leads nowhere, and is bounded.
 */
import type { Socket } from 'node:net';
import { apiError } from '../errors.ts';
import { HttpReply, type RequestHead } from '../http1/index.ts';

import { type InnerAnswer, type InnerRequest, ToolError } from '../mcp/session.ts';
import { Exchange, pathOf } from './exchange.ts';
import type { HttpMethod } from './route.ts';
import type { Router } from './router.ts';

/** An answer that nobody could read: larger ones are broken off. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Headers of the caller that go with every request. */
const CONTEXT: ReadonlySet<string> = new Set([
  'x-org-id',
  'x-project-id',
  'x-space-id',
  'x-user-id',
  'x-user-roles',
  'x-user-claims',
  'x-persona',
  'x-feature-id',
]);

/** Takes what would go to a client. */
class CapturingSocket {
  readonly pieces: Buffer[] = [];
  writableEnded = false;
  writableLength = 0;
  isBroken = false;
  #bytes = 0;

  write(data: string | Buffer, how?: BufferEncoding | (() => void), taken?: () => void): boolean {
    const piece = typeof data === 'string' ? Buffer.from(data, typeof how === 'string' ? how : 'utf8') : Buffer.from(data);
    this.#bytes += piece.length;
    if (this.#bytes > MOST_BYTES) this.isBroken = true;
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

/** Runs a request for the caller of another one. `token` stands for its context headers. */
export async function sendInside(router: Router, outer: Exchange, token: string | undefined, request: InnerRequest): Promise<InnerAnswer> {
  const { method, path, query, body, type } = request;
  const parameters = token === undefined ? query : [...query, ['pwt', token] as const];
  const text = parameters.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  const lines = [...contextLines(outer, token), ...(type === undefined ? [] : ['content-type', type]), 'x-request-id', outer.requestId];
  const section = { minor: 1, lines, keepAlive: true, length: body?.length ?? 0, expectsContinue: false, derived: undefined } as const;
  const head: RequestHead = { method, target: text === '' ? path : `${path}?${text}`, section: { ...section } };
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
  const over = new Promise<void>((resolve) => {
    reply.onFinished = resolve;
  });
  const inner = new Exchange(head, reply, body);
  inner.isReadOnly = request.isReadOnly === true;
  const stop = (): void => inner.abort();
  outer.addEventListener('abort', stop);
  try {
    await handler(inner);
    await over;
  } finally {
    outer.removeEventListener('abort', stop);
  }
  if (socket.isBroken) throw new ToolError('The answer is too large for a tool; ask for less.');
  return parseAnswer(Buffer.concat(socket.pieces));
}

function contextLines(outer: Exchange, token: string | undefined): string[] {
  const { lines } = outer.head.section;
  const kept: string[] = token === undefined ? [] : ['x-power-token', token];
  for (let i = 0; i < lines.length; i += 2) {
    const name = lines[i] as string;
    if (token === undefined ? CONTEXT.has(name) : name === 'x-persona') kept.push(name, lines[i + 1] as string);
  }
  return kept;
}

/** Our own answers, so their form is known: a head, and a body with its length or in chunks. */
function parseAnswer(bytes: Buffer): InnerAnswer {
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
