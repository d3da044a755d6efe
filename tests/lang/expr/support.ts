/** Test support for expressions: an environment, and outcomes as one line of text. */
import { readFileSync } from 'node:fs';
import { Budget, DEFAULT_LIMITS, type RunLimits } from '../../../src/lang/budget.ts';
import { compileExpr, type ExprOptions, runExpr, runRaw } from '../../../src/lang/expr/index.ts';
import { readJson } from '../../../src/lang/expr/library/json.ts';
import { exactNumber } from '../../../src/lang/expr/try.ts';
import { canonical } from '../../../src/lang/expr/values/canonical.ts';
import { CompileError, RunError } from '../../../src/lang/source.ts';
import type { PlainMap, PlainValue } from '../../../src/util/text/decimal.ts';

function envOf(json: string): PlainMap {
  return readJson(json, { number: exactNumber, budget: new Budget(DEFAULT_LIMITS) }) as PlainMap;
}

export const ENV = envOf(readFileSync(new URL('./tables/env.json', import.meta.url), 'utf8'));

/** Returns the canonical text of the value, or the error with its position. */
export function outcome(text: string, env: PlainMap = ENV, options: ExprOptions = {}): string {
  try {
    return canonical(runRaw(compileExpr(text, options), env, new Budget(DEFAULT_LIMITS)));
  } catch (error) {
    const problem = error instanceof CompileError ? error.problems[0] : error instanceof RunError ? error.problem : undefined;
    if (problem === undefined) throw error;
    const kind = error instanceof CompileError ? 'compile' : 'run';
    return `${kind} error: ${problem.message} (${problem.line}:${problem.column})`;
  }
}

export function plain(text: string, env: PlainMap = ENV, limits: Partial<RunLimits> = {}): PlainValue {
  return runExpr(compileExpr(text), env, new Budget({ ...DEFAULT_LIMITS, ...limits }));
}
