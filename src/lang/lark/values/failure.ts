/**
 * Failure of a running program: the message, and the calls it unwound through. The run turns it
 * into a RunError.
 */
import type { RunVerdict, Source } from '../../source.ts';

/** One call in the call stack, innermost first: a position in a text, or a builtin. */
export interface CallSite {
  readonly name: string;
  readonly source: Source | undefined;
  readonly at: number;
}

export class LarkFailure extends Error {
  readonly sites: CallSite[] = [];
  /** `undefined` for a mistake of the program. */
  readonly verdict: RunVerdict | undefined;

  constructor(message: string, verdict?: RunVerdict) {
    super(message);
    this.verdict = verdict;
  }
}

/** A module that does not exist, as distinct from a mistake of the program. */
export class MissingModule extends LarkFailure {
  readonly module: string;

  constructor(module: string, message: string) {
    super(message);
    this.module = module;
  }
}

/** Replaces only `undefined`, since None (`null`) is a value. */
export function orElse<T>(value: T | undefined, otherwise: () => T): T {
  return value === undefined ? otherwise() : value;
}

export function fail(message: string): never {
  throw new LarkFailure(message);
}
