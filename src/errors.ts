/**
 * Every error that a client can see: its status and its sentence, in one table whose parts are in `errors/`. No other file knows error
 * statuses. `docs/reference/errors.md` lists the same entries; a test keeps it in step.
 */
import { ApiError } from './errors/api-error.ts';
import { AUTO_ERRORS } from './errors/auto.ts';
import { CALLER_ERRORS } from './errors/callers.ts';
import { CUSTOM_ERRORS } from './errors/custom.ts';
import { PROJECT_ERRORS } from './errors/projects.ts';
import { REQUEST_ERRORS } from './errors/requests.ts';
import { SERVICE_ERRORS } from './errors/service.ts';

export { ApiError, REASONS, reasonOf, staysOf, type WriteOutcome } from './errors/api-error.ts';

export const ERRORS = {
  ...REQUEST_ERRORS,
  ...CALLER_ERRORS,
  ...PROJECT_ERRORS,
  ...AUTO_ERRORS,
  ...CUSTOM_ERRORS,
  ...SERVICE_ERRORS,
} as const;

export type ErrorKey = keyof typeof ERRORS;

type Arguments<K extends ErrorKey> = Parameters<(typeof ERRORS)[K]['sentence']>;

/** A refusal that the author of a definition wrote, status and all. */
export function refusedBy(status: number, message: string): ApiError {
  return new ApiError('author_refused', status, message).verbatim();
}

/** The error of that name, ready to be thrown. */
export function apiError<K extends ErrorKey>(key: K, ...args: Arguments<K>): ApiError {
  const { status, sentence } = ERRORS[key];
  const headers: Record<string, string> = {};
  if (status === 405) headers['allow'] = args[1] ?? '';
  if (status === 503) headers['retry-after'] = '1';
  return new ApiError(key, status, (sentence as (...words: readonly string[]) => string)(...args), headers);
}
