/** Programs that would exhaust a service: each ends within its budget, with a message that says which, and holds nobody up. */
import { afterAll, describe, expect, it } from 'vitest';
import { BudgetError, DEFAULT_LIMITS } from '../../../src/lang/budget.ts';
import { compileLark, type LarkProgram } from '../../../src/lang/lark/index.ts';
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

/** Milliseconds that a program may take where requests are answered: its allowance is five, and the machine may be busy. */
const MOMENT = 50;

function startQuietly(program: LarkProgram): Promise<unknown> {
  try {
    const running = runStep('lark', { program, values: new Map(), now: 0 }, { ...LIMITS, millis: 60 });
    return Promise.resolve(running).catch(() => undefined);
  } catch {
    return Promise.resolve();
  }
}

describe('bombs', () => {
  afterAll(closeSandbox);

  it.each(BOMBS)('$name', async ({ source, ends }) => {
    const start = performance.now();
    // On a slow machine the time may be over before the memory is.
    expect([...ends, ...(ends.includes('memory') ? ['time'] : [])]).toContain(await outcome(source));
    expect(performance.now() - start).toBeLessThan(LIMITS.millis + 5000);
  });

  it('leave the thread of the caller within a moment', async () => {
    const heavy = BOMBS.filter((bomb) => bomb.ends.includes('time') || bomb.ends.includes('memory'));
    for (const bomb of heavy) {
      // The best of a few tries: what else the machine does is not the program's doing.
      let shortest = Number.POSITIVE_INFINITY;
      for (let i = 0; i < 5 && shortest > MOMENT; i++) {
        const program = compileLark(bomb.source);
        const start = performance.now();
        const running = startQuietly(program);
        shortest = Math.min(shortest, performance.now() - start);
        await running;
      }
      expect({ bomb: bomb.name, late: shortest > MOMENT }).toEqual({ bomb: bomb.name, late: false });
    }
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
