/** How strings and bytes are written as literals, and how bytes are read as UTF-8. */
const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};
/** Everything that is not shown as itself: controls, separators but the space, unassigned code points, lone surrogates. */
const SPECIAL = /[\p{C}\p{Z}"\\]/gu;
const PLAIN = /^[ !#-[\]-~]*$/;

function escaped(point: string): string {
  if (point === ' ') return point;
  const known = ESCAPES[point];
  if (known !== undefined) return known;
  const code = point.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

export function quote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : `"${text.replace(SPECIAL, escaped)}"`;
}

/** Half of a surrogate pair is no character: it becomes U+FFFD. */
export function characterOf(code: number): string {
  return String.fromCodePoint(code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
}

interface Decoded {
  readonly code: number;
  readonly length: number;
}

const INVALID: Decoded = { code: -1, length: 1 };

/** One code point of UTF-8, or -1 for a byte that begins none. */
function decodeAt(data: Uint8Array, at: number): Decoded {
  const first = data[at] ?? 0;
  if (first < 0x80) return { code: first, length: 1 };
  const length = first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > data.length) return INVALID;
  let code = first & (0xff >> (length + 1));
  for (let i = 1; i < length; i++) {
    const next = data[at + i] ?? 0;
    if (next >> 6 !== 2) return INVALID;
    code = (code << 6) | (next & 0x3f);
  }
  const tooSmall = (length === 3 && code < 0x800) || (length === 4 && code < 0x10000);
  return tooSmall || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? INVALID : { code, length };
}

/** Reads UTF-8, with U+FFFD for every byte that is not. */
export function decodeUtf8(data: Uint8Array): string {
  let text = '';
  for (let at = 0; at < data.length; ) {
    const { code, length } = decodeAt(data, at);
    text += code < 0 ? '\ufffd' : String.fromCodePoint(code);
    at += length;
  }
  return text;
}

export function quoteBytes(data: Uint8Array): string {
  let text = '';
  for (let at = 0; at < data.length; ) {
    const { code, length } = decodeAt(data, at);
    text += code < 0 ? `\\x${(data[at] ?? 0).toString(16).padStart(2, '0')}` : String.fromCodePoint(code).replace(SPECIAL, escaped);
    at += length;
  }
  return `b"${text}"`;
}
