/**
 * Decodes the escapes of string and bytes literals. Throws BadEscape with an offset into the
 * literal.
 */
import { utf8Bytes } from '../values/text.ts';

export class BadEscape extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super('this escape sequence is not known');
    this.offset = offset;
  }
}

const SIMPLE: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\' };
const HEX_LENGTH: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const MAX_CODE_POINT = 0x10ffff;

interface Escape {
  /** A code point, or a raw byte in bytes literals. */
  readonly code: number;
  readonly length: number;
}

/** Decodes the escape whose backslash is at `at`. */
function readEscape(body: string, at: number, quote: string): Escape {
  const letter = body[at + 1] ?? '';
  const simple = letter === quote ? quote : SIMPLE[letter];
  if (simple !== undefined) return { code: simple.charCodeAt(0), length: 2 };
  const octal = /^[0-3][0-7]{2}/.exec(body.slice(at + 1, at + 4));
  if (octal !== null) return { code: Number.parseInt(octal[0], 8), length: 4 };
  const braced = letter === 'u' ? /^\{([0-9a-fA-F]{1,6})\}/.exec(body.slice(at + 2, at + 10)) : null;
  if (braced !== null) return { code: Number.parseInt(braced[1] ?? '', 16), length: 2 + braced[0].length };
  const width = HEX_LENGTH[letter];
  const digits = width === undefined ? '' : body.slice(at + 2, at + 2 + width);
  if (width === undefined || digits.length !== width || !/^[0-9a-fA-F]+$/.test(digits)) throw new BadEscape(at);
  return { code: Number.parseInt(digits, 16), length: 2 + width };
}

function normalizeNewlines(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

export function decodeString(raw: string, quote: string): string {
  const body = normalizeNewlines(raw);
  if (!body.includes('\\')) return body;
  let out = '';
  for (let at = 0; at < body.length; ) {
    if (body[at] !== '\\') {
      out += body[at++];
      continue;
    }
    const { code, length } = readEscape(body, at, quote);
    if (code > MAX_CODE_POINT) throw new BadEscape(at);
    // A lone surrogate is not a character; like the reference, it becomes the replacement
    // character.
    out += code >= 0xd800 && code <= 0xdfff ? '\ufffd' : String.fromCodePoint(code);
    at += length;
  }
  return out;
}

export function decodeBytes(raw: string, quote: string): Uint8Array {
  const body = normalizeNewlines(raw);
  const out: number[] = [];
  for (let at = 0; at < body.length; ) {
    if (body[at] !== '\\') {
      const point = body.codePointAt(at) ?? 0;
      const text = String.fromCodePoint(point);
      out.push(...utf8Bytes(text));
      at += text.length;
      continue;
    }
    if (/[uU]/.test(body[at + 1] ?? '')) throw new BadEscape(at);
    const { code, length } = readEscape(body, at, quote);
    out.push(code);
    at += length;
  }
  return Uint8Array.from(out);
}
