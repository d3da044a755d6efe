/**
 * Detects stale plans: compares the columns of a result with those its statement was planned for. A
 * server describes a result before its first row, so nothing has been sent on by then.
 */
import type { ResultColumn } from '../../model/cells.ts';
import type { Kind } from '../../model/table.ts';
import type { Statement } from '../../sql/statement.ts';
import { DbFailure } from '../contract/engine.ts';
import { malformed } from '../contract/limits.ts';

/** Kinds that every format writes as text. Results do not always distinguish them. */
const TEXT_KINDS: ReadonlySet<Kind> = new Set<Kind>(['text', 'enum', 'set', 'uuid', 'other']);

export function hasSameEncoding(a: Kind, b: Kind): boolean {
  return a === b || (TEXT_KINDS.has(a) && TEXT_KINDS.has(b));
}

/** Returns the columns for the sink. `undefined` if the statement is stale. */
export function columnsOf(statement: Statement, described: readonly ResultColumn[]): readonly ResultColumn[] | undefined {
  const { columns } = statement;
  if (columns === undefined) return described;
  if (columns.length !== described.length) throw malformed(`${described.length} columns where ${columns.length} were requested`);
  let isAlike = true;
  for (let i = 0; i < columns.length; i++)
    isAlike &&= hasSameEncoding((columns[i] as ResultColumn).kind, (described[i] as ResultColumn).kind);
  if (isAlike) return columns;
  if (statement.onOtherKinds === 'fail') return undefined;
  return columns.map(({ name }, i) => ({ name, kind: (described[i] as ResultColumn).kind }));
}

export function otherColumns(): DbFailure {
  return new DbFailure('stale', 'the columns of the result are not those that the statement was planned for', { code: 'COLUMNS' });
}
