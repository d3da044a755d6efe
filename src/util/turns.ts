/**
 * Identical requests at one time take turns: while one is under way, those who come wait, and then all of them are served by one execution,
 * which begins after the last of them has come. So nobody is given what was found out before they asked. Nobody waits for long: when the
 * one under way takes its time, those who wait begin beside it.
 */
import { Flight } from './flights.ts';
import type { StopSignal } from './stop-signal.ts';

interface Turn<T> {
  running: number;
  /** Those who wait for their turn. */
  next: { readonly flight: Flight<T>; readonly work: Work<T>; readonly timer: NodeJS.Timeout } | undefined;
}

type Work<T> = (signal: StopSignal) => Promise<T>;

export class Turns<T> {
  readonly #patienceMs: number;
  readonly #turns = new Map<string, Turn<T>>();

  /** `patienceMs`: nobody waits longer for the end of what another has begun. */
  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /** Is nobody doing the same? */
  isFree(key: string): boolean {
    return !this.#turns.has(key);
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
    turn.next ??= { flight: new Flight<T>(), work, timer: setTimeout(() => this.#begin(key, turn), this.#patienceMs) };
    const { flight } = turn.next;
    return flight.board(signal, () => {
      if (turn.next?.flight === flight) this.#forgetNext(key, turn);
    });
  }

  #turnOf(key: string): Turn<T> {
    let turn = this.#turns.get(key);
    if (turn === undefined) {
      turn = { running: 0, next: undefined };
      this.#turns.set(key, turn);
    }
    return turn;
  }

  #begin(key: string, turn: Turn<T>): void {
    const { next } = turn;
    if (next === undefined) return;
    clearTimeout(next.timer);
    turn.next = undefined;
    turn.running++;
    void next.flight.start(next.work).then(() => this.#ended(key, turn));
  }

  #ended(key: string, turn: Turn<T>): void {
    turn.running--;
    if (turn.next !== undefined) this.#begin(key, turn);
    else if (turn.running === 0) this.#turns.delete(key);
  }

  /** All who waited have left. */
  #forgetNext(key: string, turn: Turn<T>): void {
    clearTimeout(turn.next?.timer);
    turn.next = undefined;
    if (turn.running === 0) this.#turns.delete(key);
  }
}
