/** The id of a user: a ULID or, if configured, any opaque string of an identity provider. Pure. */
import { parseUlid } from './ulid.ts';

export type UserIds = 'ulid' | 'any';

/** Visible ASCII, which fits into headers and logs without ambiguous escapes. */
const OPAQUE = /^[\x21-\x7e]{1,128}$/;

/** Returns the normalized id, or `undefined` if the text is not one. */
export function parseUserId(text: string, accepted: UserIds): string | undefined {
  if (accepted === 'ulid') return parseUlid(text);
  return OPAQUE.test(text) ? text : undefined;
}
