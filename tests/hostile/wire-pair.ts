// The project's HTTP server and Node's, side by side. Each reports the requests that it read.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { RequestHead } from '../../src/http1/head/request-head.ts';
import { Listener } from '../../src/http1/listener.ts';
import { bytesOf } from '../../src/util/bytes/buffer-pool.ts';

/** Requests in order; the last may have been rejected. */
export interface Seen {
  readonly served: readonly string[];
  readonly refused: boolean;
}

const PATIENCE_MS = 20_000;

const shown = (method: string, target: string, headers: readonly string[], body: Buffer): string =>
  JSON.stringify([method, target, headers, body.toString('latin1')]);

/** Node reports an absolute URL, this project its path. */
const pathOf = (url: string): string => {
  const path = url.replace(/^https?:\/\/[^/?]*/i, '');
  return path === '' || path.startsWith('?') ? `/${path}` : path;
};

export class WirePair {
  readonly #ours: Listener;
  readonly #node: Server;
  #oursPort = 0;
  #nodePort = 0;
  readonly #seenByNode = new Map<number, string[]>();

  constructor(maxBodyBytes: number) {
    const headersFor = (head: RequestHead, body: Buffer): string =>
      `X-Seen: ${Buffer.from(shown(head.method, head.target, head.section.lines, body)).toString('base64')}\r\n`;
    this.#ours = new Listener(
      {
        request: (head, body, reply) => {
          reply.releaseRequestBody();
          reply.send(200, headersFor(head, bytesOf(body)), Buffer.from('ok'));
        },
        rejected: (_, reason, reply) => reply.send(400, `X-Rejected: ${reason}\r\n`, Buffer.from('no')),
      },
      { maxBodyBytes, maxBodiesBytes: 100_000_000, maxConnections: 1000, stallSecs: 30 },
    );
    this.#node = createServer({ maxHeaderSize: 32 * 1024, keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
    this.#node.on('request', (request, response) => this.#note(request, response));
    // Node reads ahead: requests before the bad one are still on their way to the listener above.
    this.#node.on('clientError', (_, socket) => void setTimeout(() => socket.destroy(), 5));
  }

  #note(request: IncomingMessage, response: ServerResponse): void {
    const pieces: Buffer[] = [];
    const port = request.socket.remotePort ?? 0;
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('error', () => undefined);
    request.on('end', () => {
      const headers = request.rawHeaders.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text));
      const list = this.#seenByNode.get(port) ?? [];
      list.push(shown(request.method ?? '', pathOf(request.url ?? ''), headers, Buffer.concat(pieces)));
      this.#seenByNode.set(port, list);
      response.end('ok');
    });
  }

  async start(): Promise<void> {
    this.#oursPort = await this.#ours.listen('127.0.0.1', 0);
    await new Promise<void>((resolve) => this.#node.listen(0, '127.0.0.1', resolve));
    this.#nodePort = (this.#node.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#node.closeAllConnections();
    this.#node.close();
    await this.#ours.close(1000);
  }

  /** Sends these bytes. With `waits` the client does not close its side. */
  ours(pieces: readonly Buffer[], end: 'ends' | 'waits' = 'ends'): Promise<Seen> {
    return converse(this.#oursPort, pieces, end).then(({ text }) => {
      const marks = [...text.matchAll(/^X-(Seen|Rejected): (.*)\r$/gm)];
      return {
        served: marks.filter(([, kind]) => kind === 'Seen').map(([, , value = '']) => Buffer.from(value, 'base64').toString()),
        refused: marks.some(([, kind]) => kind === 'Rejected'),
      };
    });
  }

  async node(bytes: Buffer): Promise<readonly string[]> {
    const { localPort } = await converse(this.#nodePort, [bytes], 'ends');
    const seen = this.#seenByNode.get(localPort) ?? [];
    this.#seenByNode.delete(localPort);
    return seen;
  }
}

/** Sends pieces one after the other and reads until the server closes. */
function converse(port: number, pieces: readonly Buffer[], end: 'ends' | 'waits'): Promise<{ text: string; localPort: number }> {
  return new Promise((resolve, reject) => {
    let text = '';
    let localPort = 0;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, async () => {
      localPort = socket.localPort ?? 0;
      for (const piece of pieces) {
        if (socket.destroyed || socket.readableEnded) break;
        await new Promise<void>((sent) => socket.write(piece, () => setImmediate(sent)));
      }
      if (end === 'ends') socket.end();
    });
    socket.setTimeout(PATIENCE_MS, () =>
      reject(new Error(`neither answered nor closed after ${JSON.stringify(Buffer.concat(pieces).toString('latin1'))}`)),
    );
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ text, localPort }));
  });
}
