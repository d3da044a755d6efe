/**
 * Parses a query string into an ordered list of names and values. Drops nothing, merges nothing,
 * rejects invalid UTF-8. `+` is a space.
 */
export class BadEncoding extends Error {}
export class TooManyParameters extends Error {}

export const MAX_PARAMETERS = 100;

export interface QueryParameter {
  readonly name: string;
  readonly value: string;
}

export function parseQuery(raw: string, max = MAX_PARAMETERS): readonly QueryParameter[] {
  if (raw === '') return NONE;
  const parameters: QueryParameter[] = [];
  // Most queries need no decoding, which one test of the whole string detects.
  const decode = CODED.test(raw) ? decodeForm : asIs;
  let at = 0;
  while (at <= raw.length) {
    let end = raw.indexOf('&', at);
    if (end < 0) end = raw.length;
    if (end > at) {
      if (parameters.length === max) throw new TooManyParameters();
      const equals = raw.indexOf('=', at);
      const split = equals < 0 || equals > end ? end : equals;
      parameters.push({ name: decode(raw.slice(at, split)), value: split === end ? '' : decode(raw.slice(split + 1, end)) });
    }
    at = end + 1;
  }
  return parameters;
}

const NONE: readonly QueryParameter[] = [];
/** Any character other than printable ASCII, or one of `%` and `+`. */
const CODED = /[^\u0001-$&-*,-\u007f]/;
const NOT_ASCII = /[^\u0000-\u007f]/;

function asIs(text: string): string {
  return text;
}

function decodeForm(text: string): string {
  return CODED.test(text) ? decodePercent(text.replaceAll('+', ' ')) : text;
}

/** Strict: a lone `%`, invalid UTF-8 and NUL are errors. */
export function decodePercent(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(NOT_ASCII.test(text) ? fromLatin1(text) : text);
  } catch {
    throw new BadEncoding();
  }
  if (decoded.includes('\u0000')) throw new BadEncoding();
  return decoded;
}

/**
 * Node passes the raw bytes of a URL as Latin-1. Encodes them again so that they decode as UTF-8.
 */
function fromLatin1(text: string): string {
  return [...Buffer.from(text, 'latin1')]
    .map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`))
    .join('');
}
