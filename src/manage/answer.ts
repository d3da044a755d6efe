/**
 * Result of a management function: a status and a document. Independent of HTTP except for the
 * status code.
 */
import { REASONS } from '../errors.ts';

export interface ManageAnswer {
  readonly status: number;
  readonly body: object;
  /** Name of the changed record for the audit log, if the body does not contain it. */
  readonly object?: string;
  /** Names of the changed fields, for the audit log. */
  readonly changed?: readonly string[];
}

/** Returns `{code, status, message}` with additional fields. */
export function done(status: number, message: string, more: object = {}): ManageAnswer {
  return { status, body: { code: status, status: REASONS[status] ?? '', message, ...more } };
}

export function document(body: object): ManageAnswer {
  return { status: 200, body };
}
