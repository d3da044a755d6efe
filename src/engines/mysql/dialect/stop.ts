/** Why a statement was stopped before its end, and how that is told. */
import { DbFailure } from '../../engine.ts';

export type StopKind = 'timeout' | 'cancelled';

const WORDS: Readonly<Record<StopKind, string>> = {
  timeout: 'The statement ran past its time and was stopped',
  cancelled: 'The statement was stopped because nobody waits for it any more',
};

export function stopFailure(kind: StopKind, cause?: unknown): DbFailure {
  const code = cause instanceof DbFailure ? cause.code : '';
  // An answer, also that the statement was killed, says how it ended; without one nobody knows.
  return new DbFailure(kind, WORDS[kind], { code, cause, left: cause instanceof DbFailure ? cause.left : 'unknown' });
}
