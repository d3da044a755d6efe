/**
 * The table of all errors that a client can see: key, status and message. No other file sets error
 * statuses. docs/reference/errors.md is generated from it.
 */
import { ApiError } from './errors/api-error.ts';
import { APP_ERRORS } from './errors/apps.ts';
import { AUTO_ERRORS } from './errors/auto.ts';
import { CALLER_ERRORS } from './errors/callers.ts';
import { CUSTOM_ERRORS } from './errors/custom.ts';
import { PROJECT_ERRORS } from './errors/projects.ts';
import { REQUEST_ERRORS } from './errors/requests.ts';
import { SERVICE_ERRORS } from './errors/service.ts';

export { ApiError, describeResidue, REASONS, reasonOf, type WriteOutcome } from './errors/api-error.ts';

export const ERRORS = {
  ...REQUEST_ERRORS,
  ...CALLER_ERRORS,
  ...PROJECT_ERRORS,
  ...AUTO_ERRORS,
  ...CUSTOM_ERRORS,
  ...APP_ERRORS,
  ...SERVICE_ERRORS,
} as const;

export type ErrorKey = keyof typeof ERRORS;

type Arguments<K extends ErrorKey> = Parameters<(typeof ERRORS)[K]['sentence']>;

/** A refusal whose status and message the author of a definition wrote. */
export function authorError(status: number, message: string): ApiError {
  return new ApiError('author_refused', status, message).verbatim();
}

/** Builds the error with this key. */
export function apiError<K extends ErrorKey>(key: K, ...args: Arguments<K>): ApiError {
  const { status, sentence } = ERRORS[key];
  const headers: Record<string, string> = {};
  if (status === 405) headers['allow'] = args[1] ?? '';
  if (status === 503) headers['retry-after'] = '1';
  return new ApiError(key, status, (sentence as (...words: readonly string[]) => string)(...args), headers);
}
