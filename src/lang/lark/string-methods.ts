/** The methods of strings. Positions count UTF-16 units; what grows is charged first, what searches is paid in steps. */
import { positional, wantBool, wantIndex, wantString } from './args.ts';
import { fail } from './failure.ts';
import { formatBraces } from './format-braces.ts';
import { subrange } from './indexing.ts';
import { chargeElements, wantElements } from './iterate.ts';
import { capitalize, isTitle, titleCase } from './letter-case.ts';
import { splitLines, splitMethod } from './split.ts';
import { CHAR_BYTES } from './text.ts';
import type { Thread } from './thread.ts';
import { type BuiltinBody, LarkList, LarkTuple, typeOf, type Value } from './value.ts';
import { StringCodepoints, StringElements } from './views.ts';

type StringMethod = (thread: Thread, text: string, args: readonly Value[]) => Value;

function method(name: string, least: number, most: number, body: StringMethod): [string, BuiltinBody] {
  return [
    name,
    (thread, args, named, self) => {
      positional(name, args, named, least, most);
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

const test = (name: string, pattern: RegExp): [string, BuiltinBody] => method(name, 0, 0, (_thread, text) => pattern.test(text));

/** `find`, `rfind`, `index` and `rindex`. */
function search(name: string, from: 'start' | 'end', missing: () => Value): [string, BuiltinBody] {
  return method(name, 1, 3, (_thread, text, [sub = null, low, high]) => {
    const wanted = wantString(name, 1, sub);
    const [start, stop] = subrange(name, low, high, text.length);
    const part = text.slice(start, stop);
    const at = from === 'start' ? part.indexOf(wanted) : part.lastIndexOf(wanted);
    return at < 0 ? missing() : at + start;
  });
}

function affix(name: string, matches: (part: string, affix: string) => boolean): [string, BuiltinBody] {
  return method(name, 1, 3, (_thread, text, [wanted = null, low, high]) => {
    const [start, stop] = subrange(name, low, high, text.length);
    const part = text.slice(start, stop);
    if (typeof wanted === 'string') return matches(part, wanted);
    if (!(wanted instanceof LarkTuple)) return fail(`${name}: got ${typeOf(wanted)}, want string or tuple of string`);
    return wanted.items.some((item, i) => {
      if (typeof item !== 'string') return fail(`${name}: want string, got ${typeOf(item)}, for element ${i}`);
      return matches(part, item);
    });
  });
}

const SPACE = '[\\t\\n\\v\\f\\r \\x85\\p{Z}]';
const LEADING = new RegExp(`^${SPACE}+`, 'u');

function strip(name: string, sides: 'left' | 'right' | 'both'): [string, BuiltinBody] {
  return method(name, 0, 1, (_thread, text, [cutset = '']) => {
    const cut = wantString(name, 1, cutset);
    const chars = cut === '' ? undefined : new Set(cut);
    const points = [...text];
    const drop = (point: string | undefined): boolean =>
      point !== undefined && (chars === undefined ? LEADING.test(point) : chars.has(point));
    let from = 0;
    let to = points.length;
    if (sides !== 'right') while (from < to && drop(points[from])) from++;
    if (sides !== 'left') while (to > from && drop(points[to - 1])) to--;
    return points.slice(from, to).join('');
  });
}

function partition(
  name: string,
  find: (text: string, separator: string) => number,
  missing: (text: string) => Value[],
): [string, BuiltinBody] {
  return method(name, 1, 1, (_thread, text, [sep = null]) => {
    const separator = wantString(name, 1, sep);
    if (separator === '') fail(`${name}: empty separator`);
    const at = find(text, separator);
    return new LarkTuple(at < 0 ? missing(text) : [text.slice(0, at), separator, text.slice(at + separator.length)]);
  });
}

/** How often a text occurs in another, without overlap, as far as anybody wants to know. */
function occurrences(thread: Thread, text: string, wanted: string, most: number): number {
  let found = 0;
  for (let at = text.indexOf(wanted); at >= 0 && found < most; at = text.indexOf(wanted, at + wanted.length)) {
    if (--thread.slice < 0) thread.tick();
    found++;
  }
  return found;
}

function replace(thread: Thread, text: string, [oldValue = null, newValue = null, countValue]: readonly Value[]): Value {
  const old = wantString('replace', 1, oldValue);
  const fresh = wantString('replace', 2, newValue);
  const count = countValue === undefined ? -1 : wantIndex('replace', 3, countValue);
  const most = count < 0 ? Number.POSITIVE_INFINITY : count;
  const times = old === '' ? Math.min(most, text.length + 1) : occurrences(thread, text, old, most);
  thread.charge(16 + (text.length + times * Math.max(0, fresh.length - old.length)) * CHAR_BYTES);
  if (times === 0) return text;
  if (old === '') return between(thread, text, fresh, times);
  if (most === Number.POSITIVE_INFINITY) return text.replaceAll(old, fresh.replaceAll('$', '$$$$'));
  let out = '';
  let done = 0;
  for (let i = 0; i < times; i++) {
    const at = text.indexOf(old, done);
    out += text.slice(done, at) + fresh;
    done = at + old.length;
  }
  return out + text.slice(done);
}

/** Before every character and at the end, as replacing nothing does. */
function between(thread: Thread, text: string, fresh: string, times: number): string {
  let out = '';
  let left = times;
  for (const point of text) {
    if (--thread.slice < 0) thread.tick();
    out += left-- > 0 ? fresh + point : point;
  }
  return left > 0 ? out + fresh : out;
}

function join(thread: Thread, text: string, [value = null]: readonly Value[]): Value {
  const items = wantElements(thread, value, 'join: for parameter 1');
  let length = 0;
  for (const item of items) {
    if (typeof item !== 'string') return fail(`join: in list, want string, got ${typeOf(item)}`);
    length += item.length + text.length;
  }
  thread.charge(length * CHAR_BYTES);
  return items.join(text);
}

function count(_thread: Thread, text: string, [sub = null, low, high]: readonly Value[]): Value {
  const wanted = wantString('count', 1, sub);
  const [start, stop] = subrange('count', low, high, text.length);
  const part = text.slice(start, stop);
  return wanted === '' ? [...part].length + 1 : part.split(wanted).length - 1;
}

const view = (name: string, make: (text: string) => Value): [string, BuiltinBody] => method(name, 0, 0, (_thread, text) => make(text));

export const STRING_METHODS: ReadonlyMap<string, BuiltinBody> = new Map<string, BuiltinBody>([
  method('capitalize', 0, 0, (thread, text) => grown(thread, capitalize(text))),
  view('codepoint_ords', (text) => new StringCodepoints(text, true)),
  view('codepoints', (text) => new StringCodepoints(text, false)),
  method('count', 1, 3, count),
  view('elem_ords', (text) => new StringElements(text, true)),
  view('elems', (text) => new StringElements(text, false)),
  affix('endswith', (part, suffix) => part.endsWith(suffix)),
  search('find', 'start', () => -1),
  ['format', (thread, args, named, self) => (typeof self === 'string' ? prefixed(thread, self, args, named) : null)],
  search('index', 'start', () => fail('index: substring not found')),
  test('isalnum', /^[\p{L}\p{Nd}]+$/u),
  test('isalpha', /^\p{L}+$/u),
  test('isdigit', /^\p{Nd}+$/u),
  method('islower', 0, 0, (_thread, text) => /[\p{Ll}\p{Lu}\p{Lt}]/u.test(text) && !/[\p{Lu}\p{Lt}]/u.test(text)),
  test('isspace', new RegExp(`^${SPACE}+$`, 'u')),
  method('istitle', 0, 0, (_thread, text) => isTitle(text)),
  method('isupper', 0, 0, (_thread, text) => /[\p{Ll}\p{Lu}\p{Lt}]/u.test(text) && !/[\p{Ll}\p{Lt}]/u.test(text)),
  method('join', 1, 1, join),
  method('lower', 0, 0, (thread, text) => grown(thread, text.toLowerCase())),
  strip('lstrip', 'left'),
  partition(
    'partition',
    (text, sep) => text.indexOf(sep),
    (text) => [text, '', ''],
  ),
  method('removeprefix', 1, 1, (_thread, text, [prefix = null]) => {
    const wanted = wantString('removeprefix', 1, prefix);
    return text.startsWith(wanted) ? text.slice(wanted.length) : text;
  }),
  method('removesuffix', 1, 1, (_thread, text, [suffix = null]) => {
    const wanted = wantString('removesuffix', 1, suffix);
    return wanted !== '' && text.endsWith(wanted) ? text.slice(0, -wanted.length) : text;
  }),
  method('replace', 2, 3, replace),
  search('rfind', 'end', () => -1),
  search('rindex', 'end', () => fail('rindex: substring not found')),
  partition(
    'rpartition',
    (text, sep) => text.lastIndexOf(sep),
    (text) => ['', '', text],
  ),
  ['rsplit', splitMethod('rsplit')],
  strip('rstrip', 'right'),
  ['split', splitMethod('split')],
  [
    'splitlines',
    (thread, args, named, self) => {
      const [keep] = positional('splitlines', args, named, 0, 1);
      if (typeof self !== 'string') return fail('splitlines: not a string');
      const lines = splitLines(self, keep === undefined ? false : wantBool('splitlines', 1, keep));
      chargeElements(thread, lines.length);
      return new LarkList(lines);
    },
  ],
  affix('startswith', (part, prefix) => part.startsWith(prefix)),
  strip('strip', 'both'),
  method('title', 0, 0, (thread, text) => grown(thread, titleCase(text))),
  method('upper', 0, 0, (thread, text) => grown(thread, text.toUpperCase())),
]);

function prefixed(thread: Thread, text: string, args: readonly Value[], named: Parameters<typeof formatBraces>[3]): Value {
  try {
    return formatBraces(thread, text, args, named);
  } catch (error) {
    if (error instanceof Error && error.constructor.name === 'LarkFailure') error.message = `format: ${error.message}`;
    throw error;
  }
}
