/**
 * The sandbox runs short programs inline and long ones in a worker, with the same results and
 * errors. Workers run the built files.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { BudgetError, DEFAULT_LIMITS } from '../../../src/lang/budget.ts';
import { compileLark, LoadError } from '../../../src/lang/lark/index.ts';
import { closeSandbox, runStep } from '../../../src/lang/sandbox/index.ts';
import { RunError } from '../../../src/lang/source.ts';
import { Decimal, type PlainValue } from '../../../src/util/text/decimal.ts';

/** Exceeds the inline allowance, so the program moves to a worker. */
const LONG = 'for i in range(2000000):\n    pass\n';
const LIMITS = { ...DEFAULT_LIMITS, millis: 60_000 };

function start(
  source: string,
  values: Record<string, PlainValue> = {},
  options: Parameters<typeof runStep>[3] = {},
): PlainValue | Promise<PlainValue> {
  const program = compileLark(source, { predeclared: Object.keys(values) });
  return runStep('lark', { program, values: new Map(Object.entries(values)), now: 1000 }, LIMITS, options);
}

describe('runStep', () => {
  afterAll(closeSandbox);

  it('returns the result of a short program synchronously', () => {
    expect(start('result = 1 + 1')).toBe(2);
  });

  it('passes values to a worker and back unchanged', async () => {
    const rows = [
      new Map<string, PlainValue>([
        ['d', new Decimal('1.10')],
        ['n', 2n ** 80n],
        ['nested', [new Map([['x', new Decimal('2.0')]])]],
      ]),
    ];
    const running = start(`${LONG}result = rows`, { rows });
    expect(running).toBeInstanceOf(Promise);
    expect(await running).toEqual(rows);
  });

  it('passes long lists in pieces', async () => {
    const rows = Array.from(
      { length: 12_345 },
      (_, i) =>
        new Map<string, PlainValue>([
          ['i', i],
          ['d', new Decimal(`${i}.50`)],
        ]),
    );
    expect(await start(`${LONG}result = rows`, { rows })).toEqual(rows);
  });

  it('rethrows the errors of a worker with their class and properties', async () => {
    await expect(start(`${LONG}fail("no")`)).rejects.toMatchObject({
      verdict: { kind: 'fail', message: 'no' },
      message: 'fail: no',
      problem: { line: 3 },
    });
    await expect(start(`${LONG}result = [][1]`)).rejects.toBeInstanceOf(RunError);
    const late = compileLark(`${LONG}result = gone.x`, { modules: ['gone'] });
    const error = await Promise.resolve(runStep('lark', { program: late, values: new Map(), now: 0 }, LIMITS)).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(LoadError);
    expect(error).toMatchObject({ module: 'gone' });
  });

  it('sends the modules of a program to the worker', async () => {
    const lib = compileLark('load("base", "two")\ndef f(x):\n    return x * two', { name: 'lib' });
    const base = compileLark('two = 2', { name: 'base' });
    const program = compileLark(`load("lib", "f")\n${LONG}result = f(21)`);
    const modules = (name: string) => ({ lib, base })[name];
    expect(await runStep('lark', { program, values: new Map(), modules, now: 0 }, LIMITS)).toBe(42);
  });

  it('prints each line once when a program moves to a worker', async () => {
    const lines: string[] = [];
    await start(`print("one")\n${LONG}print("two", time.now().unix)\nresult = 1`, {}, { print: (line) => lines.push(line) });
    expect(lines).toEqual(['one', 'two 1']);
  });

  it('stops a program when its signal is aborted', async () => {
    const controller = new AbortController();
    const running = start('for i in range(1 << 50):\n    pass', {}, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('gone')), 50);
    await expect(running).rejects.toThrow('gone');
    expect(await start(`${LONG}result = 1`)).toBe(1);
  });

  it('runs more programs than there are workers', async () => {
    const all = Array.from({ length: 12 }, (_, i) => start(`${LONG}result = n`, { n: i }));
    expect(await Promise.all(all)).toEqual(Array.from({ length: 12 }, (_, i) => i));
  });

  it('rejects with the time budget of the program in a worker', async () => {
    const program = compileLark('for i in range(1 << 50):\n    pass');
    const error = await Promise.resolve(runStep('lark', { program, values: new Map(), now: 0 }, { ...DEFAULT_LIMITS, millis: 100 })).catch(
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(BudgetError);
    expect(error).toMatchObject({ kind: 'time', message: 'the program ran longer than its 100 ms' });
  });
});
