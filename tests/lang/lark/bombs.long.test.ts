/** Hostile programs end within their budget, do not block the event loop, and leak no memory. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { BudgetError, DEFAULT_LIMITS, type RunLimits } from '../../../src/lang/budget.ts';
import { compileLark, type LarkProgram, runLark } from '../../../src/lang/lark/index.ts';
import { closeSandbox, runStep } from '../../../src/lang/sandbox/index.ts';
import { CompileError, RunError } from '../../../src/lang/source.ts';
import { BOMBS } from './bombs.ts';

/** No time limit in practice; fewer steps, so that endless loops end sooner. */
const GENEROUS: RunLimits = { ...DEFAULT_LIMITS, steps: 20_000_000, millis: 120_000 };
const TIMEOUT_MS = 120_000;

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

/** Limit for blocking the event loop: the allowance of 2 ms plus the start of a worker. */
const MAX_BLOCKED_MS = 20;

function startQuietly(program: LarkProgram): Promise<unknown> {
  try {
    const running = runStep('lark', { program, values: new Map(), now: 0 }, { ...DEFAULT_LIMITS, millis: 60 });
    return Promise.resolve(running).catch(() => undefined);
  } catch {
    return Promise.resolve();
  }
}

describe('a hostile program', () => {
  afterAll(closeSandbox);

  it.each(BOMBS)(
    'ends with "$ends": $name',
    async ({ source, ends }) => {
      expect(await outcome(source, GENEROUS)).toBe(ends);
    },
    TIMEOUT_MS,
  );

  it.each(BOMBS.filter(({ ends }) => ends === 'steps'))('ends by its time limit if it may take many steps: $name', async ({ source }) => {
    const start = performance.now();
    expect(await outcome(source, { ...DEFAULT_LIMITS, steps: Number.MAX_SAFE_INTEGER, bytes: 2 ** 30, millis: 100 })).toBe('time');
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it('leaves the event loop within 20 ms', async () => {
    for (const bomb of BOMBS.filter(({ ends }) => ends !== 'compile')) {
      // The best of several tries, since other processes may slow down one of them.
      let shortest = Number.POSITIVE_INFINITY;
      for (let i = 0; i < 5 && shortest > MAX_BLOCKED_MS; i++) {
        const program = compileLark(bomb.source);
        const start = performance.now();
        const running = startQuietly(program);
        shortest = Math.min(shortest, performance.now() - start);
        await running;
      }
      expect({ bomb: bomb.name, late: shortest > MAX_BLOCKED_MS }).toEqual({ bomb: bomb.name, late: false });
    }
  });

  it('compiles or is rejected within 20 ms', () => {
    for (const { name, source } of BOMBS.filter(({ ends }) => ends === 'compile')) {
      let shortest = Number.POSITIVE_INFINITY;
      for (let i = 0; i < 5 && shortest > MAX_BLOCKED_MS; i++) {
        const start = performance.now();
        expect(() => compileLark(source)).toThrow(CompileError);
        shortest = Math.min(shortest, performance.now() - start);
      }
      expect({ bomb: name, late: shortest > MAX_BLOCKED_MS }).toEqual({ bomb: name, late: false });
    }
  });

  it(
    'leaks no memory',
    async () => {
      const maxBytes = 64 * 1024 * 1024;
      const probe = spawn(
        process.execPath,
        ['--expose-gc', fileURLToPath(new URL('memory-probe.mjs', import.meta.url)), String(maxBytes)],
        {
          stdio: ['pipe', 'pipe', 'inherit'],
        },
      );
      probe.stdin.end(JSON.stringify(BOMBS.map(({ source }) => source)));
      const leaked = JSON.parse(await text(probe.stdout)) as { readonly held: number; readonly rss: number };
      expect(leaked.held).toBeLessThan(maxBytes / 8);
      expect(leaked.rss).toBeLessThan(maxBytes);
    },
    TIMEOUT_MS,
  );

  it('uses the same number of steps in every run', () => {
    const program = compileLark('x = []\nfor i in range(1000):\n    x.append(str(i))\nresult = len(x)');
    const steps = (limit: number): string => {
      try {
        runLark(program, { limits: { ...GENEROUS, steps: limit } });
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
