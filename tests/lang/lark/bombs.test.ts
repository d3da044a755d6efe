/** Programs that would exhaust a service: each ends within its budget, with a message that says which, and holds nobody up. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, describe, expect, it } from 'vitest';
import { BudgetError, DEFAULT_LIMITS } from '../../../src/lang/budget.ts';
import { compileLark } from '../../../src/lang/lark/index.ts';
import { closeSandbox, runStep } from '../../../src/lang/sandbox/index.ts';
import { CompileError, RunError } from '../../../src/lang/source.ts';
import { BOMBS } from './bombs.ts';

const LIMITS = { ...DEFAULT_LIMITS, millis: 500 };

async function outcome(source: string): Promise<string> {
  try {
    const program = compileLark(source);
    await runStep('lark', { program, values: new Map(), now: 0 }, LIMITS);
    return 'finished';
  } catch (error) {
    if (error instanceof BudgetError) return error.kind;
    if (error instanceof CompileError) return 'compile';
    if (error instanceof RunError) return 'error';
    throw error;
  }
}

describe('bombs', () => {
  afterAll(closeSandbox);

  it.each(BOMBS)('$name', async ({ source, ends }) => {
    const start = performance.now();
    expect(ends).toContain(await outcome(source));
    expect(performance.now() - start).toBeLessThan(LIMITS.millis + 2500);
  });

  it('keeps the event loop free while they run', async () => {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const small = compileLark('result = [x * x for x in range(10)]');
    let slowest = 0;
    let running = true;
    const bystander = (async () => {
      while (running) {
        const start = performance.now();
        await runStep('lark', { program: small, values: new Map(), now: 0 }, LIMITS);
        await new Promise((resolve) => setImmediate(resolve));
        slowest = Math.max(slowest, performance.now() - start);
      }
    })();
    const heavy = BOMBS.filter((bomb) => bomb.ends.includes('time') || bomb.ends.includes('memory')).slice(0, 16);
    await Promise.all(heavy.map((bomb) => outcome(bomb.source)));
    running = false;
    await bystander;
    delay.disable();
    expect(slowest).toBeLessThan(250);
  });

  it('gives the memory back', async () => {
    const before = process.memoryUsage().rss;
    for (const bomb of BOMBS.filter((b) => b.ends.includes('memory')).slice(0, 12)) await outcome(bomb.source);
    closeSandbox();
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
  });

  it('counts the same on every run', async () => {
    const program = compileLark('x = []\nfor i in range(1000):\n    x.append(str(i))\nresult = len(x)');
    const steps = (limit: number): string => {
      try {
        runStep('lark', { program, values: new Map(), now: 0 }, { ...LIMITS, steps: limit });
        return 'finished';
      } catch (error) {
        return error instanceof BudgetError ? error.kind : 'other';
      }
    };
    const ends = Array.from({ length: 4000 }, (_, i) => steps(i + 1));
    const first = ends.indexOf('finished');
    expect(first).toBeGreaterThan(1000);
    expect(ends.slice(first).every((end) => end === 'finished')).toBe(true);
    expect(ends.slice(0, first).every((end) => end === 'steps')).toBe(true);
  });
});
