/**
 * Coalesces identical requests. While one runs, later ones wait; a single execution that starts
 * after the last arrival serves all of them, so no caller receives data older than its request. If
 * the running request takes too long, the waiting ones start beside it.
 */
import { SharedExecution } from './single-flight.ts';
import type { StopSignal } from './stop-signal.ts';

interface Turn<T> {
  running: number;
  /** The requests that wait. */
  next: { readonly execution: SharedExecution<T>; readonly work: Work<T>; readonly timer: NodeJS.Timeout } | undefined;
}

type Work<T> = (signal: StopSignal) => Promise<T>;

export class Coalescer<T> {
  readonly #waitMs: number;
  readonly #queues = new Map<string, Turn<T>>();

  /** `waitMs`: maximum time that callers wait for a running execution. */
  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** `true` if nothing runs under this key. */
  isFree(key: string): boolean {
    return !this.#queues.has(key);
  }

  /** Runs at once, without waiting. */
  async lead<R>(key: string, work: () => Promise<R>): Promise<R> {
    const turn = this.#turnOf(key);
    turn.running++;
    try {
      return await work();
    } finally {
      this.#ended(key, turn);
    }
  }

  /**
   * Waits for the next execution together with all other waiters. The work of the first is done for
   * all.
   */
  follow(key: string, signal: StopSignal, work: Work<T>): Promise<T> {
    const turn = this.#turnOf(key);
    turn.next ??= { execution: new SharedExecution<T>(), work, timer: setTimeout(() => this.#begin(key, turn), this.#waitMs) };
    const { execution } = turn.next;
    return execution.join(signal, () => {
      if (turn.next?.execution === execution) this.#forgetNext(key, turn);
    });
  }

  #turnOf(key: string): Turn<T> {
    let turn = this.#queues.get(key);
    if (turn === undefined) {
      turn = { running: 0, next: undefined };
      this.#queues.set(key, turn);
    }
    return turn;
  }

  #begin(key: string, turn: Turn<T>): void {
    const { next } = turn;
    if (next === undefined) return;
    clearTimeout(next.timer);
    turn.next = undefined;
    turn.running++;
    void next.execution.start(next.work).then(() => this.#ended(key, turn));
  }

  #ended(key: string, turn: Turn<T>): void {
    turn.running--;
    if (turn.next !== undefined) this.#begin(key, turn);
    else if (turn.running === 0) this.#queues.delete(key);
  }

  /** Called when all waiters have left. */
  #forgetNext(key: string, turn: Turn<T>): void {
    clearTimeout(turn.next?.timer);
    turn.next = undefined;
    if (turn.running === 0) this.#queues.delete(key);
  }
}
