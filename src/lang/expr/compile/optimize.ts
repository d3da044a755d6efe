/**
 * Rewrites the tree to cheaper forms, as the reference does. Some rewrites are observable: `x and
 * false` does not run `x`, and `filter(…)[0]` stops at the first match.
 */

import {
  type BuiltinNode,
  type ExprBinaryNode,
  type IntNode,
  type MemberNode,
  makeNode,
  type Node,
  type NodeShape,
} from '../syntax/ast.ts';
import { mapChildren, sameNode } from '../syntax/tree.ts';
import { ARRAY } from '../types/nature.ts';
import { type ExprValue, makeFloat } from '../values/value.ts';
import { foldBinary, foldUnary } from './fold.ts';
import { sumOfRange } from './fold-range.ts';

export function optimize(node: Node): Node {
  return rewrite(fold(markStringSets(node)));
}

/**
 * Marks `in` with a list of string literals, which is compiled to a set. Runs before constants are
 * folded.
 */
function markStringSets(node: Node): Node {
  const inner = mapChildren(node, markStringSets);
  if (inner.kind !== 'binary' || inner.op !== 'in' || inner.right.kind !== 'array') return inner;
  const { items } = inner.right;
  if (items.length === 0 || !items.every((item) => item.kind === 'string')) return inner;
  return replaced(inner, { kind: 'binary', op: 'in strings', left: inner.left, right: inner.right });
}

function replaced(node: Node, shape: NodeShape): Node {
  return makeNode(shape, node.at, node.nature);
}

/** Folds operators on literals, lists of literals, and nested filters. */
function fold(node: Node): Node {
  const inner = mapChildren(node, fold);
  switch (inner.kind) {
    case 'unary':
      return foldUnary(inner) ?? inner;
    case 'binary':
      return foldBinary(inner) ?? inner;
    case 'array':
      return foldArray(inner, inner.items);
    case 'builtin':
      return (inner.name === 'filter' ? mergeFilters(inner) : undefined) ?? inner;
    default:
      return inner;
  }
}

/** Rewrites loops that need not visit every element. */
function rewrite(node: Node): Node {
  const inner = mapChildren(node, rewrite);
  switch (inner.kind) {
    case 'binary':
      return inner.op === 'in' ? rewriteInRange(inner) : (combinePredicates(inner) ?? rewriteCount(inner));
    case 'member':
      return rewriteMember(inner);
    case 'builtin':
      return rewriteBuiltin(inner);
    default:
      return inner;
  }
}

function literalOf(node: Node): ExprValue | undefined {
  switch (node.kind) {
    case 'int':
    case 'string':
    case 'bool':
      return node.value;
    case 'float':
      return makeFloat(node.value);
    default:
      return undefined;
  }
}

function foldArray(node: Node, items: readonly Node[]): Node {
  const values: ExprValue[] = [];
  for (const item of items) {
    const value = literalOf(item);
    if (value === undefined) return node;
    values.push(value);
  }
  return values.length === 0 ? node : makeNode({ kind: 'constant', value: values }, node.at, ARRAY);
}

/** Membership of an int in a range of literals is a comparison. */
function rewriteInRange(node: ExprBinaryNode): Node {
  const { left, right } = node;
  if (left.nature.kind !== 'int' || right.kind !== 'binary' || right.op !== '..') return node;
  if (right.left.kind !== 'int' || right.right.kind !== 'int') return node;
  const above = replaced(node, { kind: 'binary', op: '>=', left, right: right.left });
  const below = replaced(node, { kind: 'binary', op: '<=', left, right: right.right });
  return replaced(node, { kind: 'binary', op: 'and', left: above, right: below });
}

const COMBINED: Readonly<Record<string, string>> = { 'all and': 'and', 'any or': 'or', 'none and': 'or' };

/** `all(x, p) and all(x, q)` becomes a single loop. */
function combinePredicates(node: ExprBinaryNode): Node | undefined {
  const { left, right } = node;
  if (left.kind !== 'builtin' || right.kind !== 'builtin' || left.name !== right.name) return undefined;
  const word = node.op === '&&' ? 'and' : node.op === '||' ? 'or' : node.op;
  const op = COMBINED[`${left.name} ${word}`];
  const [list, p] = left.args;
  const [other, q] = right.args;
  if (op === undefined || list === undefined || other === undefined || p?.kind !== 'predicate' || q?.kind !== 'predicate') return undefined;
  if (!sameNode(list, other)) return undefined;
  const both = makeNode({ kind: 'binary', op, left: p.body, right: q.body }, node.at);
  const body = both.kind === 'binary' ? (combinePredicates(both) ?? both) : both;
  return replaced(node, { kind: 'builtin', name: left.name, args: [list, makeNode({ kind: 'predicate', body }, p.at)] });
}

/** Number of matches after which `count(…) op limit` is decided. */
const ENOUGH: Readonly<Record<string, (limit: number) => number>> = {
  '>': (n) => n + 1,
  '>=': (n) => n,
  '<': (n) => n,
  '<=': (n) => n + 1,
};

function rewriteCount(node: ExprBinaryNode): Node {
  const { left, right } = node;
  if (left.kind !== 'builtin' || left.name !== 'count' || left.args.length !== 2) return node;
  if (right.kind !== 'int' || typeof right.value !== 'number' || right.value < 0) return node;
  if ((node.op === '>' && right.value === 0) || (node.op === '>=' && right.value === 1)) {
    return replaced(node, { kind: 'builtin', name: 'any', args: left.args });
  }
  const enough = ENOUGH[node.op]?.(right.value);
  if (enough === undefined || enough <= 1) return node;
  return replaced(node, { ...node, left: replaced(left, { kind: 'builtin', name: 'count', args: left.args, enough }) });
}

function isFilter(node: Node | undefined): node is BuiltinNode {
  return node?.kind === 'builtin' && node.name === 'filter' && node.args.length === 2;
}

/** Replaces a `filter(…)` of which a single element is used. */
function finder(node: Node, filter: BuiltinNode, name: 'find' | 'findLast', mustFind: boolean): Node {
  const { args, each } = filter;
  return replaced(node, { kind: 'builtin', name, args, mustFind, ...(each === undefined ? {} : { each }) });
}

function rewriteMember(node: MemberNode): Node {
  const { base, property } = node;
  if (node.optional || property.kind !== 'int' || !isFilter(base)) return node;
  if (property.value === 0) return finder(node, base, 'find', true);
  return property.value === -1 ? finder(node, base, 'findLast', true) : node;
}

type Rewriter = (node: BuiltinNode) => Node | undefined;

const REWRITERS: Readonly<Record<string, Rewriter>> = {
  map: mapOverFilter,
  len: ({ args: [list], ...node }) =>
    isFilter(list) ? replaced({ ...node, args: [] }, { kind: 'builtin', name: 'count', args: list.args }) : undefined,
  first: (node) => (isFilter(node.args[0]) ? finder(node, node.args[0], 'find', false) : undefined),
  last: (node) => (isFilter(node.args[0]) ? finder(node, node.args[0], 'findLast', false) : undefined),
  sum: rewriteSum,
  reduce: rewriteReduce,
};

function rewriteBuiltin(node: BuiltinNode): Node {
  const rewriter = Object.hasOwn(REWRITERS, node.name) ? REWRITERS[node.name] : undefined;
  return rewriter?.(node) ?? node;
}

function mergeFilters(node: BuiltinNode): Node | undefined {
  const [inner, outer] = node.args;
  if (!isFilter(inner) || inner.each !== undefined || outer?.kind !== 'predicate') return undefined;
  const [list, predicate] = inner.args;
  if (list === undefined || predicate?.kind !== 'predicate') return undefined;
  const body = fold(makeNode({ kind: 'binary', op: '&&', left: predicate.body, right: outer.body }, outer.at));
  return replaced(node, { kind: 'builtin', name: 'filter', args: [list, makeNode({ kind: 'predicate', body }, outer.at)] });
}

function usesIndex(node: Node): boolean {
  let isUsed = false;
  mapChildren(node, (child) => {
    isUsed ||= usesIndex(child);
    return child;
  });
  return isUsed || (node.kind === 'pointer' && node.name === 'index');
}

function mapOverFilter(node: BuiltinNode): Node | undefined {
  const [filter, predicate] = node.args;
  if (!isFilter(filter) || filter.each !== undefined || predicate?.kind !== 'predicate' || usesIndex(predicate)) return undefined;
  return replaced(node, { kind: 'builtin', name: 'filter', args: filter.args, each: predicate.body });
}

function rangeOf(node: Node | undefined): readonly [IntNode, IntNode] | undefined {
  if (node?.kind !== 'binary' || node.op !== '..') return undefined;
  return node.left.kind === 'int' && node.right.kind === 'int' ? [node.left, node.right] : undefined;
}

function rewriteSum(node: BuiltinNode): Node | undefined {
  const [list, predicate] = node.args;
  const range = rangeOf(list);
  if (range !== undefined) {
    const value = sumOfRange(range, predicate?.kind === 'predicate' ? predicate.body : undefined);
    if (value !== undefined) return replaced(node, { kind: 'int', value });
  }
  if (predicate !== undefined || list === undefined) return undefined;
  if (list.kind === 'array' && list.items.length >= 2) return addUp(node, list.items);
  if (list.kind !== 'builtin' || list.name !== 'map' || list.args.length !== 2) return undefined;
  return replaced(node, { kind: 'builtin', name: 'sum', args: list.args });
}

/** Adds from the right, as the reference does. */
function addUp(node: Node, items: readonly Node[]): Node {
  return items.slice(0, -1).reduceRight((right, left) => makeNode({ kind: 'binary', op: '+', left, right }, node.at), items.at(-1) ?? node);
}

function rewriteReduce(node: BuiltinNode): Node | undefined {
  const [list, predicate, initial] = node.args;
  const range = rangeOf(list);
  const body = predicate?.kind === 'predicate' ? predicate.body : undefined;
  if (range === undefined || body?.kind !== 'binary' || body.op !== '+') return undefined;
  if (body.left.kind !== 'pointer' || body.right.kind !== 'pointer') return undefined;
  if ([body.left.name, body.right.name].sort().join() !== ',acc') return undefined;
  if (initial !== undefined && initial.kind !== 'int') return undefined;
  const value = sumOfRange(range, undefined, initial?.value ?? 0);
  return value === undefined ? undefined : replaced(node, { kind: 'int', value });
}
