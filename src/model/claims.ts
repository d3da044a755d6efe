/**
 * Claims: a JSON object with further attributes of a caller, from the gateway or a token.
 * Independent of headers.
 */
import { JsonError, parseJson } from '../util/json/json.ts';
import type { PlainMap } from '../util/text/decimal.ts';

export type Claims = PlainMap;

export const MAX_CLAIMS_BYTES = 4096;
const MAX_DEPTH = 16;

/** The text is not a valid set of claims; the message gives the reason. */
export class InvalidClaims extends Error {}

export function readClaims(text: string): Claims {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_CLAIMS_BYTES) throw new InvalidClaims(`it is larger than ${MAX_CLAIMS_BYTES} bytes`);
  try {
    const value = parseJson(bytes, { maxDepth: MAX_DEPTH });
    if (value instanceof Map) return value;
  } catch (error) {
    throw error instanceof JsonError ? new InvalidClaims(error.message) : error;
  }
  throw new InvalidClaims('it is not a JSON object');
}
