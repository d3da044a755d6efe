/**
 * The answer of a management function: a status and a document. Knows nothing of HTTP beyond the number.
 */
import { REASONS } from '../errors.ts';

export interface ManageAnswer {
  readonly status: number;
  readonly body: object;
  /** What the answer is about, where its body does not say. */
  readonly object?: string;
  /** Names of the fields that a change has made different, for the auditor. */
  readonly changed?: readonly string[];
}

/** `{code, status, message}` and additional fields. */
export function done(status: number, message: string, more: object = {}): ManageAnswer {
  return { status, body: { code: status, status: REASONS[status] ?? '', message, ...more } };
}

export function document(body: object): ManageAnswer {
  return { status: 200, body };
}
