/** Runs programs from outside: values in and out, modules, positions of errors, budgets. */
import { describe, expect, it } from 'vitest';
import { BudgetError, DEFAULT_LIMITS } from '../../../src/lang/budget.ts';
import {
  type CompileOptions,
  compileLark,
  findModuleCycle,
  type LarkProgram,
  LoadError,
  runLark,
  traceback,
} from '../../../src/lang/lark/index.ts';
import { CompileError, RunError } from '../../../src/lang/source.ts';
import { Decimal, type PlainValue } from '../../../src/util/text/decimal.ts';

function run(source: string, values: Record<string, PlainValue> = {}, modules: Record<string, string> = {}): PlainValue {
  const names: CompileOptions = { predeclared: Object.keys(values), modules: Object.keys(modules) };
  const compiled = new Map<string, LarkProgram>();
  for (const [name, text] of Object.entries(modules)) compiled.set(name, compileLark(text, { name, modules: Object.keys(modules) }));
  return runLark(compileLark(source, names), {
    values: new Map(Object.entries(values)),
    modules: (name) => compiled.get(name),
    now: Date.UTC(2024, 0, 1),
  });
}

function errorOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('did not fail');
}

const map = (entries: Record<string, PlainValue>): Map<string, PlainValue> => new Map(Object.entries(entries));

describe('a run', () => {
  it('keeps ints and decimals exact', () => {
    const row = map({ big: 9007199254740993n, money: new Decimal('0.1000'), half: 0.5, one: new Decimal('1.0') });
    expect(run('result = rows', { rows: [row] })).toEqual([row]);
    expect(run('result = [r["big"] + 1 for r in rows]', { rows: [row] })).toEqual([9007199254740994n]);
    expect(run('result = [str(rows[0]["money"]), json.encode(rows[0]["money"])]', { rows: [row] })).toEqual(['0.1000', '0.1000']);
    expect(run('result = rows[0]["money"] * 2', { rows: [row] })).toBe(0.2);
    expect(run('result = rows[0]["money"]', { rows: [row] })).toEqual(new Decimal('0.1000'));
  });

  it('compares decimals by all their digits', () => {
    const exact = new Decimal('9007199254740993.0');
    expect(
      run('result = [d == 9007199254740993, d == 9007199254740992, d > 9007199254740992, {9007199254740993: 1}.get(d)]', { d: exact }),
    ).toEqual([true, false, true, 1]);
  });

  it('keeps floats and ints apart in results', () => {
    expect(run('result = [1, 1.0, 1.5, 2 / 1, 1 << 60]')).toEqual([1, new Decimal('1.0'), 1.5, new Decimal('2.0'), 1152921504606846976n]);
  });

  it('returns untouched rows as the same objects', () => {
    const row = map({ a: 1 });
    expect((run('result = rows', { rows: [row] }) as PlainValue[])[0]).toBe(row);
  });

  it('starts every run with unchanged rows', () => {
    const program = compileLark('rows[0]["a"] = 2\nrows.append(1)\nresult = len(rows)', { predeclared: ['rows'] });
    const rows = [map({ a: 1 })];
    expect(runLark(program, { values: new Map([['rows', rows]]) })).toBe(2);
    expect(runLark(program, { values: new Map([['rows', rows]]) })).toBe(2);
    expect(rows).toEqual([map({ a: 1 })]);
  });

  it('reads input by attribute and by key', () => {
    const input = map({ x: 1, nested: map({ y: 2 }), get: 'field' });
    const source =
      'result = [input.x, input["x"], input.nested["y"], input.get("z", 9), "x" in input, hasattr(input, "z"), input["get"], sorted(input)]';
    expect(run(source, { input })).toEqual([1, 1, 2, 9, true, false, 'field', ['get', 'nested', 'x']]);
    expect(errorOf(() => run('result = input.nestd', { input }))).toMatchObject({
      message: 'dict has no .nestd field or method (did you mean .nested?)',
    });
  });

  it('converts values without a plain form, or reports that it cannot', () => {
    expect(run('result = struct(a = (1, 2), b = set([3]), c = b"hi", d = {1: None})')).toEqual(
      map({ a: [1, 2], b: [3], c: 'aGk=', d: map({ 1: null }) }),
    );
    expect(errorOf(() => run('result = len'))).toMatchObject({ message: 'a builtin_function_or_method cannot be a result' });
    expect(errorOf(() => run('result = {(1, 2): 3}'))).toMatchObject({
      message: 'a dict with a tuple key cannot be a result: want string keys',
    });
    expect(errorOf(() => run('x = 1'))).toMatchObject({ message: 'the program assigns no variable named result' });
  });
});

describe('a module', () => {
  it('is loaded by name, with aliases, once per run', () => {
    const lib = 'print("loaded")\ndef double(x):\n    return x * 2\nrate = [1]\n_secret = 1';
    expect(run('load("lib", "double", r = "rate")\nresult = [double(r[0]), lib.double(4)]', {}, { lib })).toEqual([2, 8]);
    expect(errorOf(() => run('result = lib._secret', {}, { lib }))).toMatchObject({
      message: expect.stringContaining('module has no ._secret'),
    });
  });

  it('is frozen', () => {
    const error = errorOf(() => run('load("lib", "rate")\nrate.append(2)', {}, { lib: 'rate = [1]' }));
    expect(error).toMatchObject({ message: 'cannot append to frozen list' });
  });

  it('may load other modules, but not in a cycle', () => {
    expect(run('result = a.x', {}, { a: 'load("b", "y")\nx = y + 1', b: 'y = 1' })).toBe(2);
    const error = errorOf(() => run('result = a.x', {}, { a: 'load("b", "y")\nx = y', b: 'load("a", "x")\ny = x' }));
    expect(error).toMatchObject({ message: 'cannot load a: cycle in load graph' });
    const graph: Record<string, string[]> = { a: ['b'], b: ['c'], c: ['a'], d: ['a', 'zz'] };
    expect(findModuleCycle('d', (name) => graph[name])).toEqual(['a', 'b', 'c', 'a']);
    expect(findModuleCycle('d', (name) => (name === 'c' ? [] : graph[name]))).toBeUndefined();
  });

  it('has its own error when it is missing', () => {
    const error = errorOf(() => run('load("gone", "x")'));
    expect(error).toBeInstanceOf(LoadError);
    expect(error).toMatchObject({ module: 'gone', message: 'cannot load gone: no such module "gone"' });
  });

  it('is listed by the program that uses it', () => {
    const program = compileLark('load("a", "x")\nresult = b.y + input.z', { predeclared: ['input', 'context'], modules: ['a', 'b', 'c'] });
    expect(program.modules).toEqual(['a', 'b']);
    expect(program.reads).toEqual(['input']);
  });
});

describe('an error', () => {
  it('has a position, a source line and a call stack', () => {
    const source = 'def f(x):\n    return 10 // x\n\ndef g():\n    return min([2, 0], key = f)\n\nresult = g()\n';
    const error = errorOf(() => run(source));
    expect(error).toBeInstanceOf(RunError);
    if (!(error instanceof RunError)) return;
    expect(error.problem).toMatchObject({ line: 2, column: 15, snippet: '    return 10 // x\n              ^' });
    expect(traceback(error)).toBe(
      [
        'Traceback (most recent call last):',
        '  main.star:7:11: in <toplevel>',
        '  main.star:5:15: in g',
        '  <builtin>: in min',
        '  main.star:2:15: in f',
        'Error: floored division by zero',
      ].join('\n'),
    );
  });

  it('distinguishes a refusal from a mistake', () => {
    expect(errorOf(() => run('fail("no such customer")'))).toMatchObject({
      verdict: { kind: 'fail', message: 'no such customer' },
      message: 'fail: no such customer',
    });
    expect(errorOf(() => run('refuse(404, "gone")'))).toMatchObject({ verdict: { kind: 'refuse', status: 404, message: 'gone' } });
    expect(errorOf(() => run('refuse(500, "gone")'))).toMatchObject({ verdict: undefined });
    expect(errorOf(() => run('x = [][0]'))).toMatchObject({ verdict: undefined });
  });

  it('is reported with up to 20 others of the file, including unknown names', () => {
    const names = Array.from({ length: 2000 }, (_, i) => `y${i} = unknown_${i}`).join('\n');
    const error = errorOf(() => compileLark(names));
    expect((error as CompileError).problems).toHaveLength(20);
  });

  it('is reported for a source that is too long', () => {
    const long = `x = "${'a'.repeat(256 * 1024)}"`;
    expect(errorOf(() => compileLark(long))).toMatchObject({
      problems: [{ line: 1, message: 'the text is longer than 262144 characters' }],
    });
  });

  it('is reported together with all others of the file', () => {
    const error = errorOf(() => compileLark('x = 1 +\ndef f(:\n    pass\ny = )\n'));
    expect(error).toBeInstanceOf(CompileError);
    expect((error as CompileError).problems.map((p) => [p.line, p.message])).toEqual([
      [1, 'got newline, want primary expression'],
      [2, 'not an identifier'],
      [4, "unexpected ')'"],
    ]);
  });
});

describe('a budget', () => {
  it.each([
    ['steps', { steps: 1000 }, 'for i in range(100000):\n    pass', 'the program took more than its 1000 steps'],
    ['memory', { bytes: 1024 * 1024 }, 'x = "a" * 10000000', 'the program needed more than its 1 MiB of memory'],
    ['time', { millis: 20 }, 'for i in range(100000000):\n    pass', 'the program ran longer than its 20 ms'],
  ] as const)('ends a program that exceeds its %s', (kind, limits, source, message) => {
    const error = errorOf(() => runLark(compileLark(source), { limits: { ...DEFAULT_LIMITS, ...limits } }));
    expect(error).toBeInstanceOf(BudgetError);
    expect(error).toMatchObject({ kind, message, problem: { line: 1 } });
  });

  it('ends a program that exceeds its depth', () => {
    const source = `${Array.from({ length: 60 }, (_, i) => `def f${i}():\n    return ${i === 59 ? '1' : `f${i + 1}()`}`).join('\n')}\nresult = f0()`;
    expect(runLark(compileLark(source))).toBe(1);
    const error = errorOf(() => runLark(compileLark(source), { limits: { ...DEFAULT_LIMITS, depth: 20 } }));
    expect(error).toMatchObject({ kind: 'depth', message: 'Starlark stack overflow: more than 20 calls inside of each other' });
  });
});
