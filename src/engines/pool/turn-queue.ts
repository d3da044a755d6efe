/**
 * Turns: so many at a time, in the order of their coming. Nobody waits for longer than that is worth, nor for one that takes longer. Knows nothing of what
 * is done in a turn.
 */
import type { InOne } from '../contract/engine.ts';
import { WaitQueue } from './wait-queue.ts';

const MOST_WAITING = 1000;

export interface Turn {
  readonly since: number;
}

export class TurnQueue {
  readonly #enough: number;
  readonly #waitMs: number;
  readonly #taken = new Set<Turn>();
  readonly #line: WaitQueue<Turn>;

  constructor({ enough, waitMs }: InOne) {
    this.#enough = enough;
    this.#waitMs = waitMs;
    this.#line = new WaitQueue({ waitMs, most: MOST_WAITING });
  }

  async take(): Promise<Turn> {
    const before = performance.now() - this.#waitMs;
    let underWay = 0;
    for (const { since } of this.#taken) if (since > before) underWay++;
    if (underWay < this.#enough) return this.#begin();
    const next = await this.#line.joinFor(this.#waitMs, undefined);
    return next?.given ?? this.#begin();
  }

  end(turn: Turn): void {
    this.#taken.delete(turn);
    const next = { since: performance.now() };
    if (this.#line.give(next)) this.#taken.add(next);
  }

  #begin(): Turn {
    const turn = { since: performance.now() };
    this.#taken.add(turn);
    return turn;
  }
}
