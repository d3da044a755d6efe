/**
 * Tree of an expression: built by the parser, annotated by the checker, compiled to closures by the
 * emitter.
 */
import { type Nature, UNKNOWN } from '../types/nature.ts';
import type { ExprValue } from '../values/value.ts';

interface Base {
  /** Offset into the source text, for errors. */
  readonly at: number;
  /** Height of the tree below and including this node. Bounded, since later passes recurse. */
  readonly depth: number;
  /** Set by the checker; stays unknown for nodes that it does not visit. */
  nature: Nature;
}

export type Node =
  | NilNode
  | ExprNameNode
  | IntNode
  | FloatNode
  | BoolNode
  | StringNode
  | BytesNode
  | ConstantNode
  | ExprUnaryNode
  | ExprBinaryNode
  | ChainNode
  | MemberNode
  | ExprSliceNode
  | ExprCallNode
  | BuiltinNode
  | PredicateNode
  | PointerNode
  | LetNode
  | SequenceNode
  | ExprConditionalNode
  | ArrayNode
  | MapNode;

interface NilNode extends Base {
  readonly kind: 'nil';
}
export interface ExprNameNode extends Base {
  readonly kind: 'name';
  readonly name: string;
}
export interface IntNode extends Base {
  readonly kind: 'int';
  readonly value: number | bigint;
}
interface FloatNode extends Base {
  readonly kind: 'float';
  readonly value: number;
}
interface BoolNode extends Base {
  readonly kind: 'bool';
  readonly value: boolean;
}
interface StringNode extends Base {
  readonly kind: 'string';
  readonly value: string;
}
interface BytesNode extends Base {
  readonly kind: 'bytes';
  readonly value: Uint8Array;
}
/** A value computed at compile time: a list of literals. */
interface ConstantNode extends Base {
  readonly kind: 'constant';
  readonly value: ExprValue;
}
export interface ExprUnaryNode extends Base {
  readonly kind: 'unary';
  readonly op: string;
  readonly operand: Node;
}
export interface ExprBinaryNode extends Base {
  readonly kind: 'binary';
  readonly op: string;
  readonly left: Node;
  readonly right: Node;
}
/** End of a chain of `?.`, at which a nil inside the chain becomes the result. */
interface ChainNode extends Base {
  readonly kind: 'chain';
  readonly body: Node;
}
export interface MemberNode extends Base {
  readonly kind: 'member';
  readonly base: Node;
  readonly property: Node;
  readonly optional: boolean;
}
export interface ExprSliceNode extends Base {
  readonly kind: 'slice';
  readonly base: Node;
  readonly from: Node | undefined;
  readonly to: Node | undefined;
}
export interface ExprCallNode extends Base {
  readonly kind: 'call';
  readonly callee: Node;
  readonly args: readonly Node[];
}
export interface BuiltinNode extends Base {
  readonly kind: 'builtin';
  readonly name: string;
  readonly args: readonly Node[];
  /**
   * Set by the optimizer on `filter`, `find` and `findLast`: expression that replaces each matching
   * element in the result.
   */
  readonly each?: Node;
  /** Set by the optimizer on `count`: number of matches after which the loop may stop. */
  readonly enough?: number;
  /**
   * Set by the optimizer on `find` and `findLast` that replace `filter(…)[0]`: no match is an
   * error.
   */
  readonly mustFind?: boolean;
}
interface PredicateNode extends Base {
  readonly kind: 'predicate';
  readonly body: Node;
}
/** `#`, `#index` and `#acc`; the name is empty for the element itself. */
export interface PointerNode extends Base {
  readonly kind: 'pointer';
  readonly name: string;
}
export interface LetNode extends Base {
  readonly kind: 'let';
  readonly name: string;
  readonly value: Node;
  readonly body: Node;
}
interface SequenceNode extends Base {
  readonly kind: 'sequence';
  readonly items: readonly Node[];
}
export interface ExprConditionalNode extends Base {
  readonly kind: 'conditional';
  readonly test: Node;
  readonly yes: Node;
  readonly no: Node;
}
interface ArrayNode extends Base {
  readonly kind: 'array';
  readonly items: readonly Node[];
}
export interface MapNode extends Base {
  readonly kind: 'map';
  readonly pairs: readonly (readonly [Node, Node])[];
}

/** A node without the properties that `makeNode` computes. */
export type NodeShape<N extends Node = Node> = N extends Node ? Omit<N, 'at' | 'depth' | 'nature'> : never;

export function childrenOf(node: NodeShape): readonly Node[] {
  switch (node.kind) {
    case 'unary':
      return [node.operand];
    case 'binary':
      return [node.left, node.right];
    case 'chain':
    case 'predicate':
      return [node.body];
    case 'member':
      return [node.base, node.property];
    case 'slice':
      return [node.base, node.from, node.to].filter((n) => n !== undefined);
    case 'call':
      return [node.callee, ...node.args];
    case 'builtin':
      return node.each === undefined ? node.args : [...node.args, node.each];
    case 'let':
      return [node.value, node.body];
    case 'sequence':
    case 'array':
      return node.items;
    case 'conditional':
      return [node.test, node.yes, node.no];
    case 'map':
      return node.pairs.flat();
    default:
      return [];
  }
}

/** Creates a node from its shape. The depth follows from the children. */
export function makeNode(shape: NodeShape, at: number, nature: Nature = UNKNOWN): Node {
  let depth = 0;
  for (const child of childrenOf(shape)) depth = Math.max(depth, child.depth);
  return { ...shape, at, depth: depth + 1, nature };
}
