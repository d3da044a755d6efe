/** The builtins that take no predicate, by name, gathered from the files that hold them. Refuses to know how calls are checked. */

import type { Budget } from '../budget.ts';
import { ARRAY_BUILTINS } from './builtin-array.ts';
import { CONVERT_BUILTINS } from './builtin-convert.ts';
import { NUMBER_BUILTINS } from './builtin-number.ts';
import { TEXT_BUILTINS } from './builtin-text.ts';
import { TIME_BUILTINS } from './builtin-time.ts';
import type { Value } from './value.ts';

export type Builtin = (args: readonly Value[], budget: Budget) => Value;

export const BUILTINS: ReadonlyMap<string, Builtin> = new Map([
  ...Object.entries(ARRAY_BUILTINS),
  ...Object.entries(CONVERT_BUILTINS),
  ...Object.entries(NUMBER_BUILTINS),
  ...Object.entries(TEXT_BUILTINS),
  ...Object.entries(TIME_BUILTINS),
]);
