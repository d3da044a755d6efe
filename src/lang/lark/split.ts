/** Splitting strings: at separators from either end, at white space, at lines. */
import { positional, wantIndex } from './args.ts';
import { fail } from './failure.ts';
import { chargeElements } from './iterate.ts';
import { type BuiltinBody, LarkList, typeOf } from './value.ts';

const SPACES = /[\t\n\v\f\r \x85\p{Z}]+/gu;

function splitSpaces(text: string, most: number, from: 'left' | 'right'): string[] {
  const words = text.split(SPACES).filter((word) => word !== '');
  if (most < 0 || words.length <= most) return words;
  return from === 'left' ? spacesFromLeft(text, most) : spacesFromRight(text, most);
}

function spacesFromLeft(text: string, most: number): string[] {
  const words: string[] = [];
  let rest = text.replace(/^[\t\n\v\f\r \x85\p{Z}]+/u, '');
  while (words.length < most) {
    const gap = /[\t\n\v\f\r \x85\p{Z}]+/u.exec(rest);
    if (gap === null) break;
    words.push(rest.slice(0, gap.index));
    rest = rest.slice(gap.index + gap[0].length);
  }
  return [...words, rest];
}

function spacesFromRight(text: string, most: number): string[] {
  const gaps = [...text.trimEnd().matchAll(SPACES)].slice(-most || Number.POSITIVE_INFINITY);
  const words: string[] = [];
  let end = text.trimEnd().length;
  for (const gap of gaps.reverse()) {
    words.unshift(text.slice(gap.index + gap[0].length, end));
    end = gap.index;
  }
  return [text.slice(0, end), ...words];
}

function splitAt(text: string, separator: string, most: number, from: 'left' | 'right'): string[] {
  const parts = text.split(separator);
  if (most < 0 || parts.length <= most + 1) return parts;
  if (from === 'left') return [...parts.slice(0, most), parts.slice(most).join(separator)];
  const cut = parts.length - most;
  return [parts.slice(0, cut).join(separator), ...parts.slice(cut)];
}

/** `split` and `rsplit`. */
export function splitMethod(name: 'split' | 'rsplit'): BuiltinBody {
  const from = name === 'split' ? 'left' : 'right';
  return (thread, args, named, self) => {
    if (typeof self !== 'string') return fail(`${name}: not a string`);
    const [sep = null, maxsplit] = positional(name, args, named, 0, 2);
    const most = maxsplit === undefined ? -1 : wantIndex(name, 2, maxsplit);
    thread.spend(self.length >> 3);
    let parts: string[];
    if (sep === null) {
      parts = splitSpaces(self, most, from);
    } else {
      if (typeof sep !== 'string') return fail(`split: got ${typeOf(sep)} for separator, want string`);
      const separator = sep;
      if (separator === '') fail('split: empty separator');
      parts = splitAt(self, separator, most, from);
    }
    chargeElements(thread, parts.length * 2);
    return new LarkList(parts);
  };
}

export function splitLines(text: string, keep: boolean): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  const closed = lines.at(-1) === '';
  if (closed) lines.pop();
  return keep ? lines.map((line, i) => (i < lines.length - 1 || closed ? `${line}\n` : line)) : lines;
}
