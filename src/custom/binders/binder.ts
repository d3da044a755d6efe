/**
 * What turns a template and values into a statement: one for each engine. The statement's text depends on the kinds and counts of the
 * values at most, never on a value itself.
 */
import type { Path } from '../../sql/bind-scan.ts';
import type { BoundStatement } from '../../sql/dialect.ts';
import type { PlainValue } from '../../util/decimal.ts';

export type Resolve = (path: Path) => PlainValue;

export interface TemplateBinder {
  bind(resolve: Resolve): BoundStatement;
}

/** A value that cannot stand where its slot is. */
export class BindProblem extends Error {
  constructor(path: Path, why: string) {
    super(`the value of ?:${path.text} ${why}`);
  }
}
