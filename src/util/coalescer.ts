/**
 * Identical requests at one time take turns: while one is under way, those who come wait, and then all of them are served by one execution,
 * which begins after the last of them has come. So nobody is given what was found out before they asked. Nobody waits for long: when the
 * one under way takes its time, those who wait begin beside it.
 */
import { SharedExecution } from './single-flight.ts';
import type { StopSignal } from './stop-signal.ts';

interface Turn<T> {
  running: number;
  /** Those who wait for their turn. */
  next: { readonly execution: SharedExecution<T>; readonly work: Work<T>; readonly timer: NodeJS.Timeout } | undefined;
}

type Work<T> = (signal: StopSignal) => Promise<T>;

export class Coalescer<T> {
  readonly #patienceMs: number;
  readonly #queues = new Map<string, Turn<T>>();

  /** `patienceMs`: nobody waits longer for the end of what another has begun. */
  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /** Is nobody doing the same? */
  isFree(key: string): boolean {
    return !this.#queues.has(key);
  }

  /** Goes first, without waiting and without company. */
  async lead<R>(key: string, work: () => Promise<R>): Promise<R> {
    const turn = this.#turnOf(key);
    turn.running++;
    try {
      return await work();
    } finally {
      this.#ended(key, turn);
    }
  }

  /** Waits for a turn, with all who do; the work of the first among them is done for all. */
  follow(key: string, signal: StopSignal, work: Work<T>): Promise<T> {
    const turn = this.#turnOf(key);
    turn.next ??= { execution: new SharedExecution<T>(), work, timer: setTimeout(() => this.#begin(key, turn), this.#patienceMs) };
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

  /** All who waited have left. */
  #forgetNext(key: string, turn: Turn<T>): void {
    clearTimeout(turn.next?.timer);
    turn.next = undefined;
    if (turn.running === 0) this.#queues.delete(key);
  }
}
