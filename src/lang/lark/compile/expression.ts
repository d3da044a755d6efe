/**
 * Compiles all other expressions: literals, collections, conditions, indexes, slices, functions.
 */

import { getAttribute } from '../library/attributes.ts';
import type { DictNode, Expression, IndexNode, LarkSliceNode, SequenceNode } from '../syntax/ast.ts';
import { truth } from '../values/compare.ts';
import { fail } from '../values/failure.ts';
import type { Evaluate, Test } from '../values/function.ts';
import { ENTRY_BYTES, getIndex, getSlice } from '../values/indexing.ts';
import { SLOT_BYTES } from '../values/iterate.ts';
import { unary } from '../values/operators.ts';
import { LarkDict } from '../values/table.ts';
import { repr } from '../values/text/text.ts';
import { EMPTY_TUPLE, LarkBytes, LarkFloat, LarkList, LarkTuple, type LarkValue } from '../values/value.ts';
import { compileBinary } from './binary.ts';
import { compileCall } from './call.ts';
import { compileComprehension } from './comprehension.ts';
import type { Compiler } from './context.ts';
import { compileFunction } from './function.ts';
import { compileName } from './name.ts';

const BOOLEAN = new Set(['==', '!=', '<', '<=', '>', '>=', 'in', 'not in']);

export function compileExpression(compiler: Compiler, node: Expression): Evaluate {
  switch (node.kind) {
    case 'name':
      return compileName(compiler, node);
    case 'literal': {
      const value: LarkValue =
        node.type === 'float'
          ? new LarkFloat(Number(node.value))
          : node.value instanceof Uint8Array
            ? new LarkBytes(node.value)
            : node.value;
      return () => value;
    }
    case 'list':
    case 'tuple':
      return compileSequence(compiler, node);
    case 'dict':
      return compileDict(compiler, node);
    case 'comprehension':
      return compileComprehension(compiler, node);
    case 'conditional': {
      const condition = compiler.test(node.condition);
      const then = compiler.expression(node.then);
      const otherwise = compiler.expression(node.otherwise);
      return (frame, thread) => (condition(frame, thread) ? then(frame, thread) : otherwise(frame, thread));
    }
    case 'unary':
      return compileUnary(compiler, node.op, node.operand, node.at);
    case 'binary':
      return node.op === 'and' || node.op === 'or'
        ? compileLogical(compiler, node.op, node.left, node.right)
        : compileBinary(compiler, node);
    case 'call':
      return compileCall(compiler, node);
    case 'dot': {
      const object = compiler.expression(node.object);
      return (frame, thread) => {
        const value = object(frame, thread);
        thread.at = node.at;
        return getAttribute(thread, value, node.name);
      };
    }
    case 'index':
      return compileIndex(compiler, node);
    case 'slice':
      return compileSlice(compiler, node);
    case 'function':
      return compileFunction(compiler, node);
  }
}

function compileSequence(compiler: Compiler, node: SequenceNode): Evaluate {
  const items = node.items.map((item) => compiler.expression(item));
  const bytes = (items.length + 2) * SLOT_BYTES;
  if (node.kind === 'tuple' && items.length === 0) return () => EMPTY_TUPLE;
  const [first, second] = items;
  if (node.kind === 'tuple' && items.length === 2 && first !== undefined && second !== undefined) {
    return (frame, thread) => {
      thread.charge(bytes);
      return new LarkTuple([first(frame, thread), second(frame, thread)]);
    };
  }
  return (frame, thread) => {
    const values: LarkValue[] = [];
    for (let i = 0; i < items.length; i++) values.push((items[i] as Evaluate)(frame, thread));
    thread.charge(bytes);
    return node.kind === 'list' ? new LarkList(values) : new LarkTuple(values);
  };
}

function compileDict(compiler: Compiler, node: DictNode): Evaluate {
  const entries = node.entries.map((entry) => ({
    key: compiler.expression(entry.key),
    value: compiler.expression(entry.value),
    at: entry.at,
  }));
  return (frame, thread) => {
    const dict = new LarkDict();
    thread.charge((entries.length + 1) * ENTRY_BYTES);
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as (typeof entries)[number];
      const key = entry.key(frame, thread);
      const value = entry.value(frame, thread);
      thread.at = entry.at;
      const before = dict.size;
      dict.set(thread, key, value);
      if (dict.size === before) fail(`duplicate key: ${repr(thread, key)}`);
    }
    return dict;
  };
}

function compileUnary(compiler: Compiler, op: string, node: Expression, at: number): Evaluate {
  if (op === 'not') {
    const test = compiler.test(node);
    return (frame, thread) => !test(frame, thread);
  }
  const operand = compiler.expression(node);
  return (frame, thread) => {
    const value = operand(frame, thread);
    thread.at = at;
    return unary(op, value);
  };
}

function compileLogical(compiler: Compiler, op: 'and' | 'or', leftNode: Expression, rightNode: Expression): Evaluate {
  const left = compiler.expression(leftNode);
  const right = compiler.expression(rightNode);
  if (op === 'and') {
    return (frame, thread) => {
      const value = left(frame, thread);
      return truth(value) ? right(frame, thread) : value;
    };
  }
  return (frame, thread) => {
    const value = left(frame, thread);
    return truth(value) ? value : right(frame, thread);
  };
}

function compileIndex(compiler: Compiler, node: IndexNode): Evaluate {
  const object = compiler.expression(node.object);
  const key = compiler.expression(node.key);
  const { at } = node;
  return (frame, thread) => {
    const value = object(frame, thread);
    const index = key(frame, thread);
    if (value instanceof LarkDict) {
      if (typeof index === 'string' || typeof index === 'number') {
        const item = value.get(thread, index);
        if (item !== undefined) return item;
      }
    } else if (typeof index === 'number' && index >= 0 && (value instanceof LarkList || value instanceof LarkTuple)) {
      const item = value.items[index];
      if (item !== undefined) return item;
    }
    thread.at = at;
    return getIndex(thread, value, index);
  };
}

function compileSlice(compiler: Compiler, node: LarkSliceNode): Evaluate {
  const part = (expression: Expression | undefined): Evaluate | undefined =>
    expression === undefined ? undefined : compiler.expression(expression);
  const object = compiler.expression(node.object);
  const low = part(node.low);
  const high = part(node.high);
  const step = part(node.step);
  return (frame, thread) => {
    const value = object(frame, thread);
    const from = low?.(frame, thread);
    const to = high?.(frame, thread);
    const by = step?.(frame, thread);
    thread.at = node.at;
    return getSlice(thread, value, from, to, by);
  };
}

/** Compiles a condition to a boolean, without an intermediate value. */
export function compileTest(compiler: Compiler, node: Expression): Test {
  if (node.kind === 'unary' && node.op === 'not') {
    const test = compiler.test(node.operand);
    return (frame, thread) => !test(frame, thread);
  }
  if (node.kind === 'binary' && (node.op === 'and' || node.op === 'or')) {
    const left = compiler.test(node.left);
    const right = compiler.test(node.right);
    if (node.op === 'and') return (frame, thread) => left(frame, thread) && right(frame, thread);
    return (frame, thread) => left(frame, thread) || right(frame, thread);
  }
  const value = compiler.expression(node);
  if (node.kind === 'binary' && BOOLEAN.has(node.op)) return value as Test;
  return (frame, thread) => truth(value(frame, thread));
}
