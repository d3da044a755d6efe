/** Splits strings at separators from either end, at white space, or at lines. */

import { fail } from '../values/failure.ts';
import type { BuiltinBody } from '../values/function.ts';
import { chargeElements } from '../values/iterate.ts';
import { splitText } from '../values/text/search.ts';
import type { Thread } from '../values/thread.ts';
import { LarkList, typeOf } from '../values/value.ts';
import { positional, wantIndex } from './args.ts';

const SPACE = '[\\t\\n\\v\\f\\r \\x85\\p{Z}]';
const SPACES = new RegExp(`${SPACE}+`, 'gu');
const LEADING = new RegExp(`^${SPACE}+`, 'u');
const WORD_AND_SPACES = new RegExp(`([^${SPACE.slice(1)}+)${SPACE}*`, 'uy');

function splitSpaces(text: string, max: number, from: 'left' | 'right'): string[] {
  const words = text.split(SPACES).filter((word) => word !== '');
  if (max < 0 || words.length <= max) return words;
  return from === 'left' ? spacesFromLeft(text, max) : spacesFromRight(text, words, max);
}

function spacesFromLeft(text: string, max: number): string[] {
  const words: string[] = [];
  let at = LEADING.exec(text)?.[0].length ?? 0;
  while (words.length < max) {
    WORD_AND_SPACES.lastIndex = at;
    const word = WORD_AND_SPACES.exec(text)?.[1];
    if (word === undefined) break;
    words.push(word);
    at = WORD_AND_SPACES.lastIndex;
  }
  return at < text.length ? [...words, text.slice(at)] : words;
}

/** Splits from the right at white space: the last `max` words are pieces of their own. */
function spacesFromRight(text: string, words: readonly string[], max: number): string[] {
  const last = words.slice(words.length - max);
  let end = text.length;
  for (const word of last.toReversed()) end = text.lastIndexOf(word, end - word.length);
  const before = words[words.length - max - 1] ?? '';
  return [text.slice(0, text.lastIndexOf(before, end - before.length) + before.length), ...last];
}

function splitAt(thread: Thread, text: string, separator: string, max: number, from: 'left' | 'right'): string[] {
  const parts = splitText(thread, text, separator);
  if (max < 0 || parts.length <= max + 1) return parts;
  if (from === 'left') return [...parts.slice(0, max), parts.slice(max).join(separator)];
  const cut = parts.length - max;
  return [parts.slice(0, cut).join(separator), ...parts.slice(cut)];
}

/**
 * Splits a string at a separator: by whole characters, or by bytes if the separator is part of a
 * character.
 */
export function separated(thread: Thread, text: string, separator: string, cut: (text: string, separator: string) => string[]): string[] {
  const { strings } = thread;
  if (!strings.isPart(separator)) return cut(text, separator);
  return cut(strings.of(text), strings.of(separator)).map((part) => strings.from(part));
}

/** `split` and `rsplit`. */
export function splitMethod(name: 'split' | 'rsplit'): BuiltinBody {
  const from = name === 'split' ? 'left' : 'right';
  return (thread, args, named, self) => {
    if (typeof self !== 'string') return fail(`${name}: not a string`);
    const [sep = null, maxsplit] = positional(name, args, named, 0, 2);
    const max = maxsplit === undefined ? -1 : wantIndex(name, 2, maxsplit);
    thread.spend(self.length >> 3);
    let parts: string[];
    if (sep === null) {
      thread.weigh(self.length * 4);
      parts = splitSpaces(self, max, from);
    } else {
      if (typeof sep !== 'string') return fail(`split: got ${typeOf(sep)} for separator, want string`);
      if (sep === '') fail('split: empty separator');
      parts = separated(thread, self, sep, (text, separator) => splitAt(thread, text, separator, max, from));
    }
    chargeElements(thread, parts.length * 2);
    return new LarkList(parts);
  };
}

export function splitLines(thread: Thread, text: string, keep: boolean): string[] {
  if (text === '') return [];
  thread.spend(text.length >> 5);
  const lines = splitText(thread, text, '\n');
  const closed = lines.at(-1) === '';
  if (closed) lines.pop();
  return keep ? lines.map((line, i) => (i < lines.length - 1 || closed ? `${line}\n` : line)) : lines;
}
