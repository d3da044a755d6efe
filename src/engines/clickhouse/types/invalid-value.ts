import { DbFailure } from '../../contract/engine.ts';

/** Failure of a value that its column or parameter cannot hold. */
export function invalid(message: string): DbFailure {
  return new DbFailure('invalid', message);
}
