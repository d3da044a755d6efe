/**
 * Calls in progress on one connection: deadlines, cancellation, and the statement that blocks
 * others. Sends no statements.
 */
import type { Entry } from '../../model/entry.ts';
import { DbFailure, type Destination, type RunOptions, type StopSignal } from '../contract/engine.ts';
import { HeadOfLine } from '../driver-kit/head-of-line.ts';
import { unwatch, type Watched, watch } from '../driver-kit/watchdog.ts';
import { lostFailure, type StopKind, stopFailure, wasKilled } from './dialect/failures.ts';
import { killQuery, stopRunning } from './kill.ts';
import type { ResultReply } from './protocol/replies.ts';
import type { Wire } from './protocol/wire.ts';

/** The server's own limit ends a statement first. */
const GRACE_MS = 50;

/** One caller's use of the connection. */
export interface MysqlCall {
  readonly since: number;
  /** performance.now() at its deadline. */
  readonly late: number;
  readonly isPipelined: boolean;
  readonly signal: StopSignal | undefined;
  readonly abort: () => void;
  result: ResultReply | undefined;
  /** The caller has left, while others use the connection. */
  isAbandoned: boolean;
}

/** How to reach the session with a KILL. */
export interface KillTarget {
  readonly entry: Entry;
  readonly at: Destination;
  readonly threadId: number;
}

export class Calls implements Watched {
  deadline = Number.POSITIVE_INFINITY;
  isSilent = false;
  readonly #wire: Wire;
  readonly #target: KillTarget;
  /** More than one only while statements are pipelined. */
  readonly #calls: MysqlCall[] = [];
  readonly #results: ResultReply[] = [];
  readonly #head = new HeadOfLine();
  /** A KILL may still arrive, and must not hit the next statement. */
  #isTainted = false;
  #stopped: StopKind | undefined;
  #killed: Promise<boolean> | undefined;
  /** Blocked the statements behind it, so the connection was given up. */
  #preempted: MysqlCall | undefined;

  constructor(wire: Wire, target: KillTarget) {
    this.#wire = wire;
    this.#target = target;
    watch(this);
    wire.onClosed(() => unwatch(this));
  }

  get usable(): boolean {
    return this.#wire.open && !this.#isTainted && !this.#isStopping;
  }

  get isSingle(): boolean {
    return this.#calls.length === 1;
  }

  /** Runs work with a deadline and an abort signal. */
  async run<T>(options: RunOptions, work: (call: MysqlCall) => Promise<T>): Promise<T> {
    const call = this.#enter(options);
    try {
      const value = await work(call);
      this.#isTainted ||= this.#killed !== undefined;
      return value;
    } catch (error) {
      throw await this.#explained(error, call);
    } finally {
      this.#leave(call);
    }
  }

  /** Throws if the call is over. Use before each further step. */
  check(call?: MysqlCall): void {
    if (this.#stopped !== undefined) throw stopFailure(this.#stopped);
    if (call?.isAbandoned === true) throw stopFailure('cancelled');
  }

  addResult(result: ResultReply, call: MysqlCall): void {
    call.result = result;
    this.#results.push(result);
  }

  removeResult(result: ResultReply): void {
    remove(this.#results, result);
  }

  expire(): void {
    const [call] = this.#calls;
    const [first] = this.#results;
    if (call === undefined || performance.now() >= call.late) {
      this.isSilent = call !== undefined && this.#wire.heardAt < call.since;
      this.#end('timeout');
      return;
    }
    this.deadline = this.#nextCheck(call);
    // A statement whose rows are on their way could not be run again.
    if (first?.isPipelined !== true || first.rows > 0 || this.isSingle) return;
    if (this.#head.isStuck(first)) this.#preempt(this.#calls.find(({ result }) => result === first));
  }

  /** A statement that follows would be stopped as well. */
  get #isStopping(): boolean {
    return this.#stopped !== undefined && this.#calls.length > 0;
  }

  #enter({ signal, timeoutMs, pipelined }: RunOptions): MysqlCall {
    if (signal?.aborted === true) throw stopFailure('cancelled');
    if (this.#isStopping) throw lostFailure('What runs on the connection is being stopped', undefined, 'unsent');
    const since = performance.now();
    const isPipelined = pipelined === true;
    const abort = (): void => this.#abandon(call);
    const call: MysqlCall = { since, late: since + timeoutMs, signal, isPipelined, abort, result: undefined, isAbandoned: false };
    if (this.#calls.length === 0) {
      this.#stopped = undefined;
      this.#killed = undefined;
    }
    this.#calls.push(call);
    this.deadline = this.#nextCheck(call);
    signal?.addEventListener('abort', abort);
    return call;
  }

  #leave(call: MysqlCall): void {
    remove(this.#calls, call);
    if (this.#calls.length === 0) this.deadline = Number.POSITIVE_INFINITY;
    call.signal?.removeEventListener('abort', call.abort);
  }

  /** The caller has left. If others use the connection, its rows are read and dropped. */
  #abandon(call: MysqlCall): void {
    if (this.isSingle) {
      this.#end('cancelled');
      return;
    }
    call.isAbandoned = true;
    call.result?.abandon();
  }

  /** Kills the statement. The connection is kept only if the server confirms. */
  #end(kind: StopKind): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = kind;
    for (const result of this.#results) result.abandon();
    this.#killed = stopRunning(this.#wire, stopFailure(kind), this.#kill());
  }

  #nextCheck({ isPipelined, late }: MysqlCall): number {
    return isPipelined ? Math.min(late + GRACE_MS, this.#head.nextCheck) : late + GRACE_MS;
  }

  /**
   * Closes the connection because of the statement at its head. Only reads are pipelined, so they
   * run again elsewhere.
   */
  #preempt(head: MysqlCall | undefined): void {
    this.#preempted = head;
    this.#kill().catch(() => undefined);
    this.#wire.fail(lostFailure('A statement blocked the others on its connection', undefined, 'unsent'));
  }

  #kill(): Promise<void> {
    const { entry, at, threadId } = this.#target;
    return killQuery(entry, at, threadId);
  }

  async #explained(error: unknown, call: MysqlCall): Promise<unknown> {
    if (call.isAbandoned) return stopFailure('cancelled', error);
    if (this.#preempted === call) return stopFailure('preempted', error).withEffect('nothing');
    if (this.#stopped === undefined) {
      // Killed by another client: the session itself may be gone soon.
      if (error instanceof DbFailure && error.kind === 'lost') this.#isTainted = true;
      return error;
    }
    if (this.#killed !== undefined) this.#isTainted = !((await this.#killed) && wasKilled(error));
    return stopFailure(this.#stopped, error);
  }
}

/** Avoids the array that splice would allocate. */
function remove<T>(items: T[], item: T): void {
  const index = items.indexOf(item);
  if (index < 0) return;
  items.copyWithin(index, index + 1);
  items.pop();
}
