/** Constant folding of operators on literals. An operation that fails is left for the run. */

import { type ExprBinaryNode, type ExprUnaryNode, makeNode, type Node } from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/lex.ts';
import { BOOL, FLOAT, INT, STRING } from '../types/nature.ts';
import { add, divide, modulo, multiply, negate, power, subtract } from '../values/number.ts';
import { joinText } from '../values/text.ts';
import { type ExprValue, floatOf, isInt, makeFloat } from '../values/value.ts';

function literal(value: ExprValue, at: number): Node | undefined {
  if (isInt(value)) return makeNode({ kind: 'int', value }, at, INT);
  const float = floatOf(value);
  if (float !== undefined) return makeNode({ kind: 'float', value: float }, at, FLOAT);
  if (typeof value === 'string') return makeNode({ kind: 'string', value }, at, STRING);
  return typeof value === 'boolean' ? makeNode({ kind: 'bool', value }, at, BOOL) : undefined;
}

function numberOf(node: Node): ExprValue | undefined {
  if (node.kind === 'int') return node.value;
  return node.kind === 'float' ? makeFloat(node.value) : undefined;
}

export function foldUnary(node: ExprUnaryNode): Node | undefined {
  if (node.op === '!' || node.op === 'not') return node.operand.kind === 'bool' ? literal(!node.operand.value, node.at) : undefined;
  const value = numberOf(node.operand);
  return value === undefined ? undefined : literal(node.op === '-' ? negate(value) : value, node.at);
}

const ARITHMETIC: Readonly<Record<string, (a: ExprValue, b: ExprValue) => ExprValue>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '**': power,
  '^': power,
};

export function foldBinary(node: ExprBinaryNode): Node | undefined {
  const { op, left, right, at } = node;
  const operation = ARITHMETIC[op];
  if (operation !== undefined) {
    const [a, b] = [numberOf(left), numberOf(right)];
    if (a !== undefined && b !== undefined) return literal(operation(a, b), at);
    if (op === '+' && left.kind === 'string' && right.kind === 'string') return literal(joinText(left.value, right.value), at);
    return undefined;
  }
  if (op === '%' && left.kind === 'int' && right.kind === 'int') {
    if (right.value === 0) throw new SyntaxFault(at, 'division of an int by zero');
    return literal(modulo(left.value, right.value), at);
  }
  if (op === 'and' || op === '&&') return foldLogical(node, true);
  if (op === 'or' || op === '||') return foldLogical(node, false);
  return op === '==' ? foldEqual(left, right, at) : undefined;
}

/** A `neutral` operand leaves the other one unchanged; its opposite decides the result. */
function foldLogical({ left, right, at }: ExprBinaryNode, neutral: boolean): Node | undefined {
  if (left.kind === 'bool' && left.value === neutral) return right;
  if (right.kind === 'bool' && right.value === neutral) return left;
  return left.kind === 'bool' || right.kind === 'bool' ? literal(!neutral, at) : undefined;
}

function foldEqual(left: Node, right: Node, at: number): Node | undefined {
  const comparable = left.kind === 'int' || left.kind === 'string' || left.kind === 'bool';
  if (!comparable || left.kind !== right.kind || !('value' in right)) return undefined;
  return literal(left.value === right.value, at);
}
