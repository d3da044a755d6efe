/**
 * The id of a user, as the gateway gives it: a ULID, or any opaque text of an identity provider where the settings say so. Knows nothing of
 * headers and bodies.
 */
import { parseUlid } from './ulid.ts';

export type UserIds = 'ulid' | 'any';

/** Visible ASCII: what fits a header and a log without escapes that two readers could see differently. */
const OPAQUE = /^[\x21-\x7e]{1,128}$/;

let accepted: UserIds = 'ulid';

/** Which ids this process takes; said once, at the start. */
export function acceptUserIds(kind: UserIds): void {
  accepted = kind;
}

/** The id in its one spelling; undefined when it is none. */
export function parseUserId(text: string): string | undefined {
  if (accepted === 'ulid') return parseUlid(text);
  return OPAQUE.test(text) ? text : undefined;
}
