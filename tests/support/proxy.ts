// A TCP proxy on loopback that injects network faults. Must not interpret the traffic.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './ports.ts';

/** Mode of the proxy. A change applies to open connections too; `refuse` to new ones only. */
export type Fault =
  | { readonly kind: 'pass' }
  /** New connections are refused. */
  | { readonly kind: 'refuse' }
  /** Connections are accepted, but no data passes. */
  | { readonly kind: 'blackhole' }
  /** Delay of each piece of data. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** The connection breaks after this many more bytes of the target. */
  | { readonly kind: 'cut'; readonly afterBytes: number };

interface Pair {
  readonly client: Socket;
  readonly target: Socket;
  /** Bytes of the target that may still pass before the cut. */
  budget: number;
  readonly toClient: Direction;
  readonly toTarget: Direction;
  /** Nothing passes any more, whatever happens to newer connections. */
  isSilent: boolean;
}

interface Direction {
  readonly to: Socket;
  /** Data that is held back; it is sent in order when data may pass again. */
  held: Buffer[];
  /** Time at which the last delayed piece is due, so that pieces are never reordered. */
  due: number;
}

export class FaultProxy {
  readonly #target: { readonly host: string; readonly port: number };
  readonly #pairs = new Set<Pair>();
  #server: Server | undefined;
  #fault: Fault = { kind: 'pass' };
  #port = 0;
  #accepted = 0;

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#target = target;
  }

  static async start(target: { readonly host: string; readonly port: number }): Promise<FaultProxy> {
    const proxy = new FaultProxy({ host: target.host, port: target.port });
    // A port that stays reserved while connections are refused.
    proxy.#port = await freePort();
    await proxy.#listen();
    return proxy;
  }

  readonly host = '127.0.0.1';

  get port(): number {
    return this.#port;
  }

  /** Number of connections accepted so far, and of open ones. */
  get accepted(): number {
    return this.#accepted;
  }

  get open(): number {
    return this.#pairs.size;
  }

  async set(fault: Fault): Promise<void> {
    this.#fault = fault;
    for (const pair of this.#pairs) {
      pair.budget = fault.kind === 'cut' ? fault.afterBytes : Number.POSITIVE_INFINITY;
      if (fault.kind !== 'blackhole') for (const direction of [pair.toClient, pair.toTarget]) this.#release(pair, direction);
    }
    if (fault.kind === 'refuse') await this.#unlisten();
    else if (!this.#server) await this.#listen();
  }

  /** Silently drops every open connection, like a NAT that has forgotten them. New ones pass. */
  silenceAll(): void {
    for (const pair of this.#pairs) pair.isSilent = true;
  }

  /** Resets every open connection, as a crash or a firewall does. */
  resetAll(): void {
    for (const pair of this.#pairs) this.#break(pair);
  }

  async stop(): Promise<void> {
    this.resetAll();
    await this.#unlisten();
  }

  #listen(): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client));
    this.#server = server;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, this.host, resolve);
    });
  }

  /** Stops listening without waiting for open connections. */
  async #unlisten(): Promise<void> {
    this.#server?.close();
    this.#server = undefined;
  }

  #accept(client: Socket): void {
    this.#accepted++;
    const target = connect({ ...this.#target, noDelay: true, allowHalfOpen: true });
    client.setNoDelay(true);
    const pair: Pair = {
      client,
      target,
      budget: this.#fault.kind === 'cut' ? this.#fault.afterBytes : Number.POSITIVE_INFINITY,
      toClient: { to: client, held: [], due: 0 },
      toTarget: { to: target, held: [], due: 0 },
      isSilent: false,
    };
    this.#pairs.add(pair);
    client.on('data', (data) => this.#forward(pair, pair.toTarget, data));
    target.on('data', (data) => this.#forward(pair, pair.toClient, data));
    for (const [from, direction] of [
      [client, pair.toTarget],
      [target, pair.toClient],
    ] as const) {
      from.on('error', () => this.#break(pair));
      from.on('end', () => this.#after(pair, direction, () => direction.to.end()));
      from.on('close', () => this.#closed(pair));
    }
  }

  #forward(pair: Pair, direction: Direction, data: Buffer): void {
    if (this.#fault.kind === 'blackhole' || pair.isSilent) {
      direction.held.push(data);
      return;
    }
    this.#after(pair, direction, () => this.#write(pair, direction, data));
  }

  /** Runs an action after the latency, never before earlier actions of the same direction. */
  #after(pair: Pair, direction: Direction, action: () => void): void {
    const latency = this.#fault.kind === 'latency' ? this.#fault.ms : 0;
    const due = Math.max(direction.due, performance.now() + latency);
    if (due <= performance.now()) {
      action();
      return;
    }
    direction.due = due;
    setTimeout(() => {
      if (this.#pairs.has(pair)) action();
    }, due - performance.now());
  }

  #write(pair: Pair, direction: Direction, data: Buffer): void {
    const isAnswer = direction === pair.toClient;
    const passing = isAnswer ? data.subarray(0, Math.min(data.length, pair.budget)) : data;
    if (isAnswer) pair.budget -= passing.length;
    const from = isAnswer ? pair.target : pair.client;
    if (passing.length > 0 && !direction.to.write(passing)) {
      from.pause();
      direction.to.once('drain', () => from.resume());
    }
    if (isAnswer && pair.budget <= 0) {
      // Data that was let through arrives before the end of the connection. A reset would discard
      // data that the system has not delivered yet.
      direction.to.end();
      pair.target.resetAndDestroy();
    }
  }

  #release(pair: Pair, direction: Direction): void {
    const held = direction.held;
    direction.held = [];
    for (const data of held) this.#forward(pair, direction, data);
  }

  #break(pair: Pair): void {
    pair.client.resetAndDestroy();
    pair.target.resetAndDestroy();
    this.#pairs.delete(pair);
  }

  #closed(pair: Pair): void {
    if (pair.client.destroyed && pair.target.destroyed) this.#pairs.delete(pair);
  }
}
