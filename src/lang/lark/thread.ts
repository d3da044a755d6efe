/**
 * One run of a program: its budget, where it is, and what the host gives it.
 * Knows no values and no syntax.
 */
import { Budget, BudgetError, type Limits } from '../budget.ts';
import type { Source } from '../source.ts';
import { LarkFailure } from './failure.ts';
import type { Value } from './value.ts';

/** What a run may ask of its host. */
export interface Host {
  readonly print: (line: string) => void;
  /** Milliseconds since 1970: the only clock there is. */
  readonly now: () => number;
  /** The exports of a module, loaded once a run. */
  readonly load: (thread: Thread, module: string) => ReadonlyMap<string, Value>;
}

export class Thread extends Budget {
  readonly host: Host;
  /** Offset of what is being done, in the text of the running function; set before anything that may fail. */
  at = 0;
  depth = 0;
  /** Values made by builtins of the program for nobody else to see, such as the identity of symbols. */
  readonly maxDepth: number;

  constructor(limits: Limits, host: Host) {
    super(limits);
    this.host = host;
    this.maxDepth = limits.depth;
  }

  /** Notes on the way out of a function where it was; the caller's place becomes current again. */
  leave(error: unknown, name: string, source: Source | undefined, callerAt: number): unknown {
    if (error instanceof LarkFailure) error.sites.push({ name, source, at: this.at });
    else if (error instanceof BudgetError && error.place === undefined && source !== undefined) error.place = { source, at: this.at };
    this.at = callerAt;
    return error;
  }

  tooDeep(): never {
    this.depth--;
    throw new BudgetError('depth', `Starlark stack overflow: more than ${this.maxDepth} calls inside of each other`);
  }
}
