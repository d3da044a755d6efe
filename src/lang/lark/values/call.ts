/** Calls: binds arguments to a frame, runs the function, and records the call stack on failure. */
import { BudgetError } from '../../budget.ts';
import { Extension } from './extension.ts';
import { fail, orElse } from './failure.ts';
import type { CodeParameter, FunctionCode } from './function.ts';
import { Cell, type Frame, Jump, LarkBuiltin, LarkFunction, type NamedArgument } from './function.ts';
import { SLOT_BYTES } from './iterate.ts';
import { LarkDict } from './table.ts';
import { nearest } from './text/spell.ts';
import type { Thread } from './thread.ts';
import { LarkTuple, type LarkValue, typeOf } from './value.ts';

export const NO_NAMED: NamedArgument = [];

/** Allocates an empty frame. Small sizes are array literals, which the engine allocates faster. */
export function newFrame(size: number, globals: Frame): Frame {
  switch (size) {
    case 1:
      return [globals];
    case 2:
      return [globals, undefined];
    case 3:
      return [globals, undefined, undefined];
    case 4:
      return [globals, undefined, undefined, undefined];
    case 5:
      return [globals, undefined, undefined, undefined, undefined];
    case 6:
      return [globals, undefined, undefined, undefined, undefined, undefined];
    default: {
      const frame: Frame = new Array(size);
      frame[0] = globals;
      return frame;
    }
  }
}

/** Runs a function in a frame that already holds the arguments. */
export function invoke(thread: Thread, fn: LarkFunction, frame: Frame, callerAt: number): LarkValue {
  const code = fn.code;
  if (--thread.slice < 0) thread.tick();
  if (code.active && !code.recursion) fail(`function ${code.name} called recursively`);
  if (++thread.depth > thread.maxDepth) thread.tooDeep();
  const cells = fn.cells;
  for (let i = 0; i < cells.length; i++) frame[code.freeSlot + i] = cells[i];
  const own = code.cellSlots;
  for (let i = 0; i < own.length; i++) {
    const slot = own[i] as number;
    frame[slot] = new Cell(frame[slot] as LarkValue | undefined);
  }
  code.active = true;
  let result: ReturnType<typeof code.body>;
  try {
    result = code.body(frame, thread);
  } catch (error) {
    code.active = false;
    thread.depth--;
    throw thread.leave(error, code.name, code.source, callerAt);
  }
  code.active = false;
  thread.depth--;
  return result === undefined || result instanceof Jump ? null : result;
}

/** Calls any value on behalf of the call at an offset of the program. */
export function call(thread: Thread, callee: LarkValue, args: readonly LarkValue[], named: NamedArgument, at: number): LarkValue {
  if (callee instanceof LarkFunction) return invoke(thread, callee, bind(thread, callee, args, named), at);
  if (callee instanceof LarkBuiltin) return callBuiltin(thread, callee.name, callee.body, args, named, callee.self ?? null, at);
  const result = callee instanceof Extension ? callee.call(thread, args, named) : undefined;
  return orElse(result, () => fail(`invalid call of non-function (${typeOf(callee)})`));
}

export function callBuiltin(
  thread: Thread,
  name: string,
  body: LarkBuiltin['body'],
  args: readonly LarkValue[],
  named: NamedArgument,
  self: LarkValue,
  at: number,
): LarkValue {
  if (--thread.slice < 0) thread.tick();
  try {
    return body(thread, args, named, self);
  } catch (error) {
    throw error instanceof BudgetError ? error : thread.leave(error, name, undefined, at);
  }
}

/** Calls back from a builtin. The position of the builtin stays the current one. */
export function callBack(thread: Thread, callee: LarkValue, args: readonly LarkValue[]): LarkValue {
  const at = thread.at;
  const result = call(thread, callee, args, NO_NAMED, at);
  thread.at = at;
  return result;
}

/** Binds the arguments of a call to the slots of a new frame. */
function bind(thread: Thread, fn: LarkFunction, args: readonly LarkValue[], named: NamedArgument): Frame {
  const code = fn.code;
  const frame = newFrame(code.size, fn.globals);
  const { positional, keywordOnly } = code;
  if (named.length > 0) thread.spend((named.length * (positional.length + keywordOnly.length)) >> 2);
  if (code.simple === 0 && args.length + named.length > 0) {
    fail(`function ${code.name} accepts no arguments (${args.length + named.length} given)`);
  }
  const plain = Math.min(args.length, positional.length);
  for (let i = 0; i < plain; i++) frame[(positional[i] as CodeParameter).slot] = args[i];
  if (code.starSlot >= 0) frame[code.starSlot] = restOf(thread, args, plain);
  else if (args.length > positional.length) tooMany(code, args, named);
  const rest = code.starStarSlot >= 0 ? new LarkDict() : undefined;
  if (rest !== undefined) frame[code.starStarSlot] = rest;
  for (const [name, value] of named) bindNamed(thread, code, frame, rest, name, value);
  const missing = [...fill(fn, frame, positional), ...fill(fn, frame, keywordOnly)];
  if (missing.length > 0) {
    fail(`function ${code.name} missing ${missing.length} argument${missing.length === 1 ? '' : 's'} (${missing.join(', ')})`);
  }
  return frame;
}

/** Arguments of `*args`. */
function restOf(thread: Thread, args: readonly LarkValue[], from: number): LarkTuple {
  thread.charge((args.length - from + 1) * SLOT_BYTES);
  thread.spend(args.length >> 2);
  return new LarkTuple(args.slice(from));
}

function bindNamed(thread: Thread, code: FunctionCode, frame: Frame, rest: LarkDict | undefined, name: string, value: LarkValue): void {
  const param = code.positional.find((p) => p.name === name) ?? code.keywordOnly.find((p) => p.name === name);
  if (param !== undefined) {
    if (frame[param.slot] !== undefined) fail(`function ${code.name} got multiple values for parameter "${name}"`);
    frame[param.slot] = value;
    return;
  }
  if (rest === undefined) {
    const meant = nearest(
      name,
      [...code.positional, ...code.keywordOnly].map((p) => p.name),
    );
    fail(`function ${code.name} got an unexpected keyword argument "${name}"${meant === undefined ? '' : ` (did you mean ${meant}?)`}`);
  }
  if (rest.has(thread, name)) fail(`function ${code.name} got multiple values for parameter "${name}"`);
  rest.set(thread, name, value);
}

/** Fills in the defaults and returns the names of parameters that are still missing. */
function fill(fn: LarkFunction, frame: Frame, params: readonly CodeParameter[]): string[] {
  const missing: string[] = [];
  for (const param of params) {
    if (frame[param.slot] !== undefined) continue;
    const fallback = param.fallback < 0 ? undefined : fn.defaults[param.fallback];
    if (fallback === undefined) missing.push(param.name);
    else frame[param.slot] = fallback;
  }
  return missing;
}

function tooMany(code: FunctionCode, args: readonly LarkValue[], named: NamedArgument): never {
  const max = code.positional.length;
  const count = args.length;
  const repeated = code.positional.find((p, i) => i < count && named.some(([name]) => name === p.name));
  if (repeated !== undefined) fail(`function ${code.name} got multiple values for parameter "${repeated.name}"`);
  const optional = code.positional.some((p) => p.fallback >= 0);
  const limit = `${optional ? 'at most ' : ''}${max} positional argument${max === 1 ? '' : 's'}`;
  return fail(`function ${code.name} accepts ${limit} (${count} given)`);
}
