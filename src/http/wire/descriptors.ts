/**
 * The process's file descriptors near their limit. At the limit itself the runtime drops new connections without a word; so some descriptors
 * are held in reserve and let go when the others run out: connections that come then are still accepted, and can be told to come again.
 */
import { closeSync, openSync, readFileSync } from 'node:fs';

/** Held in reserve. */
const RESERVE = 8;
/** So few left is none left. */
const MARGIN = 4;
/** With a limit below this a reserve would be most of it. */
const LEAST_LIMIT = 64;

export class Descriptors {
  /** None are left but the reserve. */
  exhausted = false;
  readonly #limit: number;
  #reserve: number[] = [];

  constructor() {
    this.#limit = limitOfProcess();
    if (this.#limit < Number.POSITIVE_INFINITY) this.#fill(RESERVE);
  }

  /** The system gives out the lowest number that is free, so a high one says that all below it are taken. */
  note(descriptor: number): void {
    if (!this.exhausted && descriptor >= this.#limit - MARGIN) this.#giveWay();
  }

  /** Called every second: others take descriptors too. */
  sweep(): void {
    if (this.#limit === Number.POSITIVE_INFINITY) return;
    const all = RESERVE + MARGIN;
    const isEnough = this.#fill(this.exhausted ? all : this.#reserve.length + MARGIN);
    if (isEnough) {
      this.exhausted = false;
      this.#let(RESERVE);
    } else {
      this.exhausted = true;
      this.#let(Math.max(0, this.#reserve.length - RESERVE));
    }
  }

  close(): void {
    this.#let(0);
  }

  #giveWay(): void {
    this.exhausted = true;
    this.#let(0);
  }

  /** Opens until it has so many; false when no more can be had. */
  #fill(count: number): boolean {
    try {
      while (this.#reserve.length < count) this.#reserve.push(openSync('/dev/null', 'r'));
      return true;
    } catch {
      return false;
    }
  }

  /** Closes all but so many. */
  #let(count: number): void {
    for (const descriptor of this.#reserve.splice(count)) closeSync(descriptor);
  }
}

/** Infinite where the system does not tell. */
function limitOfProcess(): number {
  try {
    const soft = Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]);
    return soft >= LEAST_LIMIT ? soft : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
