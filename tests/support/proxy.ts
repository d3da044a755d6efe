// A TCP proxy on loopback that does what networks do on bad days, at the test's word. Knows nothing of what passes through it.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './ports.ts';

/** What the proxy does with connections; a change holds for open ones too, except that refusing concerns new ones only. */
export type Fault =
  | { readonly kind: 'pass' }
  /** Nobody listens on the port. */
  | { readonly kind: 'refuse' }
  /** Connections are accepted, and nothing ever comes through in either direction. */
  | { readonly kind: 'blackhole' }
  /** Each piece of data arrives that much later. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** A connection breaks once the target has sent that many more bytes. */
  | { readonly kind: 'cut'; readonly afterBytes: number };

interface Pair {
  readonly client: Socket;
  readonly target: Socket;
  /** How much of the target's data may still pass before a cut. */
  budget: number;
  readonly toClient: Direction;
  readonly toTarget: Direction;
}

interface Direction {
  readonly to: Socket;
  /** Data held back while nothing may pass; it goes on in order once it may. */
  held: Buffer[];
  /** When the last delayed piece is due, so that a shorter delay never overtakes a longer one. */
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
    // One that nobody else is given while connections are refused.
    proxy.#port = await freePort();
    await proxy.#listen();
    return proxy;
  }

  readonly host = '127.0.0.1';

  get port(): number {
    return this.#port;
  }

  /** How many connections have been accepted so far, and how many are open now. */
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

  /** Breaks every open connection with a reset, as a crash or a firewall does. */
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

  /** Stops listening without waiting for the open connections to end. */
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
    if (this.#fault.kind === 'blackhole') {
      direction.held.push(data);
      return;
    }
    this.#after(pair, direction, () => this.#write(pair, direction, data));
  }

  /** Does something now, or when the latency is over; never before what was to be done earlier in that direction. */
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
      // What was allowed arrives first: the ending follows it on the wire.
      // A reset here would also take back what the system has not delivered yet, which may be most of it.
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
