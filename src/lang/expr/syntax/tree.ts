/** Tree utilities: copies with other children, and structural equality. */
import { childrenOf, makeNode, type Node, type NodeShape } from './ast.ts';

/** Returns the node itself if no child changed. */
export function mapChildren(node: Node, change: (child: Node) => Node): Node {
  const before = childrenOf(node);
  if (before.length === 0) return node;
  const after = before.map(change);
  if (after.every((child, i) => child === before[i])) return node;
  return makeNode(withChildren(node, after), node.at, node.nature);
}

function withChildren(node: Node, [...children]: Node[]): NodeShape {
  const next = (): Node => {
    const child = children.shift();
    if (child === undefined) throw new Error('a node lost a child');
    return child;
  };
  switch (node.kind) {
    case 'unary':
      return { ...node, operand: next() };
    case 'binary':
      return { ...node, left: next(), right: next() };
    case 'chain':
    case 'predicate':
      return { ...node, body: next() };
    case 'member':
      return { ...node, base: next(), property: next() };
    case 'slice':
      return { ...node, base: next(), from: node.from && next(), to: node.to && next() };
    case 'call':
      return { ...node, callee: next(), args: children };
    case 'builtin':
      return { ...node, args: node.args.map(next), ...(node.each === undefined ? {} : { each: next() }) };
    case 'let':
      return { ...node, value: next(), body: next() };
    case 'sequence':
    case 'array':
      return { ...node, items: children };
    case 'conditional':
      return { ...node, test: next(), yes: next(), no: next() };
    case 'map':
      return { ...node, pairs: node.pairs.map(() => [next(), next()] as const) };
    default:
      return node;
  }
}

const PLACE: ReadonlySet<string> = new Set(['at', 'depth', 'nature']);

/** Text of a node without its children. */
function ownText(node: Node): string {
  const own = Object.entries(node).filter(([key, value]) => !PLACE.has(key) && (typeof value !== 'object' || key === 'value'));
  return JSON.stringify(own, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
}

export function sameNode(a: Node, b: Node): boolean {
  if (a.kind !== b.kind || ownText(a) !== ownText(b)) return false;
  const left = childrenOf(a);
  const right = childrenOf(b);
  return left.length === right.length && left.every((child, i) => right[i] !== undefined && sameNode(child, right[i]));
}

export function countNodes(node: Node): number {
  return childrenOf(node).reduce((sum, child) => sum + countNodes(child), 1);
}
