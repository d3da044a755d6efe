/** Properties of all values: bigint arithmetic, round trips, and isolation from JavaScript. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileLark, runLark } from '../../../src/lang/lark/index.ts';
import { CompileError, RunError } from '../../../src/lang/source.ts';
import type { PlainValue } from '../../../src/util/text/decimal.ts';

const program = (source: string) => compileLark(source, { predeclared: ['a', 'b'] });

function evaluate(compiled: ReturnType<typeof compileLark>, a: PlainValue, b: PlainValue = null): PlainValue {
  return runLark(compiled, {
    values: new Map([
      ['a', a],
      ['b', b],
    ]),
  });
}

const int = fc.oneof(fc.integer(), fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), fc.maxSafeInteger());
const big = (value: PlainValue): bigint => BigInt(value as number | bigint);
const floor = (a: bigint, b: bigint): bigint => (a % b !== 0n && a < 0n !== b < 0n ? a / b - 1n : a / b);

describe('an int', () => {
  const operators: readonly (readonly [string, (a: bigint, b: bigint) => bigint])[] = [
    ['+', (a, b) => a + b],
    ['-', (a, b) => a - b],
    ['*', (a, b) => a * b],
    ['//', (a, b) => floor(a, b)],
    ['%', (a, b) => a - floor(a, b) * b],
    ['&', (a, b) => a & b],
    ['|', (a, b) => a | b],
    ['^', (a, b) => a ^ b],
  ];
  it.each(operators)('is computed exactly in a %s b', (op, exact) => {
    const compiled = program(`result = a ${op} b`);
    fc.assert(
      fc.property(int, int, (a, b) => {
        fc.pre(big(b) !== 0n || !'//%'.includes(op));
        expect(big(evaluate(compiled, a, b))).toBe(exact(big(a), big(b)));
      }),
    );
  });

  it('reads back from its text and from JSON', () => {
    const compiled = program('result = [int(str(a)) == a, a == float(a) or abs(a) > 9007199254740992, json.decode(json.encode(a)) == a]');
    fc.assert(
      fc.property(int, (a) => {
        expect(evaluate(compiled, a)).toEqual([true, true, true]);
      }),
    );
  });
});

describe('a float', () => {
  it('reads back from its text and from JSON', () => {
    const compiled = program('result = float(str(a)) == a and json.decode(json.encode(a)) == a');
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (a) => {
        expect(evaluate(compiled, a)).toBe(true);
      }),
    );
  });
});

describe('a string', () => {
  it('reads back from its repr', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const literal = evaluate(program('result = repr(a)'), text);
        expect(runLark(compileLark(`result = ${String(literal)}`))).toBe(text);
      }),
    );
  });

  it('reads back from JSON', () => {
    const compiled = program('result = json.decode(json.encode(a))');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(evaluate(compiled, text)).toBe(text);
      }),
    );
  });

  it('is sorted as in JavaScript when it is ASCII', () => {
    const compiled = program('result = sorted(a)');
    fc.assert(
      fc.property(fc.array(fc.string()), (list) => {
        expect(evaluate(compiled, list)).toEqual([...list].sort());
      }),
    );
  });

  it('is sliced as in JavaScript when it is ASCII', () => {
    const compiled = program('result = a[b[0]:b[1]]');
    const ends = fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 }));
    fc.assert(
      fc.property(fc.string({ maxLength: 6 }), ends, (text, [from, to]) => {
        expect(evaluate(compiled, text, [from, to])).toBe(text.slice(from, to));
      }),
    );
  });
});

describe('a program', () => {
  const names = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'valueOf',
    'hasOwnProperty',
    'items',
    'length',
    '__defineGetter__',
    'then',
    'value',
    'type',
  ];
  const subjects = [
    '1',
    '1.5',
    '"x"',
    'b"x"',
    '[1]',
    '(1,)',
    'set([1])',
    'range(3)',
    'len',
    '(lambda: 1)',
    'json',
    'struct(a = 1)',
    'None',
    'True',
    'time.hour',
    '"x".elems()',
  ];
  it.each(subjects)('cannot reach JavaScript through attributes of %s', (subject) => {
    const properties = subject.startsWith('struct') ? [] : names;
    for (const name of properties) {
      const compiled = compileLark(`result = [hasattr(${subject}, "${name}"), "${name}" in dir(${subject})]`);
      expect(runLark(compiled)).toEqual([false, false]);
    }
  });

  it('cannot reach JavaScript through keys', () => {
    const compiled = program(
      'd = {a: 1}\nd.update([("__proto__", 2)])\nresult = [d.get("constructor"), d.get("toString"), len(d), a in d]',
    );
    expect(evaluate(compiled, 'x')).toEqual([null, null, 2, true]);
  });
});

describe('any source text', () => {
  const token = fc.constantFrom(
    'def ',
    'f',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    ':',
    '\n',
    '  ',
    'if ',
    'else',
    'for ',
    ' in ',
    'x',
    '=',
    '+',
    '1',
    '"',
    "'",
    ',',
    '.',
    'lambda',
    '*',
    '#',
    '\\',
    'not ',
    'load',
    ';',
  );
  it('compiles or is rejected with a position', () => {
    fc.assert(
      fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
        const text = tokens.join('');
        try {
          runLark(compileLark(text), { limits: { steps: 10_000, bytes: 1_000_000, millis: 1000, depth: 50 } });
        } catch (error) {
          if (!(error instanceof CompileError) && !(error instanceof RunError)) throw error;
        }
      }),
      { numRuns: 2000 },
    );
  });
});
