// Sends one request and reports how it ended: with a response, broken, abandoned, or without any.
// Repeats nothing. Also sends HTTP/1.0, and reads slowly, which no library offers.
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

export type Ending =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer; readonly ms: number }
  | { readonly kind: 'broken' | 'left' | 'unanswered'; readonly ms: number };

export interface Question {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Milliseconds after which the client disconnects. */
  readonly leaveAfterMs?: number | undefined;
  /** Milliseconds of rest after each piece of the answer. */
  readonly restMs?: number | undefined;
}

/** Longer than anything may take: every limit that applies to a request is far below. */
const PATIENCE_MS = 30_000;

export class Client {
  readonly #address: { readonly host: string; readonly port: number };
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  readonly #leaving = new Set<() => void>();

  constructor(address: { readonly host: string; readonly port: number }) {
    this.#address = { host: address.host, port: address.port };
  }

  ask({ method, path, headers, body, leaveAfterMs, restMs }: Question): Promise<Ending> {
    const began = performance.now();
    return new Promise((resolve) => {
      let left: 'left' | 'unanswered' | undefined;
      const end = (ending: 'broken' | 'answer', answer?: { status: number; headers: IncomingHttpHeaders; body: Buffer }): void => {
        clearTimeout(patience);
        clearTimeout(leaving);
        this.#leaving.delete(leave);
        const ms = performance.now() - began;
        if (ending === 'answer' && answer !== undefined) resolve({ kind: 'answer', ...answer, ms });
        else resolve({ kind: left ?? 'broken', ms });
      };
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const request = httpRequest(
        { ...this.#address, agent: this.#agent, method, path, headers: { ...headers, ...length } },
        (response) => {
          const pieces: Buffer[] = [];
          response.on('data', (piece: Buffer) => {
            pieces.push(piece);
            if (restMs === undefined) return;
            response.pause();
            setTimeout(() => response.resume(), restMs);
          });
          response.on('error', () => end('broken'));
          response.on('end', () =>
            response.complete
              ? end('answer', { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) })
              : end('broken'),
          );
        },
      );
      const leave = (why: 'left' | 'unanswered' = 'left'): void => {
        left ??= why;
        request.destroy();
        // A request abandoned before it had a socket emits nothing else.
        end('broken');
      };
      const patience = setTimeout(() => leave('unanswered'), PATIENCE_MS);
      const leaving = leaveAfterMs === undefined ? undefined : setTimeout(leave, leaveAfterMs);
      this.#leaving.add(leave);
      request.on('error', () => end('broken'));
      request.end(body);
    });
  }

  /** Sends HTTP/1.0, where a FIN may end the body and means that it is complete. */
  askOld({ method, path, headers }: Question): Promise<Ending> {
    const began = performance.now();
    return new Promise((resolve) => {
      const pieces: Buffer[] = [];
      let isWhole = false;
      let timedOut = false;
      const socket = connect({ ...this.#address, allowHalfOpen: true }, () => {
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        socket.write(`${method} ${path} HTTP/1.0\r\n${lines.join('')}\r\n`);
      });
      socket.setTimeout(PATIENCE_MS, () => {
        timedOut = true;
        socket.destroy();
      });
      socket.on('data', (piece) => pieces.push(piece));
      // The runtime also emits an end when a reset arrives with the last bytes. A connection that
      // was reset cannot be written to.
      socket.on('end', () =>
        socket.write('\r\n', (error) => {
          isWhole = error === null || error === undefined;
          socket.destroy();
        }),
      );
      socket.on('error', () => {
        isWhole = false;
      });
      socket.on('close', () => {
        const ms = performance.now() - began;
        const answer = isWhole ? takeApart(Buffer.concat(pieces)) : undefined;
        resolve(answer === undefined ? { kind: timedOut ? 'unanswered' : 'broken', ms } : { kind: 'answer', ...answer, ms });
      });
    });
  }

  /** Disconnects all clients at once. */
  leaveAll(): void {
    for (const leave of [...this.#leaving]) leave();
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** `undefined` if the client can detect that something is missing. */
function takeApart(bytes: Buffer): { status: number; headers: IncomingHttpHeaders; body: Buffer } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers: IncomingHttpHeaders = {};
  for (const line of lines) headers[line.slice(0, line.indexOf(':')).toLowerCase()] = line.slice(line.indexOf(':') + 1).trim();
  const body = bytes.subarray(end + 4);
  if (headers['content-length'] !== undefined && Number(headers['content-length']) !== body.length) return undefined;
  return { status: Number(first.split(' ')[1]), headers, body };
}
