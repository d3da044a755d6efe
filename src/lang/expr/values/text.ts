/**
 * Strings as the language sees them: UTF-8 bytes for indices and slices, code points for lengths and order, while they are
 * JavaScript strings underneath. A byte that is no valid UTF-8 (half a character cut off by a slice) is kept as a lone
 * surrogate U+DC80..U+DCFF, so that it is one byte again when bytes are asked for. Knows nothing of values or budgets.
 */
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const LONE_SURROGATE = /\p{Surrogate}/u;

/** With the replacement character for every byte that is no character: how a string leaves the language. */
export function wellFormed(text: string): string {
  return LONE_SURROGATE.test(text) ? text.replace(/\p{Surrogate}/gu, '\ufffd') : text;
}

export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

export function utf8Bytes(text: string): Uint8Array {
  if (!LONE_SURROGATE.test(text)) return encoder.encode(text);
  const out: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (code >= 0xdc80 && code <= 0xdcff) out.push(code - 0xdc00);
    else out.push(...encoder.encode(char));
  }
  return Uint8Array.from(out);
}

export function utf8Length(text: string): number {
  return isAscii(text) ? text.length : utf8Bytes(text).length;
}

export function textOfBytes(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    broken.made = true;
    return decodeLossless(bytes);
  }
}

/** Whether a string with half characters was ever made: as long as not, joining strings needs no second look. */
const broken = { made: false };

export function hasBrokenText(): boolean {
  return broken.made;
}

/** Two strings as one; half characters that meet become whole again. */
export function joinText(left: string, right: string): string {
  const joined = left + right;
  return broken.made && LONE_SURROGATE.test(joined) ? textOfBytes(utf8Bytes(joined)) : joined;
}

function decodeLossless(bytes: Uint8Array): string {
  let out = '';
  for (let at = 0; at < bytes.length; ) {
    const width = sequenceLength(bytes, at);
    out += width === 0 ? String.fromCharCode(0xdc00 + (bytes[at] ?? 0)) : decoder.decode(bytes.subarray(at, at + width));
    at += Math.max(width, 1);
  }
  return out;
}

/** How many bytes the valid character at an offset takes; 0 when there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  const width = lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
  if (width === 0 || at + width > bytes.length) return 0;
  try {
    decoder.decode(bytes.subarray(at, at + width));
    return width;
  } catch {
    return 0;
  }
}

/** Code points; a pair of surrogates is one. */
export function runeCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count--;
      i++;
    }
  }
  return count;
}

/** By code point, which is the order of the UTF-8 bytes; UTF-16 would put U+1F600 before U+FF5E. */
export function compareText(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

export function sliceBytes(text: string, from: number, to: number): string {
  return isAscii(text) ? text.slice(from, to) : textOfBytes(utf8Bytes(text).subarray(from, to));
}

/** The byte offset of a UTF-16 offset; -1 stays -1. */
export function byteOffset(text: string, unit: number): number {
  return unit < 0 ? unit : utf8Length(text.slice(0, unit));
}

const SPACE = '\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const SPACE_ONLY = new RegExp(`[${SPACE}]`);

export function isSpace(char: string): boolean {
  return SPACE_ONLY.test(char);
}

/** From both ends, every character for which `cut` holds; linear, unlike a regular expression anchored at the end. */
export function trimWhile(text: string, cut: (char: string) => boolean): string {
  const chars = isAscii(text) ? text : [...text];
  let from = 0;
  let to = chars.length;
  while (from < to && cut(chars[from] ?? '')) from++;
  while (to > from && cut(chars[to - 1] ?? '')) to--;
  return typeof chars === 'string' ? chars.slice(from, to) : chars.slice(from, to).join('');
}

export function upperCase(text: string): string {
  return isAscii(text) ? text.toUpperCase() : mapRunes(wellFormed(text), (c) => c.toUpperCase());
}

export function lowerCase(text: string): string {
  return isAscii(text) ? text.toLowerCase() : mapRunes(wellFormed(text), (c) => (c === '\u0130' ? 'i' : c.toLowerCase()));
}

/** One character for one: what would become two (ß) stays as it is. */
function mapRunes(text: string, change: (char: string) => string): string {
  let out = '';
  for (const char of text) {
    const changed = change(char);
    out += changed.length === char.length || [...changed].length === 1 ? changed : char;
  }
  return out;
}
