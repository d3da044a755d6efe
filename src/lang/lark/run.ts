/**
 * Runs a program: fills its slots, loads its modules once, and reports errors with position and
 * call stack. Synchronous and deterministic: the same program, values, clock and limits give the
 * same result.
 */
import type { PlainValue } from '../../util/text/decimal.ts';
import { BudgetError, DEFAULT_LIMITS, type RunLimits } from '../budget.ts';
import { problemAt, RunError } from '../source.ts';
import { builtinModule } from './library/universe.ts';
import type { LarkProgram } from './program.ts';
import { fromLark, recordToLark, toLark } from './values/convert.ts';
import { type CallSite, fail, LarkFailure, MissingModule } from './values/failure.ts';
import { freeze } from './values/freeze.ts';
import { Cell, type Frame } from './values/function.ts';
import { readable } from './values/text/utf8.ts';
import { type LarkHost, Thread } from './values/thread.ts';
import type { LarkValue } from './values/value.ts';

export interface LarkRunOptions {
  /** Values of the predeclared names. The keys of a map can also be read as attributes. */
  readonly values?: ReadonlyMap<string, PlainValue>;
  readonly limits?: RunLimits;
  /** Module by name; `undefined` if it does not exist. */
  readonly modules?: (name: string) => LarkProgram | undefined;
  readonly print?: (line: string) => void;
  readonly now?: number;
}

/** A module that does not exist. */
export class LoadError extends RunError {
  readonly module: string;

  constructor(module: string, error: RunError) {
    super(error.problem, error.calls);
    this.module = module;
  }
}

/** Global variable that holds the result of a step. */
const RESULT = 'result';

/** Runs a step and returns the value of `result`. */
export function runLark(program: LarkProgram, options: LarkRunOptions = {}): PlainValue {
  const thread = makeThread(options);
  return withRunErrors(program, thread, () => {
    const globals = execute(program, thread, hostValues(program, thread, options.values));
    const binding = program.layout.globals.find((global) => global.name === RESULT);
    const value = binding === undefined ? undefined : globals[binding.slot];
    if (value === undefined) fail(`the program assigns no variable named ${RESULT}`);
    return fromLark(thread, value as LarkValue);
  });
}

/**
 * Runs a program over values of the language itself and returns its globals. For the prompt and for
 * tests.
 */
export function executeWith(program: LarkProgram, thread: Thread, values: ReadonlyMap<string, LarkValue>): Map<string, LarkValue> {
  return withRunErrors(program, thread, () => namedGlobals(program, execute(program, thread, values), () => true));
}

/** Converts only the values that the program reads. */
function hostValues(program: LarkProgram, thread: Thread, values: ReadonlyMap<string, PlainValue> | undefined): Map<string, LarkValue> {
  const converted = new Map<string, LarkValue>();
  if (values === undefined) return converted;
  for (const name of program.reads) {
    const value = values.get(name);
    if (value !== undefined) converted.set(name, value instanceof Map ? recordToLark(value, name) : toLark(thread, value));
  }
  return converted;
}

export function makeThread(options: LarkRunOptions): Thread {
  const loader = new ModuleLoader(options.modules ?? (() => undefined));
  const now = options.now;
  const host: LarkHost = {
    print: options.print ?? (() => {}),
    now: () => now ?? Date.now(),
    load: (thread, module) => loader.load(thread, module),
  };
  return new Thread(options.limits ?? DEFAULT_LIMITS, host);
}

/** Fills the slots of the file with the host's values, and runs its code. */
export function execute(program: LarkProgram, thread: Thread, values: ReadonlyMap<string, LarkValue>): Frame {
  const { layout } = program;
  const globals: Frame = new Array(layout.size);
  globals[0] = globals;
  for (const binding of layout.predeclared) globals[binding.slot] = values.get(binding.name);
  for (const slot of layout.cellSlots) globals[slot] = new Cell(undefined);
  const callerAt = thread.at;
  try {
    layout.body(globals, thread);
  } catch (error) {
    throw thread.leave(error, '<toplevel>', program.source, callerAt);
  }
  return globals;
}

function namedGlobals(program: LarkProgram, globals: Frame, keep: (name: string) => boolean): Map<string, LarkValue> {
  const named = new Map<string, LarkValue>();
  for (const { name, slot } of program.layout.globals) {
    const value = globals[slot];
    if (value !== undefined && keep(name)) named.set(name, value as LarkValue);
  }
  return named;
}

/** Runs each module once per run and freezes its exports. */
class ModuleLoader {
  readonly #find: (name: string) => LarkProgram | undefined;
  readonly #loaded = new Map<string, ReadonlyMap<string, LarkValue> | 'loading'>();

  constructor(find: (name: string) => LarkProgram | undefined) {
    this.#find = find;
  }

  load(thread: Thread, name: string): ReadonlyMap<string, LarkValue> {
    const known = this.#loaded.get(name);
    if (known === 'loading') return fail(`cannot load ${name}: cycle in load graph`);
    if (known !== undefined) return known;
    const program = this.#find(name);
    if (program === undefined) {
      return builtinModule(name) ?? this.#missing(name);
    }
    this.#loaded.set(name, 'loading');
    if (++thread.depth > thread.maxDepth) thread.tooDeep();
    const globals = execute(program, thread, new Map());
    thread.depth--;
    const exports = namedGlobals(program, globals, (global) => !global.startsWith('_'));
    freeze(thread, exports.values());
    this.#loaded.set(name, exports);
    return exports;
  }

  #missing(name: string): never {
    throw new MissingModule(name, `cannot load ${name}: no such module ${JSON.stringify(name)}`);
  }
}

/** Converts any error of a run to a CompileError, RunError or BudgetError. */
function withRunErrors<T>(program: LarkProgram, thread: Thread, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof BudgetError || error instanceof RunError) throw error;
    if (error instanceof RangeError) throw new BudgetError('depth', 'Starlark stack overflow: the program is nested too deeply');
    if (!(error instanceof LarkFailure)) throw error;
    throw toRunError(program, thread, error);
  }
}

function toRunError(program: LarkProgram, thread: Thread, failure: LarkFailure): RunError {
  const innermost = failure.sites.find((site) => site.source !== undefined);
  const problem = problemAt(innermost?.source ?? program.source, innermost?.at ?? thread.at, readable(failure.message));
  const error = new RunError(problem, failure.sites.map(siteText).reverse(), failure.verdict);
  return failure instanceof MissingModule ? new LoadError(failure.module, error) : error;
}

function siteText({ name, source, at }: CallSite): string {
  if (source === undefined) return `<builtin>: in ${name}`;
  const { line, column } = source.position(at);
  return `${source.name}:${line}:${column}: in ${name}`;
}

/** Call stack and message in the format of the reference. */
export function traceback(error: RunError): string {
  const last = /^<builtin>: in (.*)$/.exec(error.calls.at(-1) ?? '')?.[1];
  const head = last === undefined ? 'Error' : `Error in ${last}`;
  const calls = last === undefined ? error.calls : error.calls.slice(0, -1);
  return ['Traceback (most recent call last):', ...calls.map((call) => `  ${call}`), `${head}: ${error.message}`].join('\n');
}
