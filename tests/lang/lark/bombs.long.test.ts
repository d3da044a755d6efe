/** Programs that would exhaust a service: each ends in the budget it is after, holds nobody up, and leaves no memory behind. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { BudgetError, DEFAULT_LIMITS, type RunLimits } from '../../../src/lang/budget.ts';
import { compileLark, type LarkProgram, runLark } from '../../../src/lang/lark/index.ts';
import { closeSandbox, runStep } from '../../../src/lang/sandbox/index.ts';
import { CompileError, RunError } from '../../../src/lang/source.ts';
import { BOMBS } from './bombs.ts';

/** Time is not what ends them here, however busy the machine is; fewer steps than usual end the endless ones sooner. */
const UNHURRIED: RunLimits = { ...DEFAULT_LIMITS, steps: 20_000_000, millis: 120_000 };
const PATIENCE = 120_000;

async function outcome(source: string, limits: RunLimits): Promise<string> {
  try {
    const program = compileLark(source);
    await runStep('lark', { program, values: new Map(), now: 0 }, limits);
    return 'finished';
  } catch (error) {
    if (error instanceof BudgetError) return error.kind;
    if (error instanceof CompileError) return 'compile';
    if (error instanceof RunError) return 'error';
    throw error;
  }
}

/** Milliseconds that a program may take where requests are answered: its allowance is two, and a worker may have to be started. */
const MOMENT = 20;

function startQuietly(program: LarkProgram): Promise<unknown> {
  try {
    const running = runStep('lark', { program, values: new Map(), now: 0 }, { ...DEFAULT_LIMITS, millis: 60 });
    return Promise.resolve(running).catch(() => undefined);
  } catch {
    return Promise.resolve();
  }
}

describe('bombs', () => {
  afterAll(closeSandbox);

  it.each(BOMBS)(
    '$name: $ends',
    async ({ source, ends }) => {
      expect(await outcome(source, UNHURRIED)).toBe(ends);
    },
    PATIENCE,
  );

  it.each(BOMBS.filter(({ ends }) => ends === 'steps'))('$name: time, when steps are plenty', async ({ source }) => {
    const start = performance.now();
    expect(await outcome(source, { ...DEFAULT_LIMITS, steps: Number.MAX_SAFE_INTEGER, bytes: 2 ** 30, millis: 100 })).toBe('time');
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it('leave the thread of the caller within a moment', async () => {
    for (const bomb of BOMBS.filter(({ ends }) => ends !== 'compile')) {
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

  it('are compiled, or refused, within a moment', () => {
    for (const { name, source } of BOMBS.filter(({ ends }) => ends === 'compile')) {
      let shortest = Number.POSITIVE_INFINITY;
      for (let i = 0; i < 5 && shortest > MOMENT; i++) {
        const start = performance.now();
        expect(() => compileLark(source)).toThrow(CompileError);
        shortest = Math.min(shortest, performance.now() - start);
      }
      expect({ bomb: name, late: shortest > MOMENT }).toEqual({ bomb: name, late: false });
    }
  });

  it(
    'leave no memory behind',
    async () => {
      const most = 64 * 1024 * 1024;
      const probe = spawn(process.execPath, ['--expose-gc', fileURLToPath(new URL('memory-probe.mjs', import.meta.url)), String(most)], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      probe.stdin.end(JSON.stringify(BOMBS.map(({ source }) => source)));
      const left = JSON.parse(await text(probe.stdout)) as { readonly held: number; readonly rss: number };
      expect(left.held).toBeLessThan(most / 8);
      expect(left.rss).toBeLessThan(most);
    },
    PATIENCE,
  );

  it('counts the same on every run', () => {
    const program = compileLark('x = []\nfor i in range(1000):\n    x.append(str(i))\nresult = len(x)');
    const steps = (limit: number): string => {
      try {
        runLark(program, { limits: { ...UNHURRIED, steps: limit } });
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
