/**
 * Compiles statements. `undefined` means that a statement ran to its end; anything else ends the
 * enclosing block.
 */

import { setAttribute } from '../library/attributes.ts';
import type { AssignStatement, Expression, ForStatement, IfStatement, LarkStatement, LoadStatement } from '../syntax/ast.ts';
import { fail } from '../values/failure.ts';
import { BREAK, CONTINUE, type Evaluate, type Execute, type Frame, type Test } from '../values/function.ts';
import { setIndex } from '../values/indexing.ts';
import { isIterable, viewOf } from '../values/iterate.ts';
import { nearest } from '../values/text/spell.ts';
import type { Thread } from '../values/thread.ts';
import { LarkList, LarkRange, type LarkValue, typeOf } from '../values/value.ts';
import { compileAugmented } from './augmented.ts';
import type { Assign, Compiler } from './context.ts';
import { compileFunction } from './function.ts';
import { forEach } from './loop.ts';
import { plainSlot, storeName } from './name.ts';

export function compileBlock(compiler: Compiler, statements: readonly LarkStatement[]): Execute {
  const list = statements.filter((statement) => statement.kind !== 'pass').map((statement) => compileStatement(compiler, statement));
  const [first, second] = list;
  if (first === undefined) return () => undefined;
  if (second === undefined) return first;
  if (list.length === 2) {
    return (frame, thread) => {
      const result = first(frame, thread);
      return result === undefined ? second(frame, thread) : result;
    };
  }
  return (frame, thread) => {
    for (let i = 0; i < list.length; i++) {
      const result = (list[i] as Execute)(frame, thread);
      if (result !== undefined) return result;
    }
    return undefined;
  };
}

function compileStatement(compiler: Compiler, statement: LarkStatement): Execute {
  switch (statement.kind) {
    case 'expression': {
      const value = compiler.expression(statement.value);
      return (frame, thread) => {
        value(frame, thread);
        return undefined;
      };
    }
    case 'assign':
      return statement.op === '=' ? compileAssign(compiler, statement) : compileAugmented(compiler, statement);
    case 'def': {
      const fn = compileFunction(compiler, statement.fn);
      const store = storeName(compiler, statement.target);
      return (frame, thread) => {
        store(frame, thread, fn(frame, thread));
        return undefined;
      };
    }
    case 'return': {
      const value: Evaluate = statement.value === undefined ? () => null : compiler.expression(statement.value);
      return value;
    }
    case 'if':
      return compileIf(compiler, statement);
    case 'for':
      return compileFor(compiler, statement);
    case 'while': {
      const test = compiler.test(statement.condition);
      const body = compiler.block(statement.body);
      return (frame, thread) => {
        while (test(frame, thread)) {
          if (--thread.slice < 0) thread.tick();
          const result = body(frame, thread);
          if (result === undefined || result === CONTINUE) continue;
          return result === BREAK ? undefined : result;
        }
        return undefined;
      };
    }
    case 'break':
      return () => BREAK;
    case 'continue':
      return () => CONTINUE;
    case 'pass':
      return () => undefined;
    case 'load':
      return compileLoad(compiler, statement);
  }
}

function compileAssign(compiler: Compiler, statement: AssignStatement): Execute {
  const value = compiler.expression(statement.value);
  const slot = statement.target.kind === 'name' ? plainSlot(compiler, statement.target) : undefined;
  if (slot !== undefined) {
    return (frame, thread) => {
      frame[slot] = value(frame, thread);
      return undefined;
    };
  }
  const store = compiler.store(statement.target);
  return (frame, thread) => {
    store(frame, thread, value(frame, thread));
    return undefined;
  };
}

export function compileStore(compiler: Compiler, target: Expression): Assign {
  switch (target.kind) {
    case 'name':
      return storeName(compiler, target);
    case 'index': {
      const object = compiler.expression(target.object);
      const key = compiler.expression(target.key);
      return (frame, thread, value) => {
        const into = object(frame, thread);
        const index = key(frame, thread);
        thread.at = target.at;
        setIndex(thread, into, index, value);
      };
    }
    case 'dot': {
      const object = compiler.expression(target.object);
      return (frame, thread, value) => {
        const into = object(frame, thread);
        thread.at = target.at;
        setAttribute(into, target.name, value);
      };
    }
    case 'list':
    case 'tuple':
      return compileUnpack(compiler, target.items, target.at);
    default:
      throw new Error(`cannot assign to ${target.kind}`);
  }
}

function compileUnpack(compiler: Compiler, targets: readonly Expression[], at: number): Assign {
  const stores = targets.map((target) => compiler.store(target));
  const [first, second] = stores;
  return (frame, thread, value) => {
    thread.at = at;
    const items = isIterable(value) ? viewOf(thread, value) : undefined;
    if (items === undefined) fail(`got ${typeOf(value)} in sequence assignment`);
    if (items.length < stores.length) fail(`too few values to unpack (got ${items.length}, want ${stores.length})`);
    if (items.length > stores.length) fail(`too many values to unpack (got ${items.length}, want ${stores.length})`);
    if (stores.length === 2 && first !== undefined && second !== undefined) {
      const other = items[1] as LarkValue;
      first(frame, thread, items[0] as LarkValue);
      second(frame, thread, other);
      return;
    }
    const held = items.slice();
    for (let i = 0; i < stores.length; i++) (stores[i] as Assign)(frame, thread, held[i] as LarkValue);
  };
}

function compileIf(compiler: Compiler, statement: IfStatement): Execute {
  const otherwise = compiler.block(statement.otherwise);
  return statement.arms.reduceRight<Execute>((rest, arm) => {
    const test: Test = compiler.test(arm.condition);
    const body = compiler.block(arm.body);
    return (frame, thread) => (test(frame, thread) ? body(frame, thread) : rest(frame, thread));
  }, otherwise);
}

function compileFor(compiler: Compiler, statement: ForStatement): Execute {
  const over = compiler.expression(statement.over);
  const store = compiler.store(statement.target);
  const body = compiler.block(statement.body);
  const slot = statement.target.kind === 'name' ? plainSlot(compiler, statement.target) : undefined;
  const { at } = statement;
  const overRange = slot === undefined ? undefined : rangeLoop(slot, body);
  const overList = listLoop(slot, store, body);
  return (frame, thread) => {
    const sequence = over(frame, thread);
    thread.at = at;
    if (overRange !== undefined && sequence instanceof LarkRange) return overRange(sequence, frame, thread);
    if (sequence instanceof LarkList) {
      sequence.iterating++;
      try {
        return overList(sequence.items, frame, thread);
      } finally {
        sequence.iterating--;
      }
    }
    const result = forEach(thread, sequence, (value) => {
      if (slot === undefined) store(frame, thread, value);
      else frame[slot] = value;
      const ended = body(frame, thread);
      return ended === CONTINUE ? undefined : ended;
    });
    return result === BREAK ? undefined : result;
  };
}

type Loop<T> = (over: T, frame: Frame, thread: Thread) => ReturnType<Execute>;

/** The most frequent loops, without a callback per iteration. */
function rangeLoop(slot: number, body: Execute): Loop<LarkRange> {
  return (range, frame, thread) => {
    const { length, step } = range;
    for (let i = 0, value = range.start; i < length; i++, value += step) {
      if (--thread.slice < 0) thread.tick();
      frame[slot] = value;
      const ended = body(frame, thread);
      if (ended === undefined || ended === CONTINUE) continue;
      return ended === BREAK ? undefined : ended;
    }
    return undefined;
  };
}

function listLoop(slot: number | undefined, store: Assign, body: Execute): Loop<readonly LarkValue[]> {
  return (items, frame, thread) => {
    for (let i = 0; i < items.length; i++) {
      if (--thread.slice < 0) thread.tick();
      if (slot === undefined) store(frame, thread, items[i] as LarkValue);
      else frame[slot] = items[i];
      const ended = body(frame, thread);
      if (ended === undefined || ended === CONTINUE) continue;
      return ended === BREAK ? undefined : ended;
    }
    return undefined;
  };
}

function compileLoad(compiler: Compiler, statement: LoadStatement): Execute {
  const items = statement.items.map((item) => ({ from: item.from, at: item.at, store: storeName(compiler, item.target) }));
  return (frame, thread) => {
    thread.at = statement.at;
    const exports = thread.host.load(thread, statement.module);
    for (const item of items) {
      thread.at = item.at;
      const value = exports.get(item.from);
      if (value === undefined) {
        const meant = nearest(item.from, exports.keys());
        fail(`load: name ${item.from} not found in module ${statement.module}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`);
      }
      item.store(frame, thread, value);
    }
    return undefined;
  };
}
