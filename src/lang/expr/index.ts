/** The expression language: compile once, run often. Entry of this folder. */
import type { PlainValue } from '../../util/text/decimal.ts';
import { type Budget, BudgetError } from '../budget.ts';
import { CompileError, problemAt, RunError, Source } from '../source.ts';
import { Checker } from './check/check.ts';
import { Emitter } from './compile/emit.ts';
import { optimize } from './compile/optimize.ts';
import { SyntaxFault } from './syntax/lex.ts';
import { memberReads } from './syntax/members.ts';
import { parse } from './syntax/parse.ts';
import { toPlain } from './values/border.ts';
import type { Code, Run } from './values/run.ts';
import { type ExprValue, Fault } from './values/value.ts';

export interface ExprOptions {
  /**
   * Names of the environment; any other name is a compile error. If omitted, every name is allowed
   * and a missing one is nil.
   */
  readonly names?: readonly string[];
  /** Name of the text in errors. */
  readonly file?: string;
  /** A name of the environment whose fields read by the expression are reported. */
  readonly watch?: string;
}

export interface CompiledExpr {
  readonly source: Source;
  /** Declared names of the environment that a run can read. */
  readonly uses: ReadonlySet<string>;
  /** Fields of the watched name that the expression reads by a constant. */
  readonly members: ReadonlySet<string>;
  readonly code: Code;
  readonly slots: number;
  readonly names: readonly string[];
  readonly watch: string | undefined;
}

const NO_MEMBERS: ReadonlySet<string> = new Set();

/** By name: a map, or a function that returns `undefined` for a missing name. */
export type ExprEnv = ReadonlyMap<string, PlainValue> | ((name: string) => PlainValue | undefined);

export function compileExpr(text: string, options: ExprOptions = {}): CompiledExpr {
  const source = new Source(options.file ?? 'expr', text);
  try {
    const tree = parse(text);
    const checker = new Checker(options.names);
    checker.visit(tree);
    const members = options.watch === undefined ? NO_MEMBERS : memberReads(tree, options.watch);
    const emitter = new Emitter();
    const code = emitter.emit(optimize(tree));
    const { slots } = emitter;
    return { source, uses: checker.uses, members, code, slots, names: options.names ?? [], watch: options.watch };
  } catch (error) {
    if (error instanceof SyntaxFault) throw new CompileError([problemAt(source, error.at, error.message)]);
    if (error instanceof RangeError) throw new CompileError([problemAt(source, 0, 'the expression is nested too deeply')]);
    throw error;
  }
}

/**
 * Returns the result as a plain value. Throws RunError, or BudgetError if the budget is used up.
 * `now` is the time of `now()`, in milliseconds since 1970.
 */
export function runExpr(compiled: CompiledExpr, env: ExprEnv, budget: Budget, now: number = Date.now()): PlainValue {
  const run = begin(compiled, env, budget, now);
  return evaluate(compiled, run, (value) => {
    // A value of the environment is returned as it is: large lists of rows are not visited. Any
    // other may contain a list many times, so that its written size must be counted.
    return isFromEnv(compiled, run, value) ? (value as PlainValue) : toPlain(value, budget);
  });
}

/**
 * Result before it becomes plain, for callers that distinguish a float from an int and a time from
 * its text.
 */
export function runRaw(compiled: CompiledExpr, env: ExprEnv, budget: Budget): ExprValue {
  return evaluate(compiled, begin(compiled, env, budget, Date.now()), (value) => value);
}

/** `true` if the result is the value of a name, as it was given. */
function isFromEnv(compiled: CompiledExpr, run: Run, value: ExprValue): boolean {
  if (value === null || typeof value !== 'object') return false;
  for (const name of compiled.uses) if (run.lookUp(name) === value) return true;
  return false;
}

function evaluate<T>(compiled: CompiledExpr, run: Run, finish: (value: ExprValue) => T): T {
  try {
    return finish(compiled.code(run));
  } catch (error) {
    throw located(compiled, run.at, error);
  }
}

function begin(compiled: CompiledExpr, env: ExprEnv, budget: Budget, now: number): Run {
  const find = typeof env === 'function' ? env : (name: string): PlainValue | undefined => env.get(name);
  return {
    lookUp: (name) => find(name) ?? null,
    whole: () => (typeof env === 'function' ? collect(compiled.names, env) : (env as Map<string, ExprValue>)),
    budget,
    now,
    locals: compiled.slots === 0 ? NO_LOCALS : new Array<ExprValue>(compiled.slots).fill(null),
    at: 0,
    item: null,
    index: 0,
    acc: null,
  };
}

const NO_LOCALS: ExprValue[] = [];

function collect(names: readonly string[], find: (name: string) => PlainValue | undefined): ExprValue {
  const all = new Map<string, ExprValue>();
  for (const name of names) {
    const value = find(name);
    if (value !== undefined) all.set(name, value);
  }
  return all;
}

function located(compiled: CompiledExpr, at: number, error: unknown): unknown {
  if (error instanceof BudgetError) {
    error.problem ??= problemAt(compiled.source, at, error.message);
    return error;
  }
  if (error instanceof Fault) return new RunError(problemAt(compiled.source, at, error.message), [], error.verdict);
  // Stack overflow of the engine, or an array or string of more than its maximum size: no budget
  // covers these.
  if (error instanceof RangeError)
    return new RunError(problemAt(compiled.source, at, `the expression goes beyond what can be held: ${error.message}`));
  return error;
}
