/** Strings as bytes: every operation on a string equals the same operation on its bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/lang/budget.ts';
import { compileLark, executeWith, makeThread, runLark } from '../../../src/lang/lark/index.ts';
import { setOf } from '../../../src/lang/lark/values/table.ts';
import {
  ByteStrings,
  byteString,
  compareText,
  decode,
  fromBytes,
  isAscii,
  isCut,
  joinCut,
  mend,
  readable,
  toBytes,
} from '../../../src/lang/lark/values/text/utf8.ts';
import { LarkList, LarkTuple, type LarkValue } from '../../../src/lang/lark/values/value.ts';

/**
 * Frequent edge cases: ASCII, whole and partial characters, invalid bytes, and code points next to
 * the surrogates.
 */
const piece = fc.oneof(
  fc
    .constantFrom('a', 'b', ' ', 'é', 'Ω', '界', '\ud7ff', '\ue000', '\uffff', '\ufffd', '😀', '💀', '\u{10000}')
    .map((text) => Buffer.from(text)),
  fc.constantFrom('Ω', '界', '😀', '💀').chain((text) => {
    const bytes = Buffer.from(text);
    return fc.tuple(fc.nat(bytes.length), fc.nat(bytes.length)).map(([from, to]) => bytes.subarray(from, to));
  }),
  fc
    .constantFrom([0x80], [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe0, 0x80, 0x80])
    .map((bytes) => Buffer.from(bytes)),
  fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
);
const bytes = fc.array(piece, { maxLength: 8 }).map((pieces) => Buffer.concat(pieces));
const short = fc.array(piece, { minLength: 1, maxLength: 2 }).map((pieces) => Buffer.concat(pieces));
const index = fc.integer({ min: -12, max: 12 });

const bytesOf = (text: string): Buffer => Buffer.from(toBytes(text), 'latin1');
const latin = (data: Buffer): string => data.toString('latin1');

describe('utf8', () => {
  it('has exactly one string for each byte sequence', () => {
    fc.assert(
      fc.property(bytes, (data) => {
        const text = decode(data);
        expect(bytesOf(text)).toEqual(data);
        expect(fromBytes(toBytes(text))).toBe(text);
        expect(mend(text)).toBe(text);
        expect(isAscii(text)).toBe(data.every((byte) => byte < 0x80));
        expect(isCut(text)).toBe(!Buffer.from(data.toString()).equals(data));
        expect([...data].map(byteString).reduce(joinCut, '')).toBe(text);
      }),
    );
  });

  it('decodes valid UTF-8 to the same text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decode(Buffer.from(text))).toBe(text);
        expect(bytesOf(text)).toEqual(Buffer.from(text));
      }),
    );
  });

  it('rejoins a string wherever it was cut', () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const whole = decode(Buffer.concat([a, b]));
        expect(joinCut(decode(a), decode(b))).toBe(whole);
        expect(mend(decode(a) + decode(b))).toBe(whole);
      }),
    );
  });

  it('orders strings by their bytes', () => {
    fc.assert(
      fc.property(bytes, bytes, bytes, (common, a, b) => {
        const [x, y] = [Buffer.concat([common, a]), Buffer.concat([common, b])];
        expect(Math.sign(compareText(decode(x), decode(y)))).toBe(Buffer.compare(x, y));
      }),
      { numRuns: 1000 },
    );
  });

  it('shows each byte outside of a character as U+FFFD', () => {
    expect(readable(decode(Buffer.from([0x41, 0xe7, 0x95, 0xf0, 0x9f, 0x98, 0x5a])))).toBe('A\ufffd\ufffd\ufffd\ufffd\ufffdZ');
  });

  it('charges the bytes of a cached string only once', () => {
    let charged = 0;
    const strings = new ByteStrings((steps) => {
      charged += steps;
    });
    const long = 'é'.repeat(6400);
    for (let i = 0; i < 100; i++) strings.of(long);
    expect(charged).toBe(100 + 400);
    const other = 'x'.repeat(6400);
    for (let rest = other; rest !== ''; rest = strings.slice(rest, 64, rest.length)) strings.of(long);
    expect(charged).toBe(100 + 400 + 100);
  });
});

/**
 * Operations of the language with their equivalent on byte strings, which have one unit per byte,
 * so that JavaScript's own string functions apply.
 */
type Native = (a: string, b: string, c: string, from: number, to: number) => unknown;

const part = (text: string, from: number, to: number): string => text.slice(from, to);
const offset = (text: string, from: number, at: number): number =>
  at < 0 ? -1 : at + Math.min(text.length, from < 0 ? Math.max(0, from + text.length) : from);
const whether = (...flags: boolean[]): boolean[] => flags;
const runes = (text: string): string[] => [...decode(Buffer.from(text, 'latin1'))];

const OPERATIONS: Readonly<Record<string, Native>> = {
  'len(a)': (a) => a.length,
  'a + b + c': (a, b, c) => a + b + c,
  'a[i:j]': (a, _b, _c, i, j) => part(a, i, j),
  'a[::-1]': (a) => [...a].reverse().join(''),
  'a[i:j] + a[j:]': (a, _b, _c, i, j) => part(a, i, j) + part(a, j, a.length),
  '"".join([a[k] for k in range(len(a))])': (a) => a,
  '"".join(list(a.elems()))': (a) => a,
  '"".join(list((a + b).elems())[::-1])': (a, b) => [...(a + b)].reverse().join(''),
  'list(a.elem_ords())': (a) => [...a].map((byte) => byte.charCodeAt(0)),
  'a == b': (a, b) => a === b,
  '[a < b, a <= b, a > b, a >= b]': (a, b) => whether(a < b, a <= b, a > b, a >= b),
  'sorted([a, b, c])': (a, b, c) => [a, b, c].sort(),
  'sorted([a, b, c], key = lambda x: x, reverse = True)': (a, b, c) => [a, b, c].sort().reverse(),
  'max(a, b, c)': (a, b, c) => [a, b, c].sort()[2],
  'len({x: 1 for x in [a, b, c]})': (a, b, c) => new Set([a, b, c]).size,
  '[b in a, c in a + b]': (a, b, c) => whether(a.includes(b), (a + b).includes(c)),
  'a.find(b)': (a, b) => a.indexOf(b),
  'a.rfind(b)': (a, b) => a.lastIndexOf(b),
  'a.find(b, i)': (a, b, _c, i) => offset(a, i, part(a, i, a.length).indexOf(b)),
  'a.rfind(b, i, j)': (a, b, _c, i, j) => offset(a, i, part(a, i, j).lastIndexOf(b)),
  'a.startswith(b)': (a, b) => a.startsWith(b),
  'a.endswith(b, i, j)': (a, b, _c, i, j) => part(a, i, j).endsWith(b),
  'a.startswith((b, c), i)': (a, b, c, i) => part(a, i, a.length).startsWith(b) || part(a, i, a.length).startsWith(c),
  'a.count(b)': (a, b) => a.split(b).length - 1,
  'a.count("")': (a) => runes(a).length + 1,
  'a.split(b)': (a, b) => a.split(b),
  'a.rsplit(b, 1)': (a, b) => (a.includes(b) ? [a.slice(0, a.lastIndexOf(b)), a.slice(a.lastIndexOf(b) + b.length)] : [a]),
  'a.partition(b)': (a, b) => (a.includes(b) ? [a.slice(0, a.indexOf(b)), b, a.slice(a.indexOf(b) + b.length)] : [a, '', '']),
  'a.replace(b, c)': (a, b, c) => a.split(b).join(c),
  'a.replace(b, c, 1)': (a, b, c) => (a.includes(b) ? a.slice(0, a.indexOf(b)) + c + a.slice(a.indexOf(b) + b.length) : a),
  'a.removeprefix(b)': (a, b) => (a.startsWith(b) ? a.slice(b.length) : a),
  'a.removesuffix(b)': (a, b) => (a.endsWith(b) ? a.slice(0, a.length - b.length) : a),
  'c.join([a, b, a])': (a, b, c) => [a, b, a].join(c),
  'a * 3': (a) => a.repeat(3),
  '"%s%s" % (a, b)': (a, b) => a + b,
  '"{}{}".format(a, b)': (a, b) => a + b,
  '[x for x in [a + b]][0]': (a, b) => a + b,
};

describe('an operation on any bytes', () => {
  const toLark = (data: Buffer): LarkValue => decode(data);
  const native = (value: LarkValue): unknown => {
    if (typeof value === 'string') return toBytes(value);
    return value instanceof LarkList || value instanceof LarkTuple ? value.items.map(native) : value;
  };

  it.each(Object.entries(OPERATIONS))('gives the same result as on bytes: %s', (operation, expected) => {
    const program = compileLark(`result = ${operation}`, { predeclared: ['a', 'b', 'c', 'i', 'j'] });
    fc.assert(
      fc.property(bytes, short, bytes, index, index, (a, b, c, i, j) => {
        fc.pre(b.length > 0);
        const values = new Map<string, LarkValue>([
          ['a', toLark(a)],
          ['b', toLark(b)],
          ['c', toLark(c)],
          ['i', i],
          ['j', j],
        ]);
        const thread = makeThread({ limits: DEFAULT_LIMITS });
        thread.strings.cut = [...values.values()].some((value) => typeof value === 'string' && isCut(value));
        const result = executeWith(program, thread, values).get('result') ?? null;
        expect(native(result)).toEqual(expected(latin(a), latin(b), latin(c), i, j));
        // Strings of the result have their canonical form, so a set finds them.
        for (const item of result instanceof LarkList ? result.items : [result]) {
          if (typeof item === 'string') expect(setOf(thread, [fromBytes(toBytes(item))]).has(thread, item)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('a string of the host', () => {
  const run = (source: string, value: string): unknown =>
    runLark(compileLark(source, { predeclared: ['a'] }), { values: new Map([['a', value]]) });

  it('is well-formed as a value and as a result', () => {
    expect(run('result = a', 'x\ud800y\udc80')).toBe('x\ufffdy\ufffd');
    expect(run('result = [a[0], a[1:], {a[:1]: 1}]', 'é')).toEqual(['\ufffd', '\ufffd', new Map([['\ufffd', 1]])]);
    expect(run('result = a[0] + a[1:]', 'é')).toBe('é');
  });

  it('is well-formed in printed lines and in errors', () => {
    const lines: string[] = [];
    runLark(compileLark('print("é"[0], b"\\xff")\nresult = 1'), { print: (line) => lines.push(line) });
    expect(lines).toEqual(['\ufffd \ufffd']);
    expect(() => runLark(compileLark('fail("é"[0])'))).toThrow('fail: \ufffd');
  });
});
