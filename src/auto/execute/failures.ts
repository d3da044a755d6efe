/**
 * Maps failures of databases to errors of the Auto API: a table by kind, and by operation where it
 * matters.
 */
import type { DbFailure, FailureKind } from '../../engines/contract/engine.ts';
import { type ApiError, apiError, type WriteOutcome } from '../../errors.ts';
import type { Operation } from '../../model/persona.ts';

export interface Circumstances {
  readonly operation: Operation;
  readonly table: string;
  readonly timeoutSecs: number;
  readonly requestId: string;
  /** The row of the batch, if it is known. */
  readonly row?: number | undefined;
  /** Columns that the caller may see, if not all: messages of the engine may name others. */
  readonly known?: ReadonlySet<string> | undefined;
}

type Explain = (failure: DbFailure, at: Circumstances) => ApiError;

const unreachable: Explain = () => apiError('database_unreachable');
const unexpected: Explain = (_, at) => apiError('database_error', at.requestId);

const refused: Explain = (failure, at) => {
  if (at.operation === 'read' || (at.operation === 'delete' && failure.kind === 'invalid'))
    return apiError('filter_refused', messageOf(failure, at));
  return at.operation === 'insert' ? apiError('rows_refused', messageOf(failure, at)) : apiError('write_refused', messageOf(failure, at));
};

const unsupported: Explain = (failure, at) =>
  at.operation === 'read' ? apiError('filter_refused', messageOf(failure, at)) : apiError('write_unsupported', messageOf(failure, at));

const EXPLANATIONS: Readonly<Record<FailureKind, Explain>> = {
  unreachable,
  login: unreachable,
  lost: unreachable,
  malformed: (failure) => apiError('database_malformed', failure.message),
  full: () => apiError('database_busy'),
  busy: () => apiError('database_busy'),
  timeout: (_, at) => apiError('database_timeout', String(at.timeoutSecs)),
  cancelled: unexpected,
  preempted: () => apiError('database_conflict'),
  denied: () => apiError('database_denied'),
  missing_table: (_, at) => apiError('table_unknown', at.table),
  missing_column: unexpected,
  stale: (_, at) => apiError('table_changing', at.table),
  duplicate: (failure, at) => (at.operation === 'insert' ? apiError('rows_duplicate', messageOf(failure, at)) : refused(failure, at)),
  constraint: refused,
  invalid: refused,
  overflow: () => apiError('aggregate_too_large'),
  conflict: () => apiError('database_conflict'),
  read_only: unsupported,
  unsupported,
  raised: (failure, at) => (at.operation === 'read' ? apiError('database_refused', messageOf(failure, at)) : refused(failure, at)),
  syntax: unexpected,
  other: unexpected,
};

export function explain(failure: DbFailure, at: Circumstances): ApiError {
  if (at.operation === 'read') return EXPLANATIONS[failure.kind](failure, at).causedBy(failure);
  const outcome: WriteOutcome = failure.effect === 'unknown' ? 'unknown' : 'none';
  const isHalf = outcome === 'unknown' && REFUSALS.has(failure.kind);
  const error = isHalf ? apiError('write_half', messageOf(failure, at)) : EXPLANATIONS[failure.kind](failure, at);
  return error.causedBy(failure).withOutcome(outcome);
}

/** Failures about a row, which may not be the first one of its statement. */
const REFUSALS: ReadonlySet<FailureKind> = new Set<FailureKind>(['duplicate', 'constraint', 'invalid', 'raised']);

/** `Row 3, column "email": …` with the message of the engine. */
function messageOf(failure: DbFailure, at: Circumstances): string {
  if (at.known !== undefined) return describeFailure(failure, at.row, at.known);
  const row = at.row === undefined ? '' : `Row ${at.row}`;
  const column = failure.column === undefined ? '' : `column "${failure.column}"`;
  const place = [row, column].filter((part) => part !== '').join(', ');
  const said = failure.message.replace(/[.\s]+$/, '');
  return place === '' ? `${said}.` : `${place}: ${said}.`;
}

const OWN_WORDS: Readonly<Partial<Record<FailureKind, string>>> = {
  duplicate: 'a value that must be unique is there already',
  constraint: 'a constraint of the table does not hold',
  invalid: 'a value does not fit',
  raised: 'code in the database refused it',
};

/** Describes the failure without names that the caller may not see. */
function describeFailure({ kind, column }: DbFailure, row: number | undefined, known: ReadonlySet<string>): string {
  const named = column?.split(', ').every((name) => known.has(name)) ? `column "${column}"` : '';
  const place = [row === undefined ? '' : `Row ${row}`, named].filter((part) => part !== '').join(', ');
  const said = OWN_WORDS[kind] ?? 'the table or view does not take it';
  return place === '' ? `${said[0]?.toUpperCase()}${said.slice(1)}.` : `${place}: ${said}.`;
}
