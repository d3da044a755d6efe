/** Type rules of operators, as a table. */
import type { ExprBinaryNode, ExprUnaryNode } from '../syntax/ast.ts';
import {
  arrayOf,
  BOOL,
  BYTES,
  DURATION,
  deref,
  describe,
  elemOf,
  FLOAT,
  INT,
  isArray,
  isAssignable,
  isBool,
  isComparable,
  isDuration,
  isInteger,
  isNil,
  isNumber,
  isString,
  isTime,
  isUnknown,
  maybe,
  type Nature,
  NIL,
  STRING,
  TIME,
  UNKNOWN,
} from '../types/nature.ts';
import { compilePattern } from '../values/pattern.ts';
import type { CheckContext } from './context.ts';

export function unaryNature(checker: CheckContext, node: ExprUnaryNode): Nature {
  const nature = deref(checker.visit(node.operand));
  if (node.op === '!' || node.op === 'not') {
    if (isBool(nature) || isUnknown(nature)) return BOOL;
  } else {
    if (isNumber(nature)) return nature;
    if (isUnknown(nature)) return UNKNOWN;
  }
  return checker.fail(node, `${node.op} is not possible with ${describe(nature)}`);
}

type Check = (n: Nature) => boolean;

/** Accepted operands and the nature of the result. */
type Row = readonly [left: Check, right: Check, result: Nature | 'number'];

interface Rule {
  readonly rows: readonly Row[];
  /** If one operand is unknown, the other must pass one of these checks. */
  readonly open: readonly Check[];
  /** Nature of the result in that case. */
  readonly openResult: Nature;
}

const ordered: Rule = {
  rows: [
    [isNumber, isNumber, BOOL],
    [isString, isString, BOOL],
    [isTime, isTime, BOOL],
    [isDuration, isDuration, BOOL],
  ],
  open: [isNumber, isString, isTime, isDuration],
  openResult: BOOL,
};
const logical: Rule = { rows: [[isBool, isBool, BOOL]], open: [isBool], openResult: BOOL };
const textual: Rule = { rows: [[isString, isString, BOOL]], open: [isString], openResult: BOOL };
const floating: Rule = { rows: [[isNumber, isNumber, FLOAT]], open: [isNumber], openResult: FLOAT };

const RULES: Readonly<Record<string, Rule>> = {
  or: logical,
  '||': logical,
  and: logical,
  '&&': logical,
  '<': ordered,
  '>': ordered,
  '<=': ordered,
  '>=': ordered,
  contains: textual,
  startsWith: textual,
  endsWith: textual,
  matches: { rows: [...textual.rows, [(n) => n.type === BYTES.type, isString, BOOL]], open: [isString], openResult: BOOL },
  '/': floating,
  '**': floating,
  '^': floating,
  '%': { rows: [[isInteger, isInteger, INT]], open: [isInteger], openResult: INT },
  '..': { rows: [[isInteger, isInteger, arrayOf(INT)]], open: [isInteger], openResult: arrayOf(INT) },
  '+': {
    rows: [
      [isNumber, isNumber, 'number'],
      [isString, isString, STRING],
      [isTime, isDuration, TIME],
      [isDuration, isTime, TIME],
      [isDuration, isDuration, DURATION],
    ],
    open: [isNumber, isString, isTime, isDuration],
    openResult: UNKNOWN,
  },
  '-': {
    rows: [
      [isNumber, isNumber, 'number'],
      [isTime, isTime, DURATION],
      [isTime, isDuration, TIME],
      [isDuration, isDuration, DURATION],
    ],
    open: [isNumber, isTime, isDuration],
    openResult: UNKNOWN,
  },
  '*': {
    rows: [
      [isNumber, isNumber, 'number'],
      [isNumber, isDuration, DURATION],
      [isDuration, isNumber, DURATION],
      [isDuration, isDuration, DURATION],
    ],
    open: [isNumber, isDuration],
    openResult: UNKNOWN,
  },
};

export function binaryNature(checker: CheckContext, node: ExprBinaryNode): Nature {
  const left = deref(checker.visit(node.left));
  const right = deref(checker.visit(node.right));
  if (node.op === '??') return coalesced(left, right);
  if (node.op === 'matches' && node.right.kind === 'string') {
    const pattern = compilePattern(node.right.value);
    if (typeof pattern === 'string') checker.fail(node.right, pattern);
  }
  const nature =
    node.op === 'in'
      ? membership(checker, node, left, right)
      : node.op === '==' || node.op === '!='
        ? equality(left, right)
        : byRule(node.op, left, right);
  return nature ?? checker.fail(node, `${node.op} is not possible with ${describe(left)} and ${describe(right)}`);
}

function byRule(op: string, left: Nature, right: Nature): Nature | undefined {
  const rule = RULES[op];
  if (rule === undefined) return undefined;
  const row = rule.rows.find(([l, r]) => l(left) && r(right));
  if (row !== undefined) return row[2] === 'number' ? (isInteger(left) && isInteger(right) ? INT : FLOAT) : row[2];
  return maybe(left, right, ...rule.open) ? rule.openResult : undefined;
}

function equality(left: Nature, right: Nature): Nature | undefined {
  return isComparable(left, right) ? BOOL : undefined;
}

function coalesced(left: Nature, right: Nature): Nature {
  if (isNil(left)) return isNil(right) ? NIL : right;
  if (isNil(right)) return left;
  return isAssignable(right, left) ? left : UNKNOWN;
}

function membership(checker: CheckContext, node: ExprBinaryNode, left: Nature, right: Nature): Nature | undefined {
  if ((isString(left) || isUnknown(left)) && right.kind === 'struct') return BOOL;
  if (right.kind === 'map') {
    if (isUnknown(left) || isAssignable(left, right.key ?? UNKNOWN)) return BOOL;
    return checker.fail(node, `${describe(left)} is no key of a ${describe(right)}`);
  }
  if (isArray(right)) {
    if (isComparable(left, elemOf(right))) return BOOL;
    return checker.fail(node, `${describe(left)} cannot be among ${describe(elemOf(right))} values`);
  }
  return isUnknown(right) || (isUnknown(left) && isString(right)) ? BOOL : undefined;
}
