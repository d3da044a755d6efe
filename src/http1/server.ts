/**
 * Listens, and keeps the connections and their shared limits. One timer sweeps all connections once a second, so that none needs a timer of
 * its own. Shutdown is graceful: first the port is closed, in a moment in which no connection waits to be accepted; then requests on the open
 * connections are answered with `Connection: close`, so that clients leave by themselves; then only running requests may finish. In this
 * order a client that is told to leave finds nobody listening, and goes elsewhere.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { BodyBudget } from './body-budget.ts';
import { HttpConnection, SWEEP_MS } from './connection.ts';
import { Descriptors } from './descriptors.ts';
import { DiscardQueue } from './discard-queue.ts';
import type { ConnectionLimits, ConnectionOverload, Handlers, Listener } from './listener.ts';
import { keyOf, readSystemSockets, type SystemSocket } from './system-sockets.ts';

/** How long clients may take to leave by themselves, and a new connection to send its first request. */
const LINGER_MS = 300;
const DRAIN_MS = 20;
/** Without a new connection for so long, and in a turn of the event loop as short as that, the port is closed; so long such a moment is waited for. */
const SETTLED_MS = 5;
const QUIET_TURN_MS = 0.1;
const QUIET_MOST_MS = 300;
/** Without a request for so long there is no load. */
const NO_LOAD_MS = 1000;
/** How many connections over the limit are told so at one time; the oldest goes when another comes. */
const MOST_SURPLUS = 6;
/** A connection that has been idle for this many sweeps gives way to a new one. */
const RESTED_SWEEPS = 5;

/** The system no longer knows the connection. */
const GONE: SystemSocket = { unsent: 0, open: false };

export class WireServer {
  /** When the last request came that was no probe; written by whoever handles them. */
  lastWorkAt = Number.NEGATIVE_INFINITY;
  #acceptedAt = Number.NEGATIVE_INFINITY;
  readonly #server: Server;
  readonly #connections = new Set<HttpConnection>();
  readonly #surplus = new Set<HttpConnection>();
  readonly #handlers: Handlers;
  readonly #listener: Listener;
  readonly #maxConnections: number;
  readonly #descriptors = new Descriptors();
  readonly #sweeper: NodeJS.Timeout;
  #isAsking = false;
  /** A process that ends by itself must not leave truncated answers that look complete. */
  readonly #breakOff = (): void => this.breakOff();

  constructor(handlers: Handlers, limits: ConnectionLimits) {
    this.#handlers = handlers;
    this.#maxConnections = limits.maxConnections;
    this.#listener = {
      maxBodyBytes: limits.maxBodyBytes,
      stallSweeps: Math.ceil((limits.stallSecs * 1000) / SWEEP_MS),
      bodies: new BodyBudget(Math.max(limits.maxBodiesBytes, 2 * limits.maxBodyBytes)),
      forgetting: new DiscardQueue(),
      request: handlers.request,
      refused: handlers.refused,
      screen: handlers.screen ?? (() => undefined),
      isVital: handlers.isVital ?? (() => false),
      makeRoom: (connection) => this.#makeRoom(connection),
      isLeaving: false,
      closed: (connection) => {
        this.#connections.delete(connection);
        this.#surplus.delete(connection);
      },
    };
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) => this.#accept(socket));
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref();
    process.once('exit', this.#breakOff);
  }

  /** The bytes of bodies that are held, and the number of connections. */
  get load(): { readonly bodyBytes: number; readonly connections: number } {
    return { bodyBytes: this.#listener.bodies.held, connections: this.#connections.size };
  }

  /** Resolves with the port. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        this.#server.removeListener('error', reject);
        // When even the reserve is used up, a connection cannot be accepted. The client tries again.
        this.#server.on('error', () => this.#handlers.overloaded?.('descriptors'));
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  /** Resolves when nobody has asked for anything for a moment, or after `mostMs`. */
  async idle(mostMs: number, isOver: () => boolean): Promise<void> {
    const end = performance.now() + mostMs;
    while (!isOver() && performance.now() < Math.min(end, this.lastWorkAt + NO_LOAD_MS)) await wait(DRAIN_MS);
  }

  /** Resolves when the last connection has closed. Tells whether requests were cut off. Clients that go on asking have `lingerMs` to leave. */
  async end(graceMs: number, lingerMs = 0): Promise<'finished' | 'forced'> {
    let outcome: 'finished' | 'forced' = 'finished';
    const force = setTimeout(() => {
      outcome = 'forced';
      this.breakOff();
    }, graceMs);
    await this.#quietMoment();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#listener.isLeaving = true;
    await this.#linger(Math.min(LINGER_MS, graceMs));
    await this.idle(Math.min(lingerMs, graceMs), () => this.#connections.size === 0);
    const looking = setInterval(() => this.#hangUp(), DRAIN_MS);
    await closed;
    clearInterval(looking);
    clearInterval(this.#sweeper);
    clearTimeout(force);
    this.#descriptors.close();
    process.removeListener('exit', this.#breakOff);
    return outcome;
  }

  /** Ends every connection now. */
  breakOff(): void {
    for (const connection of this.#connections) connection.breakOff();
  }

  #accept(socket: Socket): void {
    const handle = (socket as unknown as { readonly _handle: { readonly fd?: number } | null })._handle;
    this.#descriptors.note(handle?.fd ?? 0);
    const reason = this.#fullness();
    this.#acceptedAt = performance.now();
    if (reason === undefined || this.#freeOne()) {
      this.#connections.add(new HttpConnection(socket, this.#listener));
      return;
    }
    this.#handlers.overloaded?.(reason);
    if (this.#surplus.size >= MOST_SURPLUS) for (const oldest of [...this.#surplus].slice(0, 1)) oldest.socket.destroy();
    const connection = new HttpConnection(socket, this.#listener, reason);
    this.#connections.add(connection);
    this.#surplus.add(connection);
  }

  #fullness(): ConnectionOverload | undefined {
    if (this.#descriptors.exhausted) return 'descriptors';
    return this.#connections.size - this.#surplus.size >= this.#maxConnections ? 'connections' : undefined;
  }

  /** Ends a connection that has been idle for a while, if there is one. */
  #freeOne(): boolean {
    for (const connection of this.#connections) {
      if (connection.rested < RESTED_SWEEPS) continue;
      this.#connections.delete(connection);
      connection.socket.destroy();
      return true;
    }
    return false;
  }

  /** Of all stalled bodies, the one that has stalled longest gives way. */
  #makeRoom(asking: HttpConnection): boolean {
    let slowest: HttpConnection | undefined;
    for (const connection of this.#connections) if (connection !== asking && connection.slow > (slowest?.slow ?? 0)) slowest = connection;
    slowest?.giveWay();
    return slowest !== undefined;
  }

  #sweep(): void {
    let wantsSystem = false;
    for (const connection of this.#connections) {
      connection.sweep();
      wantsSystem ||= connection.wantsSystem;
    }
    const before = this.#descriptors.exhausted;
    this.#descriptors.sweep();
    if (!before && this.#descriptors.exhausted) this.#handlers.overloaded?.('descriptors');
    if (wantsSystem) void this.#askSystem();
  }

  async #askSystem(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const known = await readSystemSockets();
    this.#isAsking = false;
    for (const connection of this.#connections) {
      if (!connection.wantsSystem) continue;
      const { localPort, remotePort } = connection.socket;
      connection.learn(known === undefined ? undefined : (known.get(keyOf(localPort, remotePort)) ?? GONE));
    }
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

  /**
   * The system resets connections that wait to be accepted when their listener closes. After a turn of the event loop all of them have been
   * accepted; after a short one, in a time without new ones, hardly any has come since.
   */
  async #quietMoment(): Promise<void> {
    const end = performance.now() + QUIET_MOST_MS;
    for (;;) {
      const began = performance.now();
      if (began > end) return;
      if (began - this.#acceptedAt < SETTLED_MS) {
        await wait(SETTLED_MS);
        continue;
      }
      await new Promise(setImmediate);
      if (performance.now() - began < QUIET_TURN_MS) return;
    }
  }
}
