/**
 * Compiles binary operators: a fast path for small ints, and the general operator for the rest. The
 * position is recorded just before anything that may fail.
 */
import type { Expression, LarkBinaryNode } from '../syntax/ast.ts';
import { equalStrings } from '../values/compare.ts';
import type { Evaluate } from '../values/function.ts';
import { binaryOperator, concat } from '../values/operators.ts';
import type { Thread } from '../values/thread.ts';
import { LarkFloat, type LarkValue } from '../values/value.ts';
import type { Compiler } from './context.ts';

const MAX = Number.MAX_SAFE_INTEGER;

type Maker = (left: Evaluate, right: Evaluate, at: number) => Evaluate;
type ConstantMaker = (left: Evaluate, right: number, at: number) => Evaluate;
type Operator = (thread: Thread, a: LarkValue, b: LarkValue) => LarkValue;

const slow = (sign: string): Operator => binaryOperator(sign);
const ADD = slow('+');
const SUBTRACT = slow('-');
const MULTIPLY = slow('*');
const MODULO = slow('%');
const FLOOR = slow('//');
const EQUAL = slow('==');
const UNEQUAL = slow('!=');
const LESS = slow('<');
const LESS_EQUAL = slow('<=');
const GREATER = slow('>');
const GREATER_EQUAL = slow('>=');

const MAKERS: Readonly<Record<string, Maker>> = {
  '+': (left, right, at) => (frame, thread) => {
    const a = left(frame, thread);
    const b = right(frame, thread);
    if (typeof a === 'number' && typeof b === 'number') {
      const sum = a + b;
      if (sum <= MAX && sum >= -MAX) return sum;
    } else if (typeof a === 'string' && typeof b === 'string') {
      thread.at = at;
      return concat(thread, a, b);
    } else if (a instanceof LarkFloat && b instanceof LarkFloat) {
      return new LarkFloat(a.value + b.value);
    }
    thread.at = at;
    return ADD(thread, a, b);
  },
  '-': (left, right, at) => (frame, thread) => {
    const a = left(frame, thread);
    const b = right(frame, thread);
    if (typeof a === 'number' && typeof b === 'number') {
      const difference = a - b;
      if (difference <= MAX && difference >= -MAX) return difference;
    }
    thread.at = at;
    return SUBTRACT(thread, a, b);
  },
  '*': (left, right, at) => (frame, thread) => {
    const a = left(frame, thread);
    const b = right(frame, thread);
    if (typeof a === 'number' && typeof b === 'number') {
      const product = a * b;
      if (product <= MAX && product >= -MAX) return product + 0;
    } else if (a instanceof LarkFloat && b instanceof LarkFloat) {
      return new LarkFloat(a.value * b.value);
    }
    thread.at = at;
    return MULTIPLY(thread, a, b);
  },
  '%': (left, right, at) => (frame, thread) => {
    const a = left(frame, thread);
    const b = right(frame, thread);
    if (typeof a === 'number' && typeof b === 'number' && a >= 0 && b > 0) return a % b;
    thread.at = at;
    return MODULO(thread, a, b);
  },
  '//': (left, right, at) => (frame, thread) => {
    const a = left(frame, thread);
    const b = right(frame, thread);
    thread.at = at;
    return FLOOR(thread, a, b);
  },
  '==': (left, right, at) => (frame, thread) => {
    const a = left(frame, thread);
    const b = right(frame, thread);
    if (typeof a === 'number' && typeof b === 'number') return a === b;
    if (typeof a === 'string' && typeof b === 'string') return equalStrings(thread, a, b);
    thread.at = at;
    return EQUAL(thread, a, b);
  },
  '!=': (left, right, at) => (frame, thread) => {
    const a = left(frame, thread);
    const b = right(frame, thread);
    if (typeof a === 'number' && typeof b === 'number') return a !== b;
    if (typeof a === 'string' && typeof b === 'string') return !equalStrings(thread, a, b);
    thread.at = at;
    return UNEQUAL(thread, a, b);
  },
  '<': (left, right, at) => (frame, thread) => {
    const a = left(frame, thread);
    const b = right(frame, thread);
    if (typeof a === 'number' && typeof b === 'number') return a < b;
    thread.at = at;
    return LESS(thread, a, b);
  },
  '<=': (left, right, at) => (frame, thread) => {
    const a = left(frame, thread);
    const b = right(frame, thread);
    if (typeof a === 'number' && typeof b === 'number') return a <= b;
    thread.at = at;
    return LESS_EQUAL(thread, a, b);
  },
  '>': (left, right, at) => (frame, thread) => {
    const a = left(frame, thread);
    const b = right(frame, thread);
    if (typeof a === 'number' && typeof b === 'number') return a > b;
    thread.at = at;
    return GREATER(thread, a, b);
  },
  '>=': (left, right, at) => (frame, thread) => {
    const a = left(frame, thread);
    const b = right(frame, thread);
    if (typeof a === 'number' && typeof b === 'number') return a >= b;
    thread.at = at;
    return GREATER_EQUAL(thread, a, b);
  },
};

/** The same with a constant small int on the right. */
const CONSTANT_MAKERS: Readonly<Record<string, ConstantMaker>> = {
  '+': (left, b, at) => (frame, thread) => {
    const a = left(frame, thread);
    if (typeof a === 'number') {
      const sum = a + b;
      if (sum <= MAX && sum >= -MAX) return sum;
    }
    thread.at = at;
    return ADD(thread, a, b);
  },
  '-': (left, b, at) => (frame, thread) => {
    const a = left(frame, thread);
    if (typeof a === 'number') {
      const difference = a - b;
      if (difference <= MAX && difference >= -MAX) return difference;
    }
    thread.at = at;
    return SUBTRACT(thread, a, b);
  },
  '*': (left, b, at) => (frame, thread) => {
    const a = left(frame, thread);
    if (typeof a === 'number') {
      const product = a * b;
      if (product <= MAX && product >= -MAX) return product + 0;
    }
    thread.at = at;
    return MULTIPLY(thread, a, b);
  },
  '%': (left, b, at) => (frame, thread) => {
    const a = left(frame, thread);
    if (typeof a === 'number' && a >= 0 && b > 0) return a % b;
    thread.at = at;
    return MODULO(thread, a, b);
  },
  '//': (left, b, at) => (frame, thread) => {
    const a = left(frame, thread);
    if (typeof a === 'number' && a >= 0 && b > 0 && a <= 0x7fff_ffff) return Math.floor(a / b);
    thread.at = at;
    return FLOOR(thread, a, b);
  },
  '==': (left, b, at) => (frame, thread) => {
    const a = left(frame, thread);
    if (typeof a === 'number') return a === b;
    thread.at = at;
    return EQUAL(thread, a, b);
  },
  '!=': (left, b, at) => (frame, thread) => {
    const a = left(frame, thread);
    if (typeof a === 'number') return a !== b;
    thread.at = at;
    return UNEQUAL(thread, a, b);
  },
  '<': (left, b, at) => (frame, thread) => {
    const a = left(frame, thread);
    if (typeof a === 'number') return a < b;
    thread.at = at;
    return LESS(thread, a, b);
  },
  '>': (left, b, at) => (frame, thread) => {
    const a = left(frame, thread);
    if (typeof a === 'number') return a > b;
    thread.at = at;
    return GREATER(thread, a, b);
  },
};

export function compileBinary(compiler: Compiler, node: LarkBinaryNode): Evaluate {
  return combine(compiler, node.op, compiler.expression(node.left), node.right, node.at);
}

/** Applies an operator to a left side that is already compiled, as augmented assignments need. */
export function combine(compiler: Compiler, op: string, left: Evaluate, rightNode: Expression, at: number): Evaluate {
  if (rightNode.kind === 'literal' && rightNode.type === 'int' && typeof rightNode.value === 'number') {
    const maker = CONSTANT_MAKERS[op];
    if (maker !== undefined) return maker(left, rightNode.value, at);
  }
  const right = compiler.expression(rightNode);
  const maker = MAKERS[op];
  if (maker !== undefined) return maker(left, right, at);
  const operator = binaryOperator(op);
  return (frame, thread) => {
    const a = left(frame, thread);
    const b = right(frame, thread);
    thread.at = at;
    return operator(thread, a, b);
  };
}
