/**
 * The answer of a management function: a status and a document. Knows nothing of HTTP beyond the number.
 */
import { REASONS } from '../errors.ts';

export interface ManageAnswer {
  readonly status: number;
  readonly body: object;
}

/** `{code, status, message}` and additional fields. */
export function done(status: number, message: string, more: object = {}): ManageAnswer {
  return { status, body: { code: status, status: REASONS[status] ?? '', message, ...more } };
}

export function document(body: object): ManageAnswer {
  return { status: 200, body };
}
