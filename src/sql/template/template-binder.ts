/**
 * Binds the values of a call to the template of a step. Each engine has its own binder. The text
 * depends at most on the types and the number of values, never on a value.
 */

import type { PlainValue } from '../../util/text/decimal.ts';
import type { BoundStatement } from '../dialect.ts';
import type { Path } from './token.ts';

export type Resolve = (path: Path) => PlainValue;

type ScalarType = 'integer' | 'number' | 'boolean' | 'date' | 'timestamp' | 'uuid';

/** Declared type of a slot's value. */
export type SlotType = ScalarType | `${ScalarType}[]`;

/** Returns `undefined` for values without a declared type. */
export type SlotTypes = (path: Path) => SlotType | undefined;

export interface TemplateBinder {
  bind(resolve: Resolve): BoundStatement;
}

/** Thrown for a value that does not fit its slot. */
export class BindProblem extends Error {
  constructor(path: Path, why: string) {
    super(`the value of ?:${path.text} ${why}`);
  }
}
