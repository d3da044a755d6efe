/**
 * Listens on a port, and keeps the connections and their shared limits. Independent of what
 * requests are about.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { BodyBudget } from './body-budget.ts';
import { HttpConnection } from './connection.ts';
import type { ConnectionContext, ConnectionLimit, ListenerLimits, RequestHandlers } from './connection-context.ts';
import { DateHeader } from './date-header.ts';
import { DiscardQueue } from './discard-queue.ts';
import { HeaderNames } from './head/header-names.ts';
import { maxConnectionsByOpenFiles } from './open-file-limit.ts';

/** Interval at which the time limits of all connections are checked. */
const TICK_MS = 1000;
/** Interval at which a closing listener looks at its connections. */
const POLL_MS = 20;
/**
 * Time for clients to close idle connections, and for new connections to send their first request.
 */
const LINGER_MS = 300;
/** The listener is quiet after this time without a request. */
const QUIET_MS = 1000;
/** Connections over the limit that are served at a time; the oldest is dropped for a new one. */
const MAX_OVER_LIMIT = 6;
/** A connection that has been idle for this time is closed in favour of a new one. */
const EVICTABLE_IDLE_MS = 5000;

export class Listener {
  /** Time of the last request that counts as load; the handlers set it. */
  lastRequestAt = Number.NEGATIVE_INFINITY;
  readonly #server: Server;
  readonly #connections = new Set<HttpConnection>();
  /** The connections among them that are over the limit, oldest first. */
  readonly #overLimit = new Set<HttpConnection>();
  readonly #handlers: RequestHandlers;
  readonly #maxConnections: number;
  readonly #limit: ConnectionLimit;
  readonly #context: ConnectionContext<HttpConnection>;
  readonly #ticker: NodeJS.Timeout;
  /** An exiting process must not leave truncated replies that look complete. */
  readonly #onExit = (): void => this.abort();

  constructor(handlers: RequestHandlers, limits: ListenerLimits) {
    this.#handlers = handlers;
    const byOpenFiles = maxConnectionsByOpenFiles();
    this.#maxConnections = Math.min(limits.maxConnections, byOpenFiles);
    this.#limit = byOpenFiles < limits.maxConnections ? 'descriptors' : 'connections';
    this.#context = {
      maxBodyBytes: limits.maxBodyBytes,
      stallMs: limits.stallSecs * 1000,
      bodies: new BodyBudget(Math.max(limits.maxBodiesBytes, 2 * limits.maxBodyBytes)),
      discards: new DiscardQueue(),
      names: new HeaderNames(),
      date: new DateHeader(),
      request: handlers.request,
      rejected: handlers.rejected,
      precheck: handlers.precheck ?? (() => undefined),
      isExempt: handlers.isExempt ?? (() => false),
      isClosing: false,
      evictSlowBody: (requester) => this.#evictSlowBody(requester),
      closed: (connection) => {
        this.#connections.delete(connection);
        this.#overLimit.delete(connection);
      },
    };
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) => this.#accept(socket));
    this.#ticker = setInterval(() => this.#tick(), TICK_MS).unref();
    process.once('exit', this.#onExit);
  }

  /** The bytes of bodies in memory, and the number of connections. */
  get load(): { readonly bodyBytes: number; readonly connections: number } {
    return { bodyBytes: this.#context.bodies.held, connections: this.#connections.size };
  }

  /** Resolves with the port. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        this.#server.removeListener('error', reject);
        // A connection could not be accepted: its client tries again.
        this.#server.on('error', () => this.#handlers.overloaded?.('descriptors'));
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  /** Resolves when there was no request for a second, after `maxMs`, or when cancelled. */
  async waitUntilQuiet(maxMs: number, isCancelled: () => boolean): Promise<void> {
    const end = performance.now() + maxMs;
    while (!isCancelled() && performance.now() < Math.min(end, this.lastRequestAt + QUIET_MS)) await wait(POLL_MS);
  }

  /**
   * Closes the port. From then on every response carries `Connection: close`. Clients that keep
   * sending requests have `drainMs` to leave; then idle connections are closed. Resolves when the
   * last connection has closed; after `graceMs` the remaining ones are aborted.
   */
  async close(graceMs: number, drainMs = 0): Promise<'finished' | 'aborted'> {
    let outcome: 'finished' | 'aborted' = 'finished';
    const grace = setTimeout(() => {
      outcome = 'aborted';
      this.abort();
    }, graceMs);
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#context.isClosing = true;
    await this.#waitForClients(Math.min(LINGER_MS, graceMs));
    await this.waitUntilQuiet(Math.min(drainMs, graceMs), () => this.#connections.size === 0);
    const poll = setInterval(() => this.#closeIdle(), POLL_MS);
    await closed;
    clearInterval(poll);
    clearInterval(this.#ticker);
    clearTimeout(grace);
    process.removeListener('exit', this.#onExit);
    return outcome;
  }

  /** Ends every connection now. */
  abort(): void {
    for (const connection of this.#connections) connection.abort();
  }

  #accept(socket: Socket): void {
    const isFull = this.#connections.size - this.#overLimit.size >= this.#maxConnections;
    if (!isFull || this.#closeRested()) {
      this.#connections.add(new HttpConnection(socket, this.#context));
      return;
    }
    this.#handlers.overloaded?.(this.#limit);
    const [oldest] = this.#overLimit;
    if (this.#overLimit.size >= MAX_OVER_LIMIT) oldest?.socket.destroy();
    const connection = new HttpConnection(socket, this.#context, this.#limit);
    this.#connections.add(connection);
    this.#overLimit.add(connection);
  }

  /** Closes a connection that has been idle for a while. Returns `false` if there is none. */
  #closeRested(): boolean {
    const now = performance.now();
    for (const connection of this.#connections) {
      if (connection.idleMs(now) < EVICTABLE_IDLE_MS) continue;
      this.#connections.delete(connection);
      connection.socket.destroy();
      return true;
    }
    return false;
  }

  #evictSlowBody(requester: HttpConnection): boolean {
    let slowest: HttpConnection | undefined;
    for (const connection of this.#connections)
      if (connection !== requester && connection.slowBodyMs > (slowest?.slowBodyMs ?? 0)) slowest = connection;
    slowest?.evictBody();
    return slowest !== undefined;
  }

  #tick(): void {
    const now = performance.now();
    for (const connection of this.#connections) connection.tick(now);
  }

  async #waitForClients(maxMs: number): Promise<void> {
    const end = performance.now() + maxMs;
    while (this.#connections.size > 0 && performance.now() < end) await wait(POLL_MS);
  }

  #closeIdle(): void {
    const now = performance.now();
    for (const connection of this.#connections)
      if (connection.isIdle && (connection.isUsed || now - connection.openedAt > LINGER_MS)) connection.socket.destroy();
  }
}
