/**
 * Scans string and bytes literals: quotes, triple quotes, raw literals, and escapes. A string
 * literal is always valid text; a bytes literal is UTF-8 plus any byte by its escape.
 */
import { SyntaxProblem } from './syntax-problem.ts';

export interface ScannedString {
  readonly value: string | Uint8Array;
  readonly end: number;
}

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
};

/** Number of digits of each numeric escape. */
const WIDTH: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

export function scanString(text: string, at: number, prefix: string): ScannedString {
  const open = at + prefix.length;
  const quote = text.charAt(open);
  const triple = text.startsWith(quote.repeat(3), open);
  const from = open + (triple ? 3 : 1);
  const close = findClose(text, from, quote, triple);
  const end = close + (triple ? 3 : 1);
  const body = text.slice(from, close).replace(/\r\n?/g, '\n');
  const raw = prefix.includes('r');
  const bytes = prefix.includes('b');
  if (raw || !body.includes('\\')) return { value: bytes ? new TextEncoder().encode(body) : body, end };
  return { value: bytes ? unescapeBytes(body, at) : unescapeText(body, at), end };
}

function findClose(text: string, from: number, quote: string, triple: boolean): number {
  for (let at = from; at < text.length; at++) {
    const c = text.charAt(at);
    if (c === '\\') {
      at += text.startsWith('\r\n', at + 1) ? 2 : 1;
      continue;
    }
    if (c === quote && (!triple || text.startsWith(quote.repeat(3), at))) return at;
    if (c === '\n' && !triple) throw new SyntaxProblem(at, 'unexpected newline in string');
  }
  throw new SyntaxProblem(text.length, 'unexpected EOF in string');
}

interface Escape {
  readonly kind: 'text' | 'byte' | 'point';
  readonly text: string;
  readonly code: number;
  /** Number of characters after the backslash. */
  readonly length: number;
}

function readEscape(body: string, slash: number, at: number): Escape {
  const c = body.charAt(slash + 1);
  const simple = SIMPLE[c];
  if (simple !== undefined) return { kind: 'text', text: simple, code: 0, length: 1 };
  if (c >= '0' && c <= '7') {
    const digits = /^[0-7]{1,3}/.exec(body.slice(slash + 1, slash + 4))?.[0] ?? '';
    const code = Number.parseInt(digits, 8);
    return { kind: 'byte', text: `\\${digits}`, code, length: digits.length };
  }
  const width = WIDTH[c];
  if (width === undefined) throw new SyntaxProblem(at, `invalid escape sequence \\${c}`);
  const digits = body.slice(slash + 2, slash + 2 + width);
  if (digits.length < width) throw new SyntaxProblem(at, `truncated escape sequence \\${c}${digits}`);
  if (!/^[0-9a-fA-F]+$/.test(digits)) throw new SyntaxProblem(at, `invalid escape sequence \\${c}${digits}`);
  const code = Number.parseInt(digits, 16);
  if (c === 'x') return { kind: 'byte', text: `\\x${digits}`, code, length: 3 };
  if (code > 0x10ffff) throw new SyntaxProblem(at, `code point out of range: \\${c}${digits} (max \\U0010ffff)`);
  if (code >= 0xd800 && code < 0xe000) {
    throw new SyntaxProblem(at, `invalid Unicode code point U+${digits.toUpperCase().slice(-4)}`);
  }
  return { kind: 'point', text: String.fromCodePoint(code), code, length: width + 1 };
}

function unescapeText(body: string, at: number): string {
  let out = '';
  let done = 0;
  for (let slash = body.indexOf('\\'); slash >= 0; slash = body.indexOf('\\', done)) {
    const decoded = readEscape(body, slash, at);
    if (decoded.kind === 'byte' && decoded.code > 127) {
      const code = decoded.code.toString(16).toUpperCase().padStart(4, '0');
      const kind = decoded.text.startsWith('\\x') ? 'hex' : 'octal';
      throw new SyntaxProblem(at, `non-ASCII ${kind} escape ${decoded.text} (use \\u${code} for the UTF-8 encoding of U+${code})`);
    }
    out += body.slice(done, slash) + (decoded.kind === 'byte' ? String.fromCharCode(decoded.code) : decoded.text);
    done = slash + 1 + decoded.length;
  }
  return out + body.slice(done);
}

function unescapeBytes(body: string, at: number): Uint8Array {
  const encoder = new TextEncoder();
  const out: number[] = [];
  let done = 0;
  for (let slash = body.indexOf('\\'); slash >= 0; slash = body.indexOf('\\', done)) {
    const decoded = readEscape(body, slash, at);
    out.push(...encoder.encode(body.slice(done, slash)));
    if (decoded.code > 255 && decoded.kind === 'byte') throw new SyntaxProblem(at, `invalid escape sequence ${decoded.text}`);
    if (decoded.kind === 'byte') out.push(decoded.code);
    else out.push(...encoder.encode(decoded.text));
    done = slash + 1 + decoded.length;
  }
  out.push(...encoder.encode(body.slice(done)));
  return Uint8Array.from(out);
}
