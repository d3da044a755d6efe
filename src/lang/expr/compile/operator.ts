/** Compiles binary operators. Each tests for plain numbers first. */

import { spendSearch } from '../library/text.ts';
import type { ExprBinaryNode, Node } from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/lex.ts';
import { INT, STRING } from '../types/nature.ts';
import { contains, range } from '../values/access.ts';
import { chargeKey, equal, order } from '../values/compare.ts';
import { add, divide, modulo, multiply, power, subtract } from '../values/number.ts';
import { compilePattern, matchesPattern, wantPattern } from '../values/pattern.ts';
import { type Code, chargeJoin, type Run } from '../values/run.ts';
import { joinText } from '../values/text.ts';
import { type ExprValue, Fault, isInt, isNil, typeName, wantBool, wantString } from '../values/value.ts';
import type { EmitContext } from './context.ts';

type Operation = (a: ExprValue, b: ExprValue, run: Run) => ExprValue;

/** Evaluates both operands, then the operation, whose errors are at the operator. */
function both(left: Code, right: Code, at: number, operation: Operation): Code {
  return (run) => {
    const a = left(run);
    const b = right(run);
    run.at = at;
    return operation(a, b, run);
  };
}

function addition(left: Code, right: Code, at: number): Code {
  return (run) => {
    const a = left(run);
    const b = right(run);
    run.at = at;
    if (typeof a === 'string' && typeof b === 'string') {
      chargeJoin(run.budget, a.length, b.length);
      return joinText(a, b);
    }
    return add(a, b);
  };
}

/** One closure per comparison, so that each stays monomorphic. */
const COMPARISONS: Readonly<Record<string, (left: Code, right: Code, at: number) => Code>> = {
  '<': (left, right, at) => (run) => {
    const a = left(run);
    const b = right(run);
    if (typeof a === 'number' && typeof b === 'number') return a < b;
    run.at = at;
    return order(a, b, '<', run.budget) < 0;
  },
  '>': (left, right, at) => (run) => {
    const a = left(run);
    const b = right(run);
    if (typeof a === 'number' && typeof b === 'number') return a > b;
    run.at = at;
    return order(a, b, '>', run.budget) > 0;
  },
  '<=': (left, right, at) => (run) => {
    const a = left(run);
    const b = right(run);
    if (typeof a === 'number' && typeof b === 'number') return a <= b;
    run.at = at;
    return order(a, b, '<=', run.budget) <= 0;
  },
  '>=': (left, right, at) => (run) => {
    const a = left(run);
    const b = right(run);
    if (typeof a === 'number' && typeof b === 'number') return a >= b;
    run.at = at;
    return order(a, b, '>=', run.budget) >= 0;
  },
};

/** Applies to two strings. A nil operand gives false. */
function textual(test: (whole: string, part: string, run: Run) => boolean): Operation {
  return (a, b, run) => !isNil(a) && !isNil(b) && test(wantString(a), wantString(b), run);
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  '-': subtract,
  '*': multiply,
  '/': divide,
  '%': modulo,
  '**': power,
  '^': power,
  '..': (a, b, run) => range(a, b, run.budget),
  in: (a, b, run) => contains(a, b, run.budget),
  contains: textual((whole, part, run) => {
    spendSearch(run.budget, whole, part);
    return whole.includes(part);
  }),
  startsWith: textual((whole, part, run) => {
    run.budget.spend(part.length >> 6);
    return whole.startsWith(part);
  }),
  endsWith: textual((whole, part, run) => {
    run.budget.spend(part.length >> 6);
    return whole.endsWith(part);
  }),
  matches: (a, b, run) => !isNil(a) && !isNil(b) && matchesPattern(wantPattern(wantString(b), run.budget), subjectOf(a), run.budget),
};

function subjectOf(value: ExprValue): string | Uint8Array {
  if (typeof value === 'string' || value instanceof Uint8Array) return value;
  throw new Fault(`matches takes a string, not ${typeName(value)}`);
}

type Special = (emitter: EmitContext, node: ExprBinaryNode) => Code;

const SPECIAL: Readonly<Record<string, Special>> = {
  '==': (emitter, node) => equality(emitter, node),
  '!=': (emitter, node) => {
    const same = equality(emitter, node);
    return (run) => !same(run);
  },
  and: logical(false),
  '&&': logical(false),
  or: logical(true),
  '||': logical(true),
  '??': coalescing,
  'in strings': inStrings,
};

export function emitBinary(emitter: EmitContext, node: ExprBinaryNode): Code {
  const { op, left, right, at } = node;
  const special = SPECIAL[op];
  if (special !== undefined) return special(emitter, node);
  if (op === 'matches' && right.kind === 'string') return matchesLiteral(emitter, left, right.value, at);
  const [first, second] = [emitter.emit(left), emitter.emit(right)];
  if (op === '+') return addition(first, second, at);
  const comparison = COMPARISONS[op];
  if (comparison !== undefined) return comparison(first, second, at);
  const operation = OPERATIONS[op];
  if (operation === undefined) throw new SyntaxFault(at, `the operator ${op} is not known`);
  return both(first, second, at, operation);
}

/**
 * If both operands are known to be ints or strings, any other value is an error, as in the
 * reference.
 */
function equality(emitter: EmitContext, { left, right, at }: ExprBinaryNode): Code {
  const [first, second] = [emitter.emit(left), emitter.emit(right)];
  const known = left.nature.type === right.nature.type ? left.nature.type : '';
  const expected = known === INT.type ? isInt : known === STRING.type ? (value: ExprValue) => typeof value === 'string' : undefined;
  return (run) => {
    const a = first(run);
    const b = second(run);
    if (expected !== undefined && !(expected(a) && expected(b))) {
      run.at = at;
      throw new Fault(`expected ${known}, not ${typeName(expected(a) ? b : a)}`);
    }
    return equal(a, b, run.budget);
  };
}

/** A left operand equal to `decisive` is the result; otherwise the right operand is. */
function logical(decisive: boolean): Special {
  return (emitter, { left, right, at }) => {
    const [first, second] = [emitter.emit(left), emitter.emit(right)];
    return (run) => {
      const value = first(run);
      if (typeof value !== 'boolean') {
        run.at = at;
        wantBool(value);
      }
      return value === decisive ? value : second(run);
    };
  };
}

function coalescing(emitter: EmitContext, { left, right }: ExprBinaryNode): Code {
  const [first, second] = [emitter.emit(left), emitter.emit(right)];
  return (run) => {
    const value = first(run);
    return isNil(value) ? second(run) : value;
  };
}

function inStrings(emitter: EmitContext, { left, right, at }: ExprBinaryNode): Code {
  const needle = emitter.emit(left);
  const items: readonly Node[] = right.kind === 'array' ? right.items : [];
  const constants = right.kind === 'constant' && Array.isArray(right.value) ? (right.value as readonly ExprValue[]) : [];
  const set = new Set<ExprValue>([...constants, ...items.map((item) => (item.kind === 'string' ? item.value : ''))]);
  return (run) => {
    const value = needle(run);
    chargeKey(run.budget, value);
    if (typeof value === 'string') return set.has(value);
    run.at = at;
    if (value !== null) throw new Fault(`${typeName(value)} cannot be among strings`);
    return set.has('');
  };
}

function matchesLiteral(emitter: EmitContext, left: Node, text: string, at: number): Code {
  const subject = emitter.emit(left);
  const pattern = compilePattern(text);
  if (typeof pattern === 'string') throw new SyntaxFault(at, pattern);
  return (run) => {
    const value = subject(run);
    run.at = at;
    return !isNil(value) && matchesPattern(pattern, subjectOf(value), run.budget);
  };
}
