/**
 * Methods of strings. Positions count bytes. Growth is charged before it happens; searches cost
 * steps.
 */

import { fail } from '../values/failure.ts';
import type { BuiltinBody } from '../values/function.ts';
import { subrange } from '../values/indexing.ts';
import { chargeElements, wantElements } from '../values/iterate.ts';
import { capitalize, isCased, isTitle, lowerCase, titleCase, upperCase } from '../values/text/letter-case.ts';
import { finderOf, firstOf, lastOf } from '../values/text/search.ts';
import { CHAR_BYTES } from '../values/text/text.ts';
import { fromBytes, isAscii, runeOf } from '../values/text/utf8.ts';
import type { Thread } from '../values/thread.ts';
import { LarkList, LarkTuple, type LarkValue, typeOf } from '../values/value.ts';
import { StringCodepoints, StringElements } from '../values/views.ts';
import { positional, wantBool, wantIndex, wantString } from './args.ts';
import { formatBraces } from './format-braces.ts';
import { separated, splitLines, splitMethod } from './split.ts';

type StringMethod = (thread: Thread, text: string, args: readonly LarkValue[]) => LarkValue;

function method(name: string, min: number, max: number, body: StringMethod): [string, BuiltinBody] {
  return [
    name,
    (thread, args, named, self) => {
      positional(name, args, named, min, max);
      if (typeof self !== 'string') return fail(`${name}: not a string`);
      thread.spend(self.length >> 5);
      return body(thread, self, args);
    },
  ];
}

const grown = (thread: Thread, text: string): string => {
  thread.charge(16 + text.length * CHAR_BYTES);
  return text;
};

/** Steps of visiting a character, and of converting one to title case. */
const CHARACTER_STEPS = 4;
const TITLE_STEPS = 16;

/** Converting letters beyond ASCII is slow. */
function payForLetters(thread: Thread, text: string): true {
  thread.spend(isAscii(text) ? text.length >> 4 : text.length >> 1);
  return true;
}

function letters(name: string, map: (text: string, pay: (steps: number) => void) => string): [string, BuiltinBody] {
  return method(name, 0, 0, (thread, text) => {
    payForLetters(thread, text);
    return grown(
      thread,
      map(text, (steps) => thread.spend(steps)),
    );
  });
}

/** Tests each character. */
const test = (name: string, holds: (text: string) => boolean): [string, BuiltinBody] =>
  method(name, 0, 0, (thread, text) => {
    thread.spend(text.length >> 2);
    return holds(text);
  });

/** `find`, `rfind`, `index` and `rindex`. */
function search(name: string, from: 'start' | 'end', missing: () => LarkValue): [string, BuiltinBody] {
  return method(name, 1, 3, (thread, text, [sub = null, low, high]) => {
    const { strings } = thread;
    const needle = strings.of(wantString(name, 1, sub));
    const bytes = strings.of(text);
    const [start, stop] = subrange(name, low, high, bytes.length);
    const part = bytes.slice(start, stop);
    const at = from === 'start' ? firstOf(thread, part, needle) : lastOf(thread, part, needle);
    return at < 0 ? missing() : at + start;
  });
}

function affix(name: string, matches: (part: string, affix: string) => boolean): [string, BuiltinBody] {
  return method(name, 1, 3, (thread, text, [needle = null, low, high]) => {
    const { strings } = thread;
    const bytes = strings.of(text);
    const [start, stop] = subrange(name, low, high, bytes.length);
    const part = bytes.slice(start, stop);
    if (typeof needle === 'string') thread.spend(needle.length >> 6);
    if (typeof needle === 'string') return matches(part, strings.of(needle));
    if (!(needle instanceof LarkTuple)) return fail(`${name}: got ${typeOf(needle)}, want string or tuple of string`);
    return needle.items.some((item, i) => {
      if (typeof item !== 'string') return fail(`${name}: want string, got ${typeOf(item)}, for element ${i}`);
      thread.spend(1 + (item.length >> 6));
      return matches(part, strings.of(item));
    });
  });
}

const SPACE = '[\\t\\n\\v\\f\\r \\x85\\p{Z}]';
const IS_SPACE = new RegExp(`^${SPACE}+$`, 'u');

/** The character that ends before a position. */
function pointBefore(text: string, end: number): string {
  const pair = text.slice(Math.max(0, end - 2), end);
  return (pair.codePointAt(0) ?? 0) > 0xffff ? pair : text.charAt(end - 1);
}

function strip(name: string, sides: 'left' | 'right' | 'both'): [string, BuiltinBody] {
  return method(name, 0, 1, (thread, text, [cutset = '']) => {
    const cut = wantString(name, 1, cutset);
    thread.spend(cut.length * CHARACTER_STEPS);
    const runes = cut === '' ? undefined : new Set([...cut].map(runeOf));
    const drop = (point: string): boolean => {
      thread.spend(CHARACTER_STEPS);
      return runes === undefined ? IS_SPACE.test(point) : runes.has(runeOf(point));
    };
    let from = 0;
    let to = text.length;
    if (sides !== 'right') {
      for (const point of text) {
        if (!drop(point)) break;
        from += point.length;
      }
    }
    if (sides !== 'left') {
      for (let point = pointBefore(text, to); to > from && drop(point); point = pointBefore(text, to)) to -= point.length;
    }
    return text.slice(from, to);
  });
}

function partition(
  name: string,
  find: (thread: Thread, text: string, separator: string) => number,
  missing: (text: string) => string[],
): [string, BuiltinBody] {
  return method(name, 1, 1, (thread, text, [sep = null]) => {
    const separator = wantString(name, 1, sep);
    if (separator === '') fail(`${name}: empty separator`);
    const parts = separated(thread, text, separator, (whole, needle) => {
      const at = find(thread, whole, needle);
      return at < 0 ? missing(whole) : [whole.slice(0, at), needle, whole.slice(at + needle.length)];
    });
    return new LarkTuple(parts);
  });
}

/** Number of non-overlapping occurrences of a string in another, up to a limit. */
function occurrences(thread: Thread, text: string, needle: string, max: number): number {
  let count = 0;
  const find = finderOf(thread, text, needle);
  for (let at = find(0); at >= 0 && count < max; at = find(at + needle.length)) {
    if (--thread.slice < 0) thread.tick();
    count++;
  }
  return count;
}

function replace(thread: Thread, text: string, [oldValue = null, newValue = null, countValue]: readonly LarkValue[]): LarkValue {
  const old = wantString('replace', 1, oldValue);
  const fresh = wantString('replace', 2, newValue);
  const count = countValue === undefined ? -1 : wantIndex('replace', 3, countValue);
  const max = count < 0 ? Number.POSITIVE_INFINITY : count;
  const { strings } = thread;
  if (!strings.isPart(old)) return strings.joined(replaced(thread, text, old, fresh, max));
  return strings.from(replaced(thread, strings.of(text), strings.of(old), strings.of(fresh), max));
}

function replaced(thread: Thread, text: string, old: string, fresh: string, max: number): string {
  const times = old === '' ? Math.min(max, text.length + 1) : occurrences(thread, text, old, max);
  thread.charge(16 + (text.length + times * Math.max(0, fresh.length - old.length)) * CHAR_BYTES);
  if (times === 0) return text;
  if (old === '') return between(thread, text, fresh, times);
  const find = finderOf(thread, text, old);
  let out = '';
  let done = 0;
  for (let i = 0; i < times; i++) {
    thread.spend(CHARACTER_STEPS);
    const at = find(done);
    out += text.slice(done, at) + fresh;
    done = at + old.length;
  }
  return out + text.slice(done);
}

/** Inserts between all characters and at both ends, as replacing the empty string does. */
function between(thread: Thread, text: string, fresh: string, times: number): string {
  let out = '';
  let left = times;
  for (const point of text) {
    thread.spend(CHARACTER_STEPS);
    out += left-- > 0 ? fresh + point : point;
  }
  return left > 0 ? out + fresh : out;
}

function join(thread: Thread, text: string, [value = null]: readonly LarkValue[]): LarkValue {
  const items = wantElements(thread, value, 'join: for parameter 1');
  let length = 0;
  for (const item of items) {
    if (typeof item !== 'string') return fail(`join: in list, want string, got ${typeOf(item)}`);
    length += item.length + text.length;
  }
  thread.charge(length * CHAR_BYTES);
  thread.spend(items.length + (length >> 5));
  return thread.strings.joined(items.join(text));
}

function count(thread: Thread, text: string, [sub = null, low, high]: readonly LarkValue[]): LarkValue {
  const { strings } = thread;
  const needle = strings.of(wantString('count', 1, sub));
  const bytes = strings.of(text);
  const [start, stop] = subrange('count', low, high, bytes.length);
  const part = bytes.slice(start, stop);
  if (needle === '') thread.spend(part.length * CHARACTER_STEPS);
  return needle === '' ? [...fromBytes(part)].length + 1 : occurrences(thread, part, needle, Number.POSITIVE_INFINITY);
}

function elements(name: string, kind: 'strings' | 'ords'): [string, BuiltinBody] {
  return method(name, 0, 0, (thread, text) => {
    const { strings } = thread;
    const bytes = strings.of(text);
    if (bytes !== text) {
      thread.charge(bytes.length);
      strings.cut = true;
    }
    return new StringElements(text, bytes, kind === 'ords');
  });
}

/** `removeprefix` and `removesuffix`. */
function without(name: string, rest: (text: string, affix: string) => string): [string, BuiltinBody] {
  return method(name, 1, 1, (thread, text, [affix = null]) => {
    return separated(thread, text, wantString(name, 1, affix), (whole, needle) => [rest(whole, needle)])[0] ?? text;
  });
}

const view = (name: string, make: (text: string) => LarkValue): [string, BuiltinBody] => method(name, 0, 0, (_thread, text) => make(text));

export const STRING_METHODS: ReadonlyMap<string, BuiltinBody> = new Map<string, BuiltinBody>([
  letters('capitalize', capitalize),
  view('codepoint_ords', (text) => new StringCodepoints(text, true)),
  view('codepoints', (text) => new StringCodepoints(text, false)),
  method('count', 1, 3, count),
  elements('elem_ords', 'ords'),
  elements('elems', 'strings'),
  affix('endswith', (part, suffix) => part.endsWith(suffix)),
  search('find', 'start', () => -1),
  ['format', (thread, args, named, self) => (typeof self === 'string' ? prefixed(thread, self, args, named) : null)],
  search('index', 'start', () => fail('index: substring not found')),
  test('isalnum', (text) => /^[\p{L}\p{Nd}]+$/u.test(text)),
  test('isalpha', (text) => /^\p{L}+$/u.test(text)),
  test('isdigit', (text) => /^\p{Nd}+$/u.test(text)),
  test('islower', (text) => isCased(text) && lowerCase(text) === text),
  test('isspace', (text) => IS_SPACE.test(text)),
  method('istitle', 0, 0, (thread, text) => {
    thread.spend(text.length * TITLE_STEPS);
    return isTitle(text);
  }),
  method(
    'isupper',
    0,
    0,
    (thread, text) => payForLetters(thread, text) && isCased(text) && upperCase(text, (steps) => thread.spend(steps)) === text,
  ),
  method('join', 1, 1, join),
  letters('lower', lowerCase),
  strip('lstrip', 'left'),
  partition('partition', firstOf, (text) => [text, '', '']),
  without('removeprefix', (text, prefix) => (text.startsWith(prefix) ? text.slice(prefix.length) : text)),
  without('removesuffix', (text, suffix) => (text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text)),
  method('replace', 2, 3, replace),
  search('rfind', 'end', () => -1),
  search('rindex', 'end', () => fail('rindex: substring not found')),
  partition('rpartition', lastOf, (text) => ['', '', text]),
  ['rsplit', splitMethod('rsplit')],
  strip('rstrip', 'right'),
  ['split', splitMethod('split')],
  [
    'splitlines',
    (thread, args, named, self) => {
      const [keep] = positional('splitlines', args, named, 0, 1);
      if (typeof self !== 'string') return fail('splitlines: not a string');
      const lines = splitLines(thread, self, keep === undefined ? false : wantBool('splitlines', 1, keep));
      chargeElements(thread, lines.length);
      return new LarkList(lines);
    },
  ],
  affix('startswith', (part, prefix) => part.startsWith(prefix)),
  strip('strip', 'both'),
  letters('title', (text, pay) => {
    pay(text.length * TITLE_STEPS);
    return titleCase(text);
  }),
  letters('upper', upperCase),
]);

function prefixed(thread: Thread, text: string, args: readonly LarkValue[], named: Parameters<typeof formatBraces>[3]): LarkValue {
  try {
    return formatBraces(thread, text, args, named);
  } catch (error) {
    if (error instanceof Error && error.constructor.name === 'LarkFailure') error.message = `format: ${error.message}`;
    throw error;
  }
}
