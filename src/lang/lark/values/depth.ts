/** Maximum nesting of data that is written, compared or converted. */
import { BudgetError } from '../../budget.ts';

export const MAX_DATA_DEPTH = 400;

export function tooDeepData(): never {
  throw new BudgetError('depth', `data nested more than ${MAX_DATA_DEPTH} levels deep`);
}
