/**
 * Strings as the language sees them: UTF-8 bytes for indices and slices, code points for lengths
 * and order. Underneath they are JavaScript strings. A byte outside of valid UTF-8 (from a slice
 * through a character) is a lone surrogate U+DC80..U+DCFF. Pure.
 */
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Well-formed text for use outside: U+FFFD for every byte outside of a character. */
export function wellFormed(text: string): string {
  return LONE_SURROGATE.test(text) ? text.replace(/\p{Surrogate}/gu, '\ufffd') : text;
}

export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

export function utf8Bytes(text: string): Uint8Array {
  if (!LONE_SURROGATE.test(text)) return encoder.encode(text);
  const bytes = Buffer.allocUnsafe(text.length * 3);
  let end = 0;
  let done = 0;
  for (let at = 0; at < text.length; at++) {
    if (!isLoneByte(text, at)) continue;
    end += bytes.write(text.slice(done, at), end);
    bytes[end++] = text.charCodeAt(at) - 0xdc00;
    done = at + 1;
  }
  end += bytes.write(text.slice(done), end);
  return Uint8Array.from(bytes.subarray(0, end));
}

/** `true` if the unit is a byte outside of a character, not the second half of a pair. */
function isLoneByte(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc80 && unit <= 0xdcff && (text.charCodeAt(at - 1) & 0xfc00) !== 0xd800;
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

/**
 * `made` is `true` once a string with partial characters exists. Until then, joined strings need no
 * repair.
 */
const broken = { made: false };

export function hasBrokenText(): boolean {
  return broken.made;
}

/** Joins two strings. Partial characters that meet become whole again. */
export function joinText(left: string, right: string): string {
  const joined = left + right;
  return broken.made && LONE_SURROGATE.test(joined) ? textOfBytes(utf8Bytes(joined)) : joined;
}

function decodeLossless(bytes: Uint8Array): string {
  let out = '';
  let done = 0;
  for (let at = 0; at < bytes.length; ) {
    const width = sequenceLength(bytes, at);
    at += Math.max(width, 1);
    if (width > 0) continue;
    if (done < at - 1) out += decoder.decode(bytes.subarray(done, at - 1));
    out += String.fromCharCode(0xdc00 + (bytes[at - 1] ?? 0));
    done = at;
  }
  return done < bytes.length ? out + decoder.decode(bytes.subarray(done)) : out;
}

/** Number of bytes of the valid character at an offset; 0 if the character is invalid. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const second = bytes[at + 1] ?? 0;
  // Rejects overlong encodings, surrogates, and code points beyond U+10FFFF.
  const min = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const max = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < min || second > max) return 0;
  const width = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (let i = 2; i < width; i++) if ((bytes[at + i] ?? 0) >> 6 !== 2) return 0;
  return width;
}

/** Number of code points; a surrogate pair counts as one. */
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

/**
 * Compares by code point, which equals the order of the UTF-8 bytes. UTF-16 would put U+1F600
 * before U+FF5E.
 */
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

/** Converts a UTF-16 offset to a byte offset; -1 stays -1. */
export function byteOffset(text: string, unit: number): number {
  return unit < 0 ? unit : utf8Length(text.slice(0, unit));
}

const SPACE = '\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const SPACE_ONLY = new RegExp(`[${SPACE}]`);

export function isSpace(char: string): boolean {
  return SPACE_ONLY.test(char);
}

/**
 * Trims characters for which `cut` is true from both ends. Linear, unlike a regular expression
 * anchored at the end.
 */
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

/** Maps one character to one: a character that would become two (ß) is kept. */
function mapRunes(text: string, change: (char: string) => string): string {
  let out = '';
  for (const char of text) {
    const changed = change(char);
    out += changed.length === char.length || [...changed].length === 1 ? changed : char;
  }
  return out;
}
