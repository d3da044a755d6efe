/**
 * Listens, and keeps the connections: all of them are looked at once a second, so that none needs a timer of its own. Its end is gentle: no
 * connection is accepted any more; on those that there are, requests are answered for a moment, with the word that the connection closes, so
 * that clients leave by themselves; then only what runs may finish.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Connection, type Listener, LOOK_MS } from './connection.ts';

/** How long clients may take to leave by themselves, and a new connection to send its first request. */
const LINGER_MS = 300;
const DRAIN_MS = 20;

export class WireServer {
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  readonly #looker: NodeJS.Timeout;

  constructor(listener: Omit<Listener, 'closed'>) {
    const served: Listener = { ...listener, closed: (connection) => void this.#connections.delete(connection) };
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) => {
      this.#connections.add(new Connection(socket, served));
    });
    this.#looker = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** Resolves with the port. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        this.#server.removeListener('error', reject);
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  /** Resolves when the last connection is gone; tells whether requests had to be broken off. */
  async end(graceMs: number): Promise<'finished' | 'forced'> {
    let outcome: 'finished' | 'forced' = 'finished';
    const force = setTimeout(() => {
      outcome = 'forced';
      this.breakOff();
    }, graceMs);
    const closed = new Promise((resolve) => this.#server.close(resolve));
    await this.#linger(Math.min(LINGER_MS, graceMs));
    const looking = setInterval(() => this.#hangUp(), DRAIN_MS);
    await closed;
    clearInterval(looking);
    clearInterval(this.#looker);
    clearTimeout(force);
    return outcome;
  }

  /** Ends every connection now, whatever runs on it. */
  breakOff(): void {
    for (const { socket } of this.#connections) socket.destroy();
  }

  #look(): void {
    for (const connection of this.#connections) connection.look();
  }

  async #linger(ms: number): Promise<void> {
    const end = performance.now() + ms;
    while (this.#connections.size > 0 && performance.now() < end) await wait(DRAIN_MS);
  }

  #hangUp(): void {
    const now = performance.now();
    for (const connection of this.#connections)
      if (connection.idle && (connection.used || now - connection.opened > LINGER_MS)) connection.socket.destroy();
  }
}
