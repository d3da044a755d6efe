/** JSON whose numbers keep their digits. Never makes a JavaScript number of a value. Pure. */

/** A number as the text of the response has it. */
export class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

export type Exact = null | boolean | string | Digits | readonly Exact[] | { readonly [name: string]: Exact };
export type ExactObject = { readonly [name: string]: Exact };

type Reviver = (this: unknown, key: string, value: unknown, context?: { readonly source: string }) => unknown;
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;

const TOKEN = /"(?:[^"\\]|\\.)*"(?:\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Precedes the digits in a text that replaces a number, and texts that begin with it. */
const MARK = '\\u0000';

const hasSource = ((): boolean => {
  let source: string | undefined;
  parseWithSource('1', (_, value, context) => {
    source = context?.source;
    return value;
  });
  return source === '1';
})();

/** Parses JSON. Throws a SyntaxError if the text is not JSON. */
export function parseExact(text: string): Exact {
  return (hasSource ? parseBySource(text) : parseByMarks(text)) as Exact;
}

function parseBySource(text: string): unknown {
  return parseWithSource(text, (_, value, context) => (typeof value === 'number' ? new Digits(context?.source ?? String(value)) : value));
}

/** For browsers whose JSON.parse does not pass the source text of numbers. */
export function parseByMarks(text: string): unknown {
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith('"')) return token.startsWith(`"${MARK}`) && !token.endsWith(':') ? `"${MARK}s${token.slice(1)}` : token;
    return `"${MARK}n${token}"`;
  });
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith('\0')) return value;
    return value[1] === 'n' ? new Digits(value.slice(2)) : value.slice(2);
  });
}

export const isObject = (value: Exact | undefined): value is ExactObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Digits);

/** Writes JSON. With an indent the result has line breaks. */
export function writeExact(value: Exact, indent = ''): string {
  return write(value, indent, indent === '' ? '' : '\n');
}

function write(value: Exact, indent: string, newline: string): string {
  if (value instanceof Digits) return value.text;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const inner = newline + indent;
  const list = Array.isArray(value);
  const items = list
    ? (value as readonly Exact[]).map((item) => write(item, indent, inner))
    : Object.entries(value as ExactObject).map(
        ([name, item]) => `${JSON.stringify(name)}:${indent === '' ? '' : ' '}${write(item, indent, inner)}`,
      );
  const [open, close] = list ? '[]' : '{}';
  if (items.length === 0) return `${open}${close}`;
  return `${open}${inner}${items.join(`,${inner}`)}${newline}${close}`;
}
