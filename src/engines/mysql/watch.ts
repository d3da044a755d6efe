/**
 * A deadline and a caller's wish to stop, around everything that one call does. Says once that it is over, and why.
 */
import { DbFailure, type RunOptions, type StopSignal } from '../engine.ts';

export type StopKind = 'timeout' | 'cancelled';

/** The server's own limit is given this much time to be the one that ends a statement. */
const GRACE_MS = 50;

export class Watch {
  #stopped: StopKind | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #signal: StopSignal | undefined;
  readonly #stop: (kind: StopKind) => void;
  readonly #aborted = () => this.#end('cancelled');

  constructor(options: RunOptions, stop: (kind: StopKind) => void) {
    this.#stop = stop;
    this.#signal = options.signal;
    this.#timer = setTimeout(() => this.#end('timeout'), options.timeoutMs + GRACE_MS);
    if (this.#signal?.aborted === true) this.#stopped = 'cancelled';
    this.#signal?.addEventListener('abort', this.#aborted, { once: true });
  }

  get stopped(): StopKind | undefined {
    return this.#stopped;
  }

  /** Throws when the call is over; before each further step of it. */
  check(): void {
    if (this.#stopped !== undefined) throw stopFailure(this.#stopped);
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#aborted);
  }

  #end(kind: StopKind): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = kind;
    this.#stop(kind);
  }
}

const WORDS: Readonly<Record<StopKind, string>> = {
  timeout: 'The statement ran past its time and was stopped',
  cancelled: 'The statement was stopped because nobody waits for it any more',
};

export function stopFailure(kind: StopKind, cause?: unknown): DbFailure {
  const code = cause instanceof DbFailure ? cause.code : '';
  return new DbFailure(kind, WORDS[kind], { code, cause });
}
