/**
 * The connections of one database: at most `maxOpen`, of which at most `maxIdle` are kept idle, each for at most `idleMs`. Opens lazily, and never
 * waits without a deadline. The most recently used connection is handed out first, so that the others can expire.
 * Bulky statements may use only a few of them at a time. No more statements begin together than the server says that it does well, or than get more
 * done where it does not say; one that takes long keeps nobody waiting.
 */

import { setImmediate as immediately, setTimeout as sleep } from 'node:timers/promises';
import { hasTurnedWithin } from '../../util/concurrency/loop-turn.ts';
import { type Brief, type Connection, DbFailure, type InOne, type Need, type StopSignal } from '../contract/engine.ts';
import { ConcurrencyLimit, LEAST_AT_ONCE } from './concurrency-limit.ts';
import { Gathering } from './pipeline.ts';
import { Places } from './semaphore.ts';
import { ServerLoad } from './server-load.ts';
import { WaitQueue } from './wait-queue.ts';
import { WaitingTogether } from './waiting-together.ts';

export interface PoolLimits {
  readonly maxOpen: number;
  readonly maxIdle: number;
  readonly idleMs: number;
  /** How long a request may wait for a connection to become free. */
  readonly waitMs: number;
  /** No more bulky statements run at a time, nor on more than half of the connections: readers would wait behind all of them. */
  readonly bulkyMost: number;
  /** How long a bulky statement may wait for its turn: as long as it may run. */
  readonly bulkyWaitMs: number;
  /** No more statements run at a time than get more done; else as many as the server says. */
  readonly findsAtOnce?: boolean;
}

interface Idle {
  readonly connection: Connection;
  readonly since: number;
}

/** `draining`: what is in use or awaited goes on, but nothing is kept. `closed`: nothing is handed out. */
type State = 'open' | 'draining' | 'closed';

/**
 * How long a connection above `maxIdle` waits for work before it is closed. Under load, connections are idle for moments only; closing them at once
 * would mean a login for every other request.
 */
const TRIM_MS = 200;

/** For so long a statement waits for a connection that is in use, before another one is opened: a login takes longer than most statements. */
export const PATIENCE_MS = 5;

const MAX_WAITERS_PER_CONNECTION = 100;

/** How long another database may take for the place that was made for it. */
const MOST_TURN_MS = 1000;

/**
 * A connection that has been idle for this long is handed out only after pending socket events were processed: its socket may have ended, and a
 * statement that was sent is never sent again. Under load, connections are idle for less, or the event loop has just come round.
 */
const RESTED_MS = 20;
const TURNED_MS = 5;

/** For statements that the server does in the background, and others that have another bound: as many as there are. */
const UNCOUNTED = new Places();

export class Pool {
  readonly #open: (signal: StopSignal | undefined) => Promise<Connection>;
  readonly #limits: PoolLimits;
  readonly #idle: Idle[] = [];
  readonly #line: WaitQueue<Connection>;
  readonly #bulkyLine: WaitQueue<void>;
  readonly #bulkyMost: number;
  /** Given out for bulky statements, or about to be. */
  #bulky = 0;
  readonly #isBulky = new Set<Connection>();
  readonly #gathering: Gathering;
  readonly #together = new WaitingTogether();
  readonly #places: Places;
  /** Where places are found, bulky statements have none of them: they have a bound of their own, and readers would wait behind all of them. */
  readonly #bulkyPlaces: Places;
  /** Open, or being opened. */
  #count = 0;
  #opening = 0;
  #openedLast = 0;
  /** Being opened for those who wait. */
  #replacing = 0;
  #state: State = 'open';
  /** How many connections give way to another database when they are released. */
  #owed = 0;
  /** Of those to whom they give way. */
  readonly #turns = new Set<Promise<void>>();
  #trimmer: NodeJS.Timeout | undefined;

  /** `load`: the same for all databases of a server. */
  constructor(limits: PoolLimits, open: (signal: StopSignal | undefined) => Promise<Connection>, load = new ServerLoad()) {
    this.#gathering = new Gathering(load);
    this.#limits = limits;
    this.#open = open;
    const { waitMs, bulkyWaitMs, bulkyMost, maxOpen, findsAtOnce } = limits;
    const isFound = findsAtOnce === true && maxOpen > LEAST_AT_ONCE;
    this.#places = isFound ? new Places(new ConcurrencyLimit(maxOpen)) : load.places;
    this.#bulkyPlaces = isFound ? UNCOUNTED : this.#places;
    this.#bulkyMost = Math.min(bulkyMost, Math.ceil(maxOpen / 2));
    this.#line = new WaitQueue({ waitMs, most: MAX_WAITERS_PER_CONNECTION * maxOpen });
    this.#bulkyLine = new WaitQueue({ waitMs: bulkyWaitMs, most: MAX_WAITERS_PER_CONNECTION * this.#bulkyMost });
  }

  /** Connections that are open. */
  get established(): number {
    return this.#count - this.#opening;
  }

  /** Those of them that need not give way. */
  get held(): number {
    return this.established - this.#owed;
  }

  /** When the newest connection was opened. */
  get openedLast(): number {
    return this.#openedLast;
  }

  get counts(): { readonly open: number; readonly idle: number; readonly waiting: number } {
    return { open: this.#count, idle: this.#idle.length, waiting: this.#line.length + this.#bulkyLine.length };
  }

  /** A connection at once if one is idle, else a promise. */
  acquire(signal?: StopSignal, { bulky, briefOf, party, inBackground }: Need = {}): Connection | Promise<Connection> {
    if (briefOf !== undefined) return this.#takeBrief(signal, briefOf, party);
    if (bulky === true) return this.#takeBulky(signal);
    return inBackground === true ? this.#take(signal, UNCOUNTED) : this.#take(signal);
  }

  #wait(signal: StopSignal | undefined): Promise<Connection> {
    if (this.#places.areCounted) this.#places.want(this.#usePlace);
    return this.#line.join(signal);
  }

  /** For the first in line; where a connection has to be opened for it, others are for those behind it. */
  readonly #usePlace = (): void => {
    if (this.#line.length === 0) return;
    const idle = this.#popIdle();
    if (idle === undefined) while (this.#replace());
    else if (this.#line.give(idle.connection)) this.#places.take(idle.connection);
    if (this.#line.length > 0) this.#places.want(this.#usePlace);
  };

  /** The most recently used of those that are usable. */
  #popIdle(): Idle | undefined {
    for (let item = this.#idle.pop(); item !== undefined; item = this.#idle.pop()) {
      if (item.connection.usable) return item;
      this.#drop(item.connection);
    }
    return undefined;
  }

  #takeBrief(signal: StopSignal | undefined, kind: Brief, party: unknown): Connection | Promise<Connection> {
    if (kind.inOne !== undefined) return this.#takeInOne(kind, kind.inOne);
    const isBetterShared = this.#idle.length === 0 || this.#gathering.isEnough;
    const shared = this.#gathering.join(kind, party) ?? (isBetterShared ? this.#gathering.joinLate(kind, party) : undefined);
    if (shared !== undefined) return shared;
    const taken = this.#take(signal);
    if (!(taken instanceof Promise)) this.#gathering.begin(taken, kind, { party });
    return taken;
  }

  /** Whoever leaves meanwhile takes no other along: that is seen when there is a connection. */
  #takeInOne(kind: Brief, inOne: InOne): Connection | Promise<Connection> {
    const shared = this.#gathering.join(kind) ?? this.#together.join(kind);
    if (shared !== undefined) return shared;
    const begin = (connection: Connection, users: number): void => this.#gathering.begin(connection, kind, { users });
    return this.#together.begin(kind, inOne, () => this.#take(undefined), begin);
  }

  #take(signal: StopSignal | undefined, places = this.#places): Connection | Promise<Connection> {
    if (places.free <= 0 && this.#state !== 'closed') return this.#wait(signal);
    const idle = this.#popIdle();
    if (idle !== undefined) {
      const { connection, since } = idle;
      places.take(connection);
      return performance.now() - since < RESTED_MS || hasTurnedWithin(TURNED_MS) ? connection : this.#look(connection, signal, places);
    }
    if (this.#state === 'closed') return Promise.reject(new DbFailure('unreachable', 'the pool is closed'));
    if (this.#count >= this.#limits.maxOpen) return this.#wait(signal);
    return this.established > 0 ? this.#waitFirst(signal, places) : this.#dial(signal, places);
  }

  /** For a moment, as long as there is room for another one. Where there is none, everybody keeps his place in line. */
  async #waitFirst(signal: StopSignal | undefined, places: Places): Promise<Connection> {
    const free = await this.#line.joinFor(PATIENCE_MS, signal);
    return free?.given ?? this.#dial(signal, places);
  }

  #dial(signal: StopSignal | undefined, places: Places): Promise<Connection> {
    if (this.#count >= this.#limits.maxOpen || places.free <= this.#opening) return this.#wait(signal);
    return this.#connect(signal).then(
      (connection) => places.take(connection),
      (error: unknown) => {
        if (!this.#canDoWithout(error)) throw error;
        return this.#idle.length > 0 ? this.#take(signal, places) : this.#wait(signal);
      },
    );
  }

  /** A server that takes no more leaves us with the connections that we have. */
  #canDoWithout(error: unknown): boolean {
    return error instanceof DbFailure && error.kind === 'full' && this.established > 0;
  }

  async #look(connection: Connection, signal: StopSignal | undefined, places: Places): Promise<Connection> {
    await immediately();
    if (connection.usable) return connection;
    this.#drop(connection);
    return this.#take(signal, places);
  }

  async #takeBulky(signal: StopSignal | undefined): Promise<Connection> {
    if (this.#bulky < this.#bulkyMost) this.#bulky++;
    else await this.#bulkyLine.join(signal);
    try {
      const connection = await this.#take(signal, this.#bulkyPlaces);
      this.#isBulky.add(connection);
      return connection;
    } catch (error) {
      this.#bulkyDone();
      throw error;
    }
  }

  /** The slot goes to the next in line. */
  #bulkyDone(): void {
    if (!this.#bulkyLine.give()) this.#bulky--;
  }

  release(connection: Connection): void {
    if (!this.#gathering.leave(connection)) return;
    this.#together.end(connection);
    if (this.#isBulky.delete(connection)) this.#bulkyDone();
    this.#places.leave(connection);
    if (!connection.usable || this.#state === 'closed' || this.#owed > 0) {
      this.#drop(connection);
      return;
    }
    if (this.#places.free > 0 && !this.#places.areWanted && this.#line.give(connection)) {
      this.#places.take(connection);
      return;
    }
    if (this.#state === 'draining' && this.#line.length === 0) {
      this.#drop(connection);
      return;
    }
    this.#idle.push({ connection, since: performance.now() });
    this.#places.handOut();
    if (this.#places.free > 0) this.#usePlace();
    if (this.#idle.length > this.#limits.maxIdle) this.#trimmer ??= setTimeout(() => this.#trim(), TRIM_MS).unref();
  }

  /** Closes connections above `maxIdle` that were not needed since their release; checks again later if some were. */
  #trim(): void {
    this.#trimmer = undefined;
    const before = performance.now() - TRIM_MS;
    for (let above = this.#idle.length - this.#limits.maxIdle; above > 0; above--) {
      const [oldest] = this.#idle;
      if (oldest === undefined) return;
      if (oldest.since > before) {
        this.#trimmer = setTimeout(() => this.#trim(), TRIM_MS).unref();
        return;
      }
      this.#idle.shift();
      this.#drop(oldest.connection);
    }
  }

  /** Closes what has been idle for too long. Returns whether nothing is left. */
  sweep(now: number): boolean {
    while (this.#idle.length > 0) {
      const [oldest] = this.#idle;
      const isKept = this.#state === 'open' || this.#line.length > 0;
      if (oldest === undefined || (oldest.connection.usable && isKept && now - oldest.since < this.#limits.idleMs)) break;
      this.#idle.shift();
      this.#drop(oldest.connection);
    }
    return this.#count === 0 && this.counts.waiting === 0;
  }

  /** Since when the least recently used connection has been idle; undefined when none is. */
  get restingSince(): number | undefined {
    return this.#idle[0]?.since;
  }

  /** Returns false when none is idle. */
  closeLongestUnused(): boolean {
    const oldest = this.#idle.shift();
    if (oldest !== undefined) this.#drop(oldest.connection);
    return oldest !== undefined;
  }

  /** One of those in use closes when it is released, although others may wait for it, and none is opened before the other has had its turn. */
  giveWay(turn: Promise<void>): void {
    this.#owed++;
    this.#turns.add(turn);
    void turn.then(() => this.#turns.delete(turn));
  }

  /** Idle connections close now, the others when nobody waits for them any more. */
  drain(): void {
    if (this.#state === 'open') this.#state = 'draining';
    for (const { connection } of this.#idle.splice(0)) this.#drop(connection);
  }

  /** Idle connections close now, the others on release. */
  close(): void {
    this.#state = 'closed';
    for (const { connection } of this.#idle.splice(0)) this.#drop(connection);
    const failure = new DbFailure('unreachable', 'the pool is closed');
    this.#bulkyLine.refuseAll(failure);
    this.#line.refuseAll(failure);
  }

  async #connect(signal: StopSignal | undefined): Promise<Connection> {
    this.#count++;
    this.#opening++;
    try {
      if (this.#turns.size > 0) await Promise.race([Promise.all(this.#turns), sleep(MOST_TURN_MS, undefined, { ref: false })]);
      const connection = await this.#open(signal);
      this.#opening--;
      this.#openedLast = performance.now();
      this.#places.most = connection.statementsAtOnce;
      connection.onClosed(() => this.#forget(connection));
      return connection;
    } catch (error) {
      this.#opening--;
      this.#count--;
      if (!this.#canDoWithout(error)) this.#replace();
      throw error;
    }
  }

  #drop(connection: Connection): void {
    connection.close();
    this.#forget(connection);
  }

  readonly #forgotten = new WeakSet<Connection>();

  /** Once a connection, whichever way it ended. */
  #forget(connection: Connection): void {
    if (this.#forgotten.has(connection)) return;
    this.#forgotten.add(connection);
    this.#count--;
    this.#places.leave(connection);
    this.#places.handOut();
    if (this.#owed > 0) this.#owed--;
    const index = this.#idle.findIndex((item) => item.connection === connection);
    if (index >= 0) this.#idle.splice(index, 1);
    this.#replace();
  }

  /** There is room: opens a connection for whoever is first in line by then, and tells whether it does. Another one may be released earlier. */
  #replace(): boolean {
    if (this.#replacing >= Math.min(this.#line.length, this.#places.free)) return false;
    if (this.#state === 'closed' || this.#count >= this.#limits.maxOpen) return false;
    this.#replacing++;
    this.#connect(undefined)
      .finally(() => this.#replacing--)
      .then(
        (connection) => this.release(connection),
        (failure: unknown) => {
          if (this.#canDoWithout(failure)) return;
          this.#line.refuse(failure instanceof DbFailure ? failure : new DbFailure('unreachable', String(failure)));
        },
      );
    return true;
  }
}
