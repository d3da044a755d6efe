/**
 * How a statement uses the connections of its pool. Static: decided before anything is sent, and
 * never learned.
 */
import type { Backpressure } from '../../model/cells.ts';

/**
 * How long a class stays exclusive after one of its statements blocked others or met a slow reader.
 */
const COOL_DOWN_MS = 30_000;

/**
 * - `exclusive`: has a connection to itself.
 * - `bulk`: the same, for writes of many rows; only a few of them run at a time.
 * - `background`: the same, for statements that a server runs in the background; they need no
 *   permit.
 * - `pipelined`: is sent behind other short statements on one connection.
 */
export type StatementClass = { readonly kind: 'exclusive' | 'bulk' | 'background' } | PipelinedClass;

export const EXCLUSIVE: StatementClass = { kind: 'exclusive' };
export const BULK: StatementClass = { kind: 'bulk' };
export const BACKGROUND: StatementClass = { kind: 'background' };

/**
 * Short statements of one kind on one table. Statements with the same batch key share connections,
 * whatever their table is.
 */
export class PipelinedClass {
  readonly kind = 'pipelined';
  readonly batchKey: string;
  #exclusiveUntil = 0;

  constructor(batchKey: string) {
    this.batchKey = batchKey;
  }

  /** This class, or `exclusive` during a cool-down. */
  get current(): StatementClass {
    return this.#exclusiveUntil > 0 && performance.now() < this.#exclusiveUntil ? EXCLUSIVE : this;
  }

  coolDown(): void {
    this.#exclusiveUntil = performance.now() + COOL_DOWN_MS;
  }

  /**
   * Flow control for the rows of one statement. A reader that pauses it is too slow to share a
   * connection.
   */
  flow(flow: Backpressure): Backpressure {
    return new PipelinedFlow(flow, this);
  }
}

class PipelinedFlow implements Backpressure {
  readonly isPipelined = true;
  readonly #inner: Backpressure;
  readonly #class: PipelinedClass;

  constructor(inner: Backpressure, statementClass: PipelinedClass) {
    this.#inner = inner;
    this.#class = statementClass;
  }

  pause(): void {
    this.#class.coolDown();
    this.#inner.pause();
  }

  resume(): void {
    this.#inner.resume();
  }
}
