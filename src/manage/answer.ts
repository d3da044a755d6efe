/**
 * What a management function answers: a status and a document. Knows nothing of HTTP beyond the number.
 */
import { REASONS } from '../errors.ts';

export interface Answer {
  readonly status: number;
  readonly body: object;
}

/** `{code, status, message}` and what belongs beside it. */
export function done(status: number, message: string, more: object = {}): Answer {
  return { status, body: { code: status, status: REASONS[status] ?? '', message, ...more } };
}

export function document(body: object): Answer {
  return { status: 200, body };
}
