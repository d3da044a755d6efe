/** Failure of a value that its column or parameter cannot hold. */
import { DbFailure } from '../../contract/engine.ts';

export function invalid(message: string): DbFailure {
  return new DbFailure('invalid', message);
}
