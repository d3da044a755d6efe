/**
 * How the server ends: no connection is accepted any more; on those that there are, requests are answered for a moment, with the word that
 * the connection closes, so that clients leave by themselves; then only what runs may finish. Knows nothing of what travels on connections.
 */
import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** How long clients may take to leave by themselves, and a new connection to send its first request. */
const LINGER_MS = 300;
const LOOK_MS = 20;

export class Drain {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Connections on which no request has come yet, and since when; Node does not count them among the idle ones. */
  readonly #silent = new Map<Socket, number>();

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      this.#silent.set(socket, performance.now());
      socket.once('close', () => {
        this.#sockets.delete(socket);
        this.#silent.delete(socket);
      });
    });
    server.prependListener('request', ({ socket }) => this.#silent.delete(socket));
  }

  /** Resolves when the last connection is gone; tells whether requests had to be broken off. */
  async end(graceMs: number): Promise<'finished' | 'forced'> {
    let outcome: 'finished' | 'forced' = 'finished';
    const force = setTimeout(() => {
      outcome = 'forced';
      this.breakOff();
    }, graceMs);
    // The HTTP server's own way to close would also hang up on clients whose next request is on its way.
    const closed = new Promise((resolve) => NetServer.prototype.close.call(this.#server, resolve));
    await this.#linger(Math.min(LINGER_MS, graceMs));
    const looking = setInterval(() => this.#hangUp(), LOOK_MS);
    await closed;
    clearInterval(looking);
    clearTimeout(force);
    return outcome;
  }

  /** Ends every connection now, whatever runs on it. */
  breakOff(): void {
    this.#server.closeAllConnections();
  }

  async #linger(ms: number): Promise<void> {
    const end = performance.now() + ms;
    while (this.#sockets.size > 0 && performance.now() < end) await wait(LOOK_MS);
  }

  #hangUp(): void {
    this.#server.closeIdleConnections();
    const now = performance.now();
    for (const [socket, since] of this.#silent) if (now - since > LINGER_MS) socket.destroy();
  }
}
