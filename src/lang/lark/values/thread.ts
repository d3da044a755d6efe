/** One run of a program: its budget, its position, and what the host provides. */
import { Budget, BudgetError, type RunLimits } from '../../budget.ts';
import { problemAt, type Source } from '../../source.ts';
import { LarkFailure } from './failure.ts';
import { ByteStrings } from './text/utf8.ts';
import type { LarkValue } from './value.ts';

/** Functions that a run may call on its host. */
export interface LarkHost {
  readonly print: (line: string) => void;
  /** Milliseconds since 1970: the only clock. */
  readonly now: () => number;
  /** Exports of a module, which is loaded once per run. */
  readonly load: (thread: Thread, module: string) => ReadonlyMap<string, LarkValue>;
}

export class Thread extends Budget {
  readonly host: LarkHost;
  /**
   * Offset of the current operation in the text of the running function. Set before anything that
   * may fail.
   */
  at = 0;
  depth = 0;
  readonly maxDepth: number;
  readonly strings = new ByteStrings((steps) => this.spend(steps));

  constructor(limits: RunLimits, host: LarkHost) {
    super(limits);
    this.host = host;
    this.maxDepth = limits.depth;
  }

  /**
   * Records the call site while an error unwinds a function, and restores the caller's position.
   */
  leave(error: unknown, name: string, source: Source | undefined, callerAt: number): unknown {
    if (error instanceof LarkFailure) error.sites.push({ name, source, at: this.at });
    else if (error instanceof BudgetError && error.problem === undefined && source !== undefined) {
      error.problem = problemAt(source, this.at, error.message);
    }
    this.at = callerAt;
    return error;
  }

  tooDeep(): never {
    this.depth--;
    throw new BudgetError('depth', `Starlark stack overflow: more than ${this.maxDepth} calls inside of each other`);
  }
}
