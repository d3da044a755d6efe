/**
 * Turns the template of a step and the values of a call into a bound statement. Each engine has its own. The text of the statement depends on
 * the kinds and the number of the values at most, never on a value itself.
 */

import type { PlainValue } from '../../util/text/decimal.ts';
import type { BoundStatement } from '../dialect.ts';
import type { Path } from './token.ts';

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
