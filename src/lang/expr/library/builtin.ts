/** All builtins that take no predicate, by name. */

import type { ExprBuiltin } from '../values/run.ts';
import { ARRAY_BUILTINS } from './array.ts';
import { CONVERT_BUILTINS } from './convert.ts';
import { NUMBER_BUILTINS } from './number.ts';
import { TEXT_BUILTINS } from './text.ts';
import { TIME_BUILTINS } from './time.ts';

export const BUILTINS: ReadonlyMap<string, ExprBuiltin> = new Map([
  ...Object.entries(ARRAY_BUILTINS),
  ...Object.entries(CONVERT_BUILTINS),
  ...Object.entries(NUMBER_BUILTINS),
  ...Object.entries(TEXT_BUILTINS),
  ...Object.entries(TIME_BUILTINS),
]);
