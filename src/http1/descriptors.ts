/**
 * Watches the process's file descriptors. At the limit, the runtime drops new connections silently. So a few descriptors are held in reserve
 * and released when the others run out: connections that come then are accepted and told to come again.
 */
import { closeSync, openSync, readFileSync } from 'node:fs';

/** How many are held in reserve. */
const RESERVE = 8;
/** This few left counts as none. */
const MARGIN = 4;
/** Below this limit there is no reserve: it would be most of it. */
const LEAST_LIMIT = 64;

export class Descriptors {
  /** Only the reserve is left. */
  exhausted = false;
  readonly #limit: number;
  #reserve: number[] = [];

  constructor() {
    this.#limit = limitOfProcess();
    if (this.#limit < Number.POSITIVE_INFINITY) this.#fill(RESERVE);
  }

  /** The system gives out the lowest free number, so a high number means that all below it are taken. */
  note(descriptor: number): void {
    if (!this.exhausted && descriptor >= this.#limit - MARGIN) this.#giveWay();
  }

  /** Called every second: other parts of the process use descriptors too. */
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

  /** Opens descriptors up to this number. Returns false when no more are available. */
  #fill(count: number): boolean {
    try {
      while (this.#reserve.length < count) this.#reserve.push(openSync('/dev/null', 'r'));
      return true;
    } catch {
      return false;
    }
  }

  /** Closes all but this many. */
  #let(count: number): void {
    for (const descriptor of this.#reserve.splice(count)) closeSync(descriptor);
  }
}

/** Infinity where the system does not tell. */
function limitOfProcess(): number {
  try {
    const soft = Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]);
    return soft >= LEAST_LIMIT ? soft : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
