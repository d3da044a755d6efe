/**
 * One run of a program: its budget, its position, and what the host provides.
 * Knows no values and no syntax.
 */
import { Budget, BudgetError, type RunLimits } from '../../budget.ts';
import { problemAt, type Source } from '../../source.ts';
import { LarkFailure } from './failure.ts';
import { ByteTexts } from './text/utf8.ts';
import type { LarkValue } from './value.ts';

/** What a run may ask of its host. */
export interface LarkHost {
  readonly print: (line: string) => void;
  /** Milliseconds since 1970: the only clock. */
  readonly now: () => number;
  /** The exports of a module, loaded once a run. */
  readonly load: (thread: Thread, module: string) => ReadonlyMap<string, LarkValue>;
}

/** From here on the time of a builtin is foreseen, at this much for a step. */
const LONG_STEPS = 20_000;
const MILLIS_PER_STEP = 2e-5;

export class Thread extends Budget {
  readonly host: LarkHost;
  /** Offset of what is being done, in the text of the running function; set before anything that may fail. */
  at = 0;
  depth = 0;
  readonly maxDepth: number;
  readonly texts = new ByteTexts((steps) => this.spend(steps));

  constructor(limits: RunLimits, host: LarkHost) {
    super(limits);
    this.host = host;
    this.maxDepth = limits.depth;
  }

  /** Notes on the way out of a function where it was; the caller's place becomes current again. */
  leave(error: unknown, name: string, source: Source | undefined, callerAt: number): unknown {
    if (error instanceof LarkFailure) error.sites.push({ name, source, at: this.at });
    else if (error instanceof BudgetError && error.problem === undefined && source !== undefined) {
      error.problem = problemAt(source, this.at, error.message);
    }
    this.at = callerAt;
    return error;
  }

  /** A builtin cannot be interrupted: it must not even start when the time would not suffice. */
  override spend(steps: number): void {
    super.spend(steps);
    if (steps > LONG_STEPS && this.millisLeft < steps * MILLIS_PER_STEP) this.timeIsUp();
  }

  tooDeep(): never {
    this.depth--;
    throw new BudgetError('depth', `Starlark stack overflow: more than ${this.maxDepth} calls inside of each other`);
  }
}
