/** Maps a database's failure to the error that the caller of the Auto API sees: a table by kind, and by operation where it matters. */
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
  /** The names of the columns that the caller knows of, if these are not all: the engine's own words may name others. */
  readonly known?: ReadonlySet<string> | undefined;
}

type Explain = (failure: DbFailure, at: Circumstances) => ApiError;

const unreachable: Explain = () => apiError('database_unreachable');
const unexpected: Explain = (_, at) => apiError('database_error', at.requestId);

const refused: Explain = (failure, at) => {
  if (at.operation === 'read' || (at.operation === 'delete' && failure.kind === 'invalid'))
    return apiError('filter_refused', words(failure, at));
  return at.operation === 'insert' ? apiError('rows_refused', words(failure, at)) : apiError('write_refused', words(failure, at));
};

const unsupported: Explain = (failure, at) =>
  at.operation === 'read' ? apiError('filter_refused', words(failure, at)) : apiError('write_unsupported', words(failure, at));

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
  duplicate: (failure, at) => (at.operation === 'insert' ? apiError('rows_duplicate', words(failure, at)) : refused(failure, at)),
  constraint: refused,
  invalid: refused,
  conflict: () => apiError('database_conflict'),
  read_only: unsupported,
  unsupported,
  raised: (failure, at) => (at.operation === 'read' ? apiError('database_refused', words(failure, at)) : refused(failure, at)),
  syntax: unexpected,
  other: unexpected,
};

export function explain(failure: DbFailure, at: Circumstances): ApiError {
  if (at.operation === 'read') return EXPLANATIONS[failure.kind](failure, at).causedBy(failure);
  const outcome: WriteOutcome = failure.effect === 'unknown' ? 'unknown' : 'none';
  const isHalf = outcome === 'unknown' && REFUSALS.has(failure.kind);
  const error = isHalf ? apiError('write_half', words(failure, at)) : EXPLANATIONS[failure.kind](failure, at);
  return error.causedBy(failure).withOutcome(outcome);
}

/** What a database says of a row, which is not always the first one of a statement. */
const REFUSALS: ReadonlySet<FailureKind> = new Set<FailureKind>(['duplicate', 'constraint', 'invalid', 'raised']);

/** `Row 3, column "email": …` with the engine's own words. */
function words(failure: DbFailure, at: Circumstances): string {
  if (at.known !== undefined) return ownWords(failure, at.row, at.known);
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

/** What happened, without a name that is not the caller's to know. */
function ownWords({ kind, column }: DbFailure, row: number | undefined, known: ReadonlySet<string>): string {
  const named = column?.split(', ').every((name) => known.has(name)) ? `column "${column}"` : '';
  const place = [row === undefined ? '' : `Row ${row}`, named].filter((part) => part !== '').join(', ');
  const said = OWN_WORDS[kind] ?? 'the table or view does not take it';
  return place === '' ? `${said[0]?.toUpperCase()}${said.slice(1)}.` : `${place}: ${said}.`;
}
