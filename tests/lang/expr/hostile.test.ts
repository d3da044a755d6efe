/** Sources and runs that need too many resources: each ends quickly in an error. */
import { describe, expect, test } from 'vitest';
import { Budget, BudgetError, DEFAULT_LIMITS } from '../../../src/lang/budget.ts';
import { compileExpr, runExpr } from '../../../src/lang/expr/index.ts';
import { CompileError, RunError } from '../../../src/lang/source.ts';
import type { PlainValue } from '../../../src/util/text/decimal.ts';
import { cpuMs } from '../../support/cpu.ts';
import { ENV } from './support.ts';

const MEGABYTE = 1024 * 1024;

/** Measures CPU time and heap growth. */
function cost(work: () => unknown): { error: unknown; millis: number; grown: number } {
  const heap = process.memoryUsage().heapUsed;
  let error: unknown;
  const millis = cpuMs(() => {
    try {
      work();
    } catch (caught) {
      error = caught;
    }
  });
  return { error, millis, grown: process.memoryUsage().heapUsed - heap };
}

const SOURCES: readonly (readonly [string, () => string])[] = [
  ['10 MB of text', () => '1 + '.repeat(2.5 * MEGABYTE)],
  ['10 MB in one string', () => `"${'a'.repeat(10 * MEGABYTE)}"`],
  ['parentheses, 100,000 deep', () => `${'('.repeat(100_000)}1${')'.repeat(100_000)}`],
  ['brackets, 100,000 deep', () => `${'['.repeat(100_000)}1${']'.repeat(100_000)}`],
  ['braces, 100,000 deep', () => `${'{a:'.repeat(60_000)}1${'}'.repeat(60_000)}`],
  ['100,000 signs', () => `${'-'.repeat(100_000)}1`],
  ['100,000 negations', () => `${'not '.repeat(60_000)}true`],
  ['a chain of 60,000 members', () => `i${'.a'.repeat(60_000)}`],
  ['a chain of 60,000 operators', () => `1${'+1'.repeat(60_000)}`],
  ['60,000 conditions', () => `${'true ? '.repeat(30_000)}1${' : 2'.repeat(30_000)}`],
  ['20,000 blocks', () => `${'if true {1} else '.repeat(14_000)}{1}`],
  ['20,000 variables', () => `${Array.from({ length: 14_000 }, (_, i) => `let v${i} = 1;`).join('')}1`],
  ['predicates in predicates', () => `${'map(list, '.repeat(20_000)}1${')'.repeat(20_000)}`],
  ['20,000 elements', () => `[${'1,'.repeat(100_000)}]`],
  ['pipes without end', () => `list${' | sum()'.repeat(30_000)}`],
  ['an open comment', () => `/*${'*'.repeat(200_000)}`],
  ['an open string', () => `"${'\\\\'.repeat(100_000)}`],
  ['a huge pattern', () => `"a" matches "${'(a|b)*'.repeat(20_000)}"`],
  ['a pattern that multiplies', () => '"a" matches "((a{100}){100}){100}"'],
];

describe('a hostile source', () => {
  test.each(SOURCES)('is rejected in bounded time: %s', (_, source) => {
    const text = source();
    const { error, millis } = cost(() => compileExpr(text));
    expect(error).toBeInstanceOf(CompileError);
    expect(millis).toBeLessThan(1000);
  });

  test('compiles in bounded time when it has the maximum size', () => {
    const text = `[${Array.from({ length: 4900 }, (_, i) => `list[${i % 3}]`).join(',')}]`;
    const { error, millis } = cost(() => compileExpr(text));
    expect((error as CompileError | undefined)?.message).toContain('more than 10000 parts');
    expect(millis).toBeLessThan(1000);
    const shorter = `[${Array.from({ length: 3000 }, (_, i) => `list[${i % 3}]`).join(',')}]`;
    expect(cost(() => runExpr(compileExpr(shorter), ENV, new Budget(DEFAULT_LIMITS))).error).toBeUndefined();
  });

  test.each(['sort', 'trim', 'join', 'split', 'replace', 'max', 'get', 'string', 'concat', 'filter'])(
    'compiles nested calls of %s in bounded time',
    (name) => {
      const tails: Record<string, string> = { trim: ', "a"', split: ', "a"', replace: ', "a", "b"', get: ', 1', filter: ', true' };
      const text = `${`${name}(`.repeat(190)}nothing${`${tails[name] ?? ''})`.repeat(190)}`;
      const { error, millis } = cost(() => compileExpr(text));
      expect(error === undefined || error instanceof CompileError).toBe(true);
      expect(millis).toBeLessThan(1000);
    },
  );

  test('compiles and runs when it has the maximum depth', () => {
    const text = `1${'+i'.repeat(990)}`;
    expect(runExpr(compileExpr(text), ENV, new Budget(DEFAULT_LIMITS))).toBe(1 + 7 * 990);
  });
});

const RUNS: readonly string[] = [
  '1..1000000000',
  '0..9223372036854775806',
  'repeat("a", 1000000) | repeat(1000000)',
  'map(1..100000, repeat("a", 1000000))',
  'map(1..3000, map(1..3000, map(1..3000, # + 1)))',
  'len(map(1..100000, 1..100000))',
  'reduce(1..100000, #acc + #acc, "ab")',
  'reduce(1..100, concat(#acc, #acc), [1])',
  'reduce(1..1000000, [#acc])',
  'string(reduce(1..5000, [#acc], 1))',
  'toJSON(reduce(1..5000, {{a: #acc}}, 1))',
  'reduce(1..5000, [#acc], 1) == reduce(1..5000, [#acc], 1)',
  'flatten(reduce(1..5000, [#acc], 1))',
  'reduce(1..5000, [#acc], 1)',
  'fromJSON(repeat("[", 100000))',
  'uniq(map(1..100000, [#]))',
  'all(1..100000000, true)',
  'sum(map(1..20000, count(1..20000, # > 5)))',
  'let s = repeat("a", 1000000); map(1..1000, s + string(#)) | filter(# contains "b")',
  'let s = repeat("a", 1000000); s contains repeat("a", 500000) + "b"',
  'let s = repeat("a", 100000); map(1..1000, s matches "(a*)*b")',
  'let s = repeat("a", 1000000); map(1..100, s matches "(a|aa|aaa|aaaa)*(b|c|d|e|f|g|h)$")',
  'split(repeat("a", 1000000), "") | map(split(repeat("a", 100000), ""))',
  'replace(repeat("a", 1000000), "a", repeat("b", 1000))',
  'join(map(1..1000000, "abc"), repeat("x", 1000))',
  'groupBy(1..10000000, #)',
  'sortBy(1..10000000, -#)',
];

describe('a hostile run', () => {
  test.each(RUNS)('ends in an error in bounded time: %s', (text) => {
    const compiled = compileExpr(text);
    const { error, millis, grown } = cost(() => runExpr(compiled, ENV, new Budget(DEFAULT_LIMITS)));
    expect(error instanceof BudgetError || error instanceof RunError).toBe(true);
    expect(millis).toBeLessThan(4000);
    expect(grown).toBeLessThan(400 * MEGABYTE);
  });

  test('is reported with a message per budget', () => {
    const kinds = ['all(1..1000000, true)', '1..100000000'].map((text) => {
      try {
        runExpr(compileExpr(text), ENV, new Budget({ ...DEFAULT_LIMITS, steps: 1000 }));
        return 'none';
      } catch (error) {
        return (error as BudgetError).kind;
      }
    });
    expect(kinds).toEqual(['steps', 'memory']);
    const slow = (): PlainValue => runExpr(compileExpr('count(1..1000000, # % 3 == 1)'), ENV, new Budget({ ...DEFAULT_LIMITS, millis: 1 }));
    expect(slow).toThrow(/longer than its 1 ms/);
  });

  test('stays within the budget when it builds a string of 100 KB piece by piece', () => {
    const text =
      'len(reduce(1..1000, #acc + "a line of about a hundred characters, which is what a report has, more or less, in each row\\n", ""))';
    expect(runExpr(compileExpr(text), ENV, new Budget(DEFAULT_LIMITS))).toBe(92_000);
  });
});
