/**
 * Compiles augmented assignments: the target is evaluated once; lists and dicts change in place.
 */

import { getAttribute, setAttribute } from '../library/attributes.ts';
import type { AssignStatement, LarkNameNode } from '../syntax/ast.ts';
import { fail } from '../values/failure.ts';
import type { Execute, Frame } from '../values/function.ts';
import { ENTRY_BYTES, getIndex, setIndex } from '../values/indexing.ts';
import { elementsOf, isIterable } from '../values/iterate.ts';
import { binaryOperator } from '../values/operators.ts';
import { LarkDict } from '../values/table.ts';
import type { Thread } from '../values/thread.ts';
import { LarkList, type LarkValue } from '../values/value.ts';
import { combine } from './binary.ts';
import type { Compiler } from './context.ts';
import { compileName, plainSlot, storeName } from './name.ts';

/** `+=` on a list and `|=` on a dict; `undefined` if a new value must be created. */
function inPlace(thread: Thread, op: string, target: LarkValue, value: LarkValue): LarkValue | undefined {
  if (op === '+' && target instanceof LarkList && isIterable(value)) {
    target.checkMutable('apply += to');
    for (const item of elementsOf(thread, value) ?? []) target.items.push(item);
    return target;
  }
  if (op === '|' && target instanceof LarkDict && value instanceof LarkDict) {
    if (target.frozen) fail('cannot apply |= to frozen hash table');
    if (target.iterating > 0) fail('cannot apply |= to hash table during iteration');
    thread.charge(value.size * ENTRY_BYTES);
    thread.spend(value.size);
    for (const [key, item] of [...value.pairs(thread)]) target.set(thread, key, item);
    return target;
  }
  return undefined;
}

export function compileAugmented(compiler: Compiler, statement: AssignStatement): Execute {
  const { target, at } = statement;
  if (target.kind === 'name') return augmentName(compiler, statement, target);
  const update = updater(compiler, statement);
  if (target.kind === 'index') {
    const object = compiler.expression(target.object);
    const key = compiler.expression(target.key);
    return (frame, thread) => {
      const into = object(frame, thread);
      const index = key(frame, thread);
      thread.at = target.at;
      const value = update(frame, thread, getIndex(thread, into, index));
      thread.at = at;
      setIndex(thread, into, index, value);
      return undefined;
    };
  }
  if (target.kind !== 'dot') throw new Error(`cannot assign to ${target.kind}`);
  const object = compiler.expression(target.object);
  return (frame, thread) => {
    const into = object(frame, thread);
    thread.at = target.at;
    const value = update(frame, thread, getAttribute(thread, into, target.name));
    thread.at = at;
    setAttribute(into, target.name, value);
    return undefined;
  };
}

function updater(compiler: Compiler, statement: AssignStatement): (frame: Frame, thread: Thread, current: LarkValue) => LarkValue {
  const { op, at } = statement;
  const right = compiler.expression(statement.value);
  const operator = binaryOperator(op);
  return (frame, thread, current) => {
    const value = right(frame, thread);
    if (op === '+' && typeof current === 'number' && typeof value === 'number') {
      const sum = current + value;
      if (Number.isSafeInteger(sum)) return sum;
    }
    thread.at = at;
    return inPlace(thread, op, current, value) ?? operator(thread, current, value);
  };
}

function augmentName(compiler: Compiler, statement: AssignStatement, target: LarkNameNode): Execute {
  const { op, at } = statement;
  const current = compileName(compiler, target);
  const store = storeName(compiler, target);
  const slot = plainSlot(compiler, target);
  const result = combine(compiler, op, current, statement.value, at);
  const plain: Execute =
    slot === undefined
      ? (frame, thread) => {
          store(frame, thread, result(frame, thread));
          return undefined;
        }
      : (frame, thread) => {
          frame[slot] = result(frame, thread);
          return undefined;
        };
  if (op !== '+' && op !== '|') return plain;
  const update = updater(compiler, statement);
  return (frame, thread) => {
    const value = current(frame, thread);
    if (!(value instanceof LarkList || value instanceof LarkDict)) return plain(frame, thread);
    store(frame, thread, update(frame, thread, value));
    return undefined;
  };
}
