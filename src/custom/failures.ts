/**
 * Maps failures of a step to the error for the client, and decides whether the version is at fault.
 */
import { DbFailure, type FailureKind } from '../engines/contract/engine.ts';
import { ApiError, apiError, authorError, describeResidue } from '../errors.ts';
import { BudgetError } from '../lang/budget.ts';
import { LoadError } from '../lang/lark/index.ts';
import { SandboxBusyError } from '../lang/sandbox/index.ts';
import { CompileError, type Problem, RunError } from '../lang/source.ts';
import { BindProblem } from '../sql/template/template-binder.ts';
import { MemoryBusy } from '../util/bytes/memory-lease.ts';
import { sanitizeMessage } from './sanitize-message.ts';
import type { SideEffects } from './steps/session.ts';

/** Origin of the values of a step. Bad values are the version's own fault if it made them. */
export type ValueOrigin = 'caller' | 'version';

type Explain = (label: string, failure: DbFailure, timeoutMs: number, origin: ValueOrigin) => ApiError;

const refused: Explain = (label, failure) => apiError('step_refused', label, sanitizeMessage(failure.message));
const unreachable: Explain = (label) =>
  apiError('step_unreachable', label, 'the database cannot be reached, refused the login, or went away');

function invalidData(label: string, message: string, origin: ValueOrigin): ApiError {
  return apiError(origin === 'caller' ? 'step_refused' : 'step_failed', label, sanitizeMessage(message));
}

const EXPLANATIONS: Readonly<Partial<Record<FailureKind, Explain>>> = {
  duplicate: refused,
  constraint: refused,
  raised: refused,
  invalid: (label, failure, _, origin) => invalidData(label, failure.message, failure.ofStatement ? 'version' : origin),
  unreachable,
  login: unreachable,
  lost: unreachable,
  malformed: (label, failure) => apiError('step_unreachable', label, failure.message),
  full: () => apiError('database_busy'),
  busy: () => apiError('database_busy'),
  conflict: () => apiError('database_conflict'),
  denied: (label) => apiError('step_denied', label),
  read_only: (label) => apiError('step_read_only', label),
  timeout: (label, _, timeoutMs) => apiError('step_timeout', label, String(timeoutMs / 1000)),
};

export function explainStep(error: unknown, label: string, timeoutMs: number, origin: ValueOrigin = 'caller'): unknown {
  if (error instanceof DbFailure) {
    if (error.cause instanceof MemoryBusy) return apiError('memory_busy');
    if (error.cause instanceof BudgetError) return apiError('step_budget', label, error.cause.message).at(`step ${label}`);
    return (EXPLANATIONS[error.kind]?.(label, error, timeoutMs, origin) ?? apiError('step_failed', label, sanitizeMessage(error.message)))
      .at(`step ${label}`)
      .causedBy(error);
  }
  if (error instanceof BudgetError) {
    const place = error.problem === undefined ? '' : placeOf(error.problem);
    return apiError('step_budget', label, place === '' ? error.message : `${place}: ${error.message}`).at(`step ${label} ${place}`);
  }
  if (error instanceof LoadError)
    return apiError('step_unreachable', label, `the module ${JSON.stringify(error.module)} does not exist (${placeOf(error.problem)})`);
  if (error instanceof BindProblem) return invalidData(label, error.message, origin);
  if (error instanceof RunError) return explainRun(error, label).at(`step ${label} ${placeOf(error.problem)}`);
  // The module compiled when it was stored, but modules that it names were removed since.
  if (error instanceof CompileError) return apiError('step_unreachable', label, `a module no longer compiles: ${error.message}`);
  if (error instanceof MemoryBusy) return apiError('memory_busy');
  if (error instanceof SandboxBusyError) return apiError('programs_busy');
  return error;
}

/** A program that called `fail` or `refuse` responds with its author's message only. */
function explainRun({ problem, verdict }: RunError, label: string): ApiError {
  if (verdict?.kind === 'fail') return apiError('author_failed', verdict.message).verbatim();
  if (verdict?.kind === 'refuse') return authorError(verdict.status, verdict.message);
  if (verdict?.kind === 'absent' && verdict.of === 'input') return apiError('input_missing', label, verdict.name);
  return apiError('step_failed', label, `${placeOf(problem)}: ${problem.message}`);
}

/** Adds the side effects of the call to the error. */
export function withSideEffects(error: unknown, label: string, sideEffects: SideEffects | undefined): unknown {
  if (sideEffects === undefined) return error;
  if (sideEffects.kind === 'none') return error instanceof ApiError ? error.withOutcome('none') : error;
  const known =
    error instanceof ApiError ? error : apiError('step_failed', label, 'an unexpected error; the log has the details').causedBy(error);
  return known.withOutcome('unknown', describeResidue(sideEffects.steps, sideEffects.kind));
}

function placeOf({ file, line, column }: Problem): string {
  return `${file} line ${line}, column ${column}`;
}

/**
 * Errors that are the version's own fault. After any other, a rollback version would not help or
 * must not run.
 */
const OWN_FAULTS = new Set([
  'step_failed',
  'step_budget',
  'step_unreachable',
  'step_timeout',
  'step_denied',
  'step_read_only',
  'record_unreadable',
  'result_too_deep',
  'response_invalid',
]);

export function isOwnFault(error: unknown): boolean {
  return !(error instanceof ApiError) || OWN_FAULTS.has(error.key);
}
