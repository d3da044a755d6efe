/**
 * Compiles comprehensions from the innermost clause out; each clause calls the next for every
 * element that passes.
 */
import type { ComprehensionNode, ForClause, IfClause } from '../syntax/ast.ts';
import type { Evaluate, Frame } from '../values/function.ts';
import { ENTRY_BYTES } from '../values/indexing.ts';
import { SLOT_BYTES } from '../values/iterate.ts';
import { LarkDict } from '../values/table.ts';
import type { Thread } from '../values/thread.ts';
import { LarkList, LarkRange, type LarkValue } from '../values/value.ts';
import type { Compiler } from './context.ts';
import { forEach } from './loop.ts';
import { plainSlot } from './name.ts';

type Emit<T> = (frame: Frame, thread: Thread, into: T) => void;

export function compileComprehension(compiler: Compiler, node: ComprehensionNode): Evaluate {
  const { body, entry, clauses } = node;
  if (entry !== undefined) {
    const key = compiler.expression(entry.key);
    const value = compiler.expression(entry.value);
    const at = entry.at;
    const emit: Emit<LarkDict> = (frame, thread, into) => {
      const k = key(frame, thread);
      const v = value(frame, thread);
      thread.at = at;
      thread.charge(ENTRY_BYTES);
      into.set(thread, k, v);
    };
    const run = chain(compiler, clauses, emit);
    return (frame, thread) => {
      const dict = new LarkDict();
      run(frame, thread, dict);
      return dict;
    };
  }
  if (body === undefined) throw new Error('a comprehension without a body');
  const element = compiler.expression(body);
  const at = node.at;
  const emit: Emit<LarkValue[]> = (frame, thread, into) => {
    const value = element(frame, thread);
    thread.at = at;
    thread.charge(SLOT_BYTES);
    into.push(value);
  };
  const run = chain(compiler, clauses, emit);
  return (frame, thread) => {
    const items: LarkValue[] = [];
    run(frame, thread, items);
    return new LarkList(items);
  };
}

function chain<T>(compiler: Compiler, clauses: readonly (ForClause | IfClause)[], last: Emit<T>): Emit<T> {
  return clauses.reduceRight<Emit<T>>((next, clause) => {
    if (clause.kind === 'if') {
      const test = compiler.test(clause.condition);
      return (frame, thread, into) => {
        if (test(frame, thread)) next(frame, thread, into);
      };
    }
    const over = compiler.expression(clause.over);
    const store = compiler.store(clause.target);
    const slot = clause.target.kind === 'name' ? plainSlot(compiler, clause.target) : undefined;
    const at = clause.at;
    return (frame, thread, into) => {
      const sequence = over(frame, thread);
      thread.at = at;
      if (sequence instanceof LarkRange) {
        const { length, step } = sequence;
        for (let i = 0, value = sequence.start; i < length; i++, value += step) {
          if (--thread.slice < 0) thread.tick();
          if (slot === undefined) store(frame, thread, value);
          else frame[slot] = value;
          next(frame, thread, into);
        }
        return;
      }
      forEach(thread, sequence, (value) => {
        store(frame, thread, value);
        next(frame, thread, into);
        return undefined;
      });
    };
  }, last);
}
