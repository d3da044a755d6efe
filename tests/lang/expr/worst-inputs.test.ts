/** The operations of expr end soon after their time limit, whatever their operands are. */
import { beforeAll, describe, expect, it } from 'vitest';
import { Budget, BudgetError, DEFAULT_LIMITS } from '../../../src/lang/budget.ts';
import { compileExpr, runExpr, runRaw } from '../../../src/lang/expr/index.ts';
import { BUILTINS } from '../../../src/lang/expr/library/builtin.ts';
import { BINARY } from '../../../src/lang/expr/syntax/operators.ts';
import { PREDICATE_ARGS } from '../../../src/lang/expr/types/signatures.ts';
import { RunError } from '../../../src/lang/source.ts';
import { Decimal, type PlainMap, type PlainValue } from '../../../src/util/text/decimal.ts';
import { cpuMs } from '../../support/cpu.ts';
import { OPERATIONS, VALUES } from './worst-inputs.ts';

const ALLOWED_MS = 4;
/** Time that an operation may take beyond its limit. */
const MAX_LATE_MS = 20;
const TRIES = 20;
const UNLIMITED = { ...DEFAULT_LIMITS, steps: Number.MAX_SAFE_INTEGER, millis: 120_000, bytes: 2 ** 33 };
const LIMITED = { ...UNLIMITED, millis: ALLOWED_MS, bytes: 16 * 1024 * 1024 };

const env: PlainMap = new Map<string, PlainValue>([
  ['huge', 3n ** 32_768n],
  ['wider', 3n ** 1290n],
  ['precise', new Decimal(`1.${'0'.repeat(100_000)}1`)],
]);

/** Values keep their parts, which the result of a run would lose. */
function prepare(): void {
  if (env.has('s')) return;
  for (const [name, text] of Object.entries(VALUES)) {
    env.set(name, runRaw(compileExpr(text), env, new Budget(UNLIMITED)) as PlainValue);
  }
}

/** Runs an expression until its budget is used up, again and again, and returns the CPU time. */
function millisOf(text: string): number {
  const compiled = [text, `any(1..100000, type(${text}) == "")`].map((each) => compileExpr(each));
  return cpuMs(() => {
    for (const each of compiled) {
      try {
        runExpr(each, env, new Budget(LIMITED));
      } catch (error) {
        if (!(error instanceof BudgetError || error instanceof RunError)) throw error;
      }
    }
  });
}

/** The shortest of several runs, since others may be disturbed. */
function shortestMs(text: string): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < TRIES && shortest > 2 * ALLOWED_MS + MAX_LATE_MS; i++) shortest = Math.min(shortest, millisOf(text));
  return shortest;
}

describe('worst inputs', () => {
  beforeAll(prepare, 60_000);

  it('cover every operator and builtin', () => {
    const names = [...BUILTINS.keys(), ...PREDICATE_ARGS.keys(), ...BINARY.keys(), 'now'];
    expect(names.filter((name) => !Object.hasOwn(OPERATIONS, name))).toEqual([]);
  });

  it.each(Object.entries(OPERATIONS))(
    'end within milliseconds of the limit: %s',
    (_, { worst }) => {
      const late = worst.map((text) => ({ text, millis: Math.round(shortestMs(text)) }));
      expect(late.filter(({ millis }) => millis > 2 * ALLOWED_MS + MAX_LATE_MS)).toEqual([]);
    },
    60_000,
  );
});
