/**
 * Claims: what the gateway or a token says about a caller beyond ids and roles, as one JSON object. Knows nothing of headers, nor which claims
 * have a meaning.
 */

import { JsonError, parseJson } from '../util/json/json.ts';
import type { PlainMap } from '../util/text/decimal.ts';

export type Claims = PlainMap;

export const MOST_CLAIMS_BYTES = 4096;
const MAX_DEPTH = 16;

/** The text is not a set of claims; the message says why. */
export class InvalidClaims extends Error {}

export function readClaims(text: string): Claims {
  const bytes = Buffer.from(text);
  if (bytes.length > MOST_CLAIMS_BYTES) throw new InvalidClaims(`it is larger than ${MOST_CLAIMS_BYTES} bytes`);
  try {
    const value = parseJson(bytes, { maxDepth: MAX_DEPTH });
    if (value instanceof Map) return value;
  } catch (error) {
    throw error instanceof JsonError ? new InvalidClaims(error.message) : error;
  }
  throw new InvalidClaims('it is no JSON object');
}
