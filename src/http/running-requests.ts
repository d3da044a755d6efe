/**
 * Requests that are not answered yet, as a list through the exchanges themselves. A Set would move
 * most exchanges to the old generation: its table outlives them.
 */
import type { Exchange } from './exchange.ts';

export class RunningRequests {
  #first: Exchange | undefined;

  add(exchange: Exchange): void {
    exchange.next = this.#first;
    if (this.#first !== undefined) this.#first.previous = exchange;
    this.#first = exchange;
  }

  remove(exchange: Exchange): void {
    const { previous, next } = exchange;
    if (previous !== undefined) previous.next = next;
    else if (this.#first === exchange) this.#first = next;
    if (next !== undefined) next.previous = previous;
    exchange.previous = undefined;
    exchange.next = undefined;
  }

  /** Number of requests of a project; of all without one. */
  count(projectId: string | undefined): number {
    let count = 0;
    for (let at = this.#first; at !== undefined; at = at.next) if (projectId === undefined || at.caller?.projectId === projectId) count++;
    return count;
  }
}
