/** Serializes errors between threads and rebuilds them on the other side. */
import { BudgetError, type BudgetKind } from '../budget.ts';
import { CompileError, type Problem, RunError, type RunVerdict } from '../source.ts';

export interface WiredError {
  readonly name: string;
  readonly message: string;
  readonly kind?: BudgetKind;
  readonly problem?: Problem;
  readonly problems?: readonly Problem[];
  readonly calls?: readonly string[];
  readonly verdict?: RunVerdict;
  /** Data of an error that only one language has; its task kind rebuilds the error. */
  readonly extra?: string;
}

export function wireError(error: unknown): WiredError {
  if (error instanceof BudgetError) {
    const problem = error.problem;
    return { name: 'BudgetError', message: error.message, kind: error.kind, ...(problem === undefined ? {} : { problem }) };
  }
  if (error instanceof RunError) {
    const extra = 'module' in error && typeof error.module === 'string' ? { extra: error.module } : {};
    const { message, problem, calls, verdict } = error;
    return { name: 'RunError', message, problem, calls, ...(verdict === undefined ? {} : { verdict }), ...extra };
  }
  if (error instanceof CompileError) return { name: 'CompileError', message: error.message, problems: error.problems };
  return { name: 'Error', message: error instanceof Error ? error.message : String(error) };
}

/** Rebuilds the error. `special` rebuilds an error that only one language has. */
export function unwireError(wired: WiredError, special: (extra: string, error: RunError) => Error): Error {
  if (wired.name === 'BudgetError' && wired.kind !== undefined) {
    const error = new BudgetError(wired.kind, wired.message);
    error.problem = wired.problem;
    return error;
  }
  if (wired.name === 'RunError' && wired.problem !== undefined) {
    const error = new RunError(wired.problem, wired.calls, wired.verdict);
    return wired.extra === undefined ? error : special(wired.extra, error);
  }
  const [first, ...rest] = wired.problems ?? [];
  return first === undefined ? new Error(wired.message) : new CompileError([first, ...rest]);
}
