/** Declared environments, plain results, positions of errors, and the isolation from JavaScript. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Budget, DEFAULT_LIMITS } from '../../../src/lang/budget.ts';
import { compileExpr, runExpr } from '../../../src/lang/expr/index.ts';
import { evaluateExpression } from '../../../src/lang/expr/try.ts';
import { CompileError, RunError } from '../../../src/lang/source.ts';
import type { PlainValue } from '../../../src/util/text/decimal.ts';
import { ENV, outcome, plain } from './support.ts';

const names = ['input', 'step_0', 'context'];
const compileProblem = (text: string): string => outcome(text, new Map(), { names });

describe('a declared environment', () => {
  test.each([
    ['inptu.a', 'compile error: the name inptu is not known (1:1)'],
    ['input.a + foo', 'compile error: the name foo is not known (1:11)'],
    ['nope(input)', 'compile error: the name nope is not known (1:1)'],
    ['input.f(nope)', 'compile error: the name nope is not known (1:9)'],
    ['$env.nope', 'compile error: the name nope is not known (1:6)'],
    ['$env?.nope', 'nil'],
    ['let input = 1; input', 'compile error: input is a name of the environment already (1:5)'],
    ['len', 'compile error: len is a function and has to be called (1:1)'],
    ['input == nil', 'true'],
  ])('evaluates %s to %s', (text, expected) => expect(compileProblem(text)).toBe(expected));

  test.each([
    ['input.a + 1', ['input']],
    ['map(step_0, .x + input.y)', ['input', 'step_0']],
    ['$env.context.user_id', ['context']],
    ['$env["inp" + "ut"]', ['context', 'input', 'step_0']],
    ['let x = 1; x', []],
    ['1 + 1', []],
  ])('lists the names that %s reads', (text, expected) => {
    expect([...compileExpr(text, { names }).uses].sort()).toEqual(expected);
  });

  test('may be a function that returns values on demand', () => {
    const requested: string[] = [];
    const find = (name: string): PlainValue | undefined => {
      requested.push(name);
      return name === 'input' ? new Map([['a', 2]]) : undefined;
    };
    const compiled = compileExpr('input.a * 2', { names });
    expect(runExpr(compiled, find, new Budget(DEFAULT_LIMITS))).toBe(4);
    expect(requested).toEqual(['input']);
    expect(runExpr(compileExpr('len($env)', { names }), find, new Budget(DEFAULT_LIMITS))).toBe(1);
  });
});

describe('a result', () => {
  test.each<[string, PlainValue]>([
    ['nil', null],
    ['date("2024-02-29 12:00:00")', '2024-02-29T12:00:00Z'],
    ['[duration("90m")]', ['1h30m0s']],
    ['b"hi"', 'aGk='],
    ['t[0]', 97],
    ['date("2024-02-29").Month()', 2],
    ['timezone("UTC")', 'UTC'],
    [
      'groupBy(list, # % 2)',
      new Map([
        ['1', [3, 1]],
        ['0', [2]],
      ]),
    ],
    ['groupBy(users, .boss?.name) | keys()', [null, 'Ann', 'Bob']],
    ['len(groupBy(users, .boss?.name))', 3],
    [
      'fromPairs([[nil, 1], [true, 2]])',
      new Map([
        ['null', 1],
        ['true', 2],
      ]),
    ],
    ['s[0:2]', 'h\ufffd'],
    ['concat([])', []],
  ])('is a plain value: %s', (text, expected) => expect(plain(text)).toStrictEqual(expected));

  test('is an error when it is not a plain value', () => {
    expect(() => plain('date("2024-02-29").Year')).toThrow('was not called');
    expect(() => plain('groupBy([1, "1"], #)')).toThrow('both written "1"');
  });

  test('is JSON on the command line', () => {
    expect(evaluateExpression('input.price * 2', '{"input": {"price": 1.25}}')).toBe('2.5');
    expect(evaluateExpression('{a: input.n, b: 4 / 2, c: [nil]}', '{"input": {"n": 12345678901234567890}}')).toBe(
      '{"a":12345678901234567890,"b":2.0,"c":[null]}',
    );
    expect(evaluateExpression('"a" + \'b\'')).toBe('"ab"');
    expect(() => evaluateExpression('1', '[1]')).toThrow('JSON object');
    expect(() => evaluateExpression('1', '{"a":')).toThrow('ends too early');
  });
});

describe('the position of an error', () => {
  test('is reported at compile time', () => {
    const text = 'let x = 1;\nlet y = 2;\nx + y +';
    const error = catchError(() => compileExpr(text, { file: 'step 2' })) as CompileError;
    expect(error).toBeInstanceOf(CompileError);
    expect(error.problems[0]).toMatchObject({ file: 'step 2', line: 3, column: 7 });
    expect(error.problems[0].snippet).toBe('x + y +\n      ^');
  });

  test('counts columns in characters at run time', () => {
    const error = catchError(() => plain('"😀" == "" or\n  list[9] > 1')) as RunError;
    expect(error).toBeInstanceOf(RunError);
    expect(error.problem).toMatchObject({ line: 2, column: 7, snippet: '  list[9] > 1\n      ^' });
  });

  function catchError(work: () => unknown): unknown {
    try {
      return work();
    } catch (error) {
      return error;
    }
  }
});

describe('an expression', () => {
  const properties = [
    'constructor',
    '__proto__',
    'prototype',
    'toString',
    'valueOf',
    'hasOwnProperty',
    'get',
    'size',
    'length',
    'entries',
    'then',
    'map',
    'push',
    'call',
    'apply',
    'bind',
    '__defineGetter__',
  ];
  const values = [
    'i',
    's',
    't',
    'yes',
    'nothing',
    'list',
    'obj',
    '$env',
    'f',
    'date("2024-01-01")',
    'duration("1s")',
    'groupBy(list, #)',
    'b"a"',
    'timezone("UTC")',
    '[]',
    '{}',
    '1',
    '"a"',
  ];

  test.each(values)('cannot reach JavaScript from %s', (value) => {
    for (const property of properties) {
      for (const text of [
        `${value}.${property}`,
        `(${value})["${property}"]`,
        `get(${value}, "${property}")`,
        `(${value})?.${property}`,
        `${value}.${property}()`,
        `"${property}" in (${value})`,
      ]) {
        expect(outcome(text)).toMatch(/^(?:nil|false|\[\]|(?:compile|run) error: .*)$/);
      }
    }
  });

  test('ends with a value, a compile error or a run error whatever its text is', () => {
    const tokens = [
      'i',
      'list',
      'obj',
      'users',
      '.',
      '?.',
      '[',
      ']',
      '(',
      ')',
      '{',
      '}',
      '#',
      'map',
      'filter',
      'sum',
      ',',
      '+',
      '-',
      '*',
      '/',
      '%',
      '**',
      '..',
      '??',
      '?',
      ':',
      '|',
      'let',
      '=',
      ';',
      'in',
      'not',
      'and',
      '1',
      '2.5',
      '"a"',
      'nil',
      'if',
      'else',
      '$env',
      'date',
      'len',
      'constructor',
      '__proto__',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...tokens), { maxLength: 25 }), (list) => {
        outcome(list.join(' '));
      }),
      { numRuns: 3000 },
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => void outcome(text)),
      { numRuns: 2000 },
    );
  });

  test('has ordinary keys with the names of object properties', () => {
    expect(outcome('{"__proto__": 1}.__proto__')).toBe('1');
    expect(outcome('keys(fromJSON("{\\"__proto__\\": 1, \\"1\\": 2, \\"a\\": 3}"))')).toBe('["__proto__","1","a"]');
  });
});

describe('a string', () => {
  test('has slices, lengths and indices in bytes of UTF-8', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 20 }),
        fc.integer({ min: -30, max: 30 }),
        fc.integer({ min: -30, max: 30 }),
        (text, from, to) => {
          const bytes = Buffer.from(text);
          const env = new Map<string, PlainValue>([
            ['s', text],
            ['a', from],
            ['b', to],
          ]);
          const start = Math.max(0, Math.min(from < 0 ? bytes.length + from : from, bytes.length));
          const end = Math.max(0, Math.min(to < 0 ? bytes.length + to : to, bytes.length));
          const expected = bytes.subarray(Math.min(start, end), end);
          expect(plain('toBase64(s[a:b])', env)).toBe(expected.toString('base64'));
          expect(plain('len(s)', env)).toBe([...text].length);
          expect(plain('s[:a] + s[a:] == s', env)).toBe(true);
        },
      ),
    );
  });

  test('is ordered by its bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 4 }), { maxLength: 8 }), (strings) => {
        const expected = [...strings].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        expect(plain('sort(strings)', new Map([['strings', strings]]))).toStrictEqual(expected);
      }),
    );
  });
});

test('a second run of an expression returns the same result', () => {
  const compiled = compileExpr('reduce(map(users, sum(map(.tags, len(#)))), #acc + #, 0)');
  const once = runExpr(compiled, ENV, new Budget(DEFAULT_LIMITS));
  expect(runExpr(compiled, ENV, new Budget(DEFAULT_LIMITS))).toBe(once);
});
