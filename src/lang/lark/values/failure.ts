/**
 * A failure of a running program before anybody sees it: the message, and the calls it unwound through.
 * Formats nothing; the run turns it into the RunError of the languages.
 */
import type { RunVerdict, Source } from '../../source.ts';

/** One call on the way out, innermost first: a place in a text, or a builtin. */
export interface CallSite {
  readonly name: string;
  readonly source: Source | undefined;
  readonly at: number;
}

export class LarkFailure extends Error {
  readonly sites: CallSite[] = [];
  /** Undefined for a mistake of the program. */
  readonly verdict: RunVerdict | undefined;

  constructor(message: string, verdict?: RunVerdict) {
    super(message);
    this.verdict = verdict;
  }
}

/** A module that is not there: the callers tell it from a mistake of the program. */
export class MissingModule extends LarkFailure {
  readonly module: string;

  constructor(module: string, message: string) {
    super(message);
    this.module = module;
  }
}

/** None is a value too: only undefined means that something is not there. */
export function orElse<T>(value: T | undefined, otherwise: () => T): T {
  return value === undefined ? otherwise() : value;
}

export function fail(message: string): never {
  throw new LarkFailure(message);
}
