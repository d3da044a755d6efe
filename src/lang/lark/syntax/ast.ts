/**
 * Tree of a program, built by the parser and annotated by the resolver. Offsets point into the
 * source text, where an error about the node is shown.
 */
import type { Binding, FunctionScope } from './scope.ts';

export interface LarkNameNode {
  readonly kind: 'name';
  readonly at: number;
  readonly name: string;
  /** Set by the resolver. */
  binding: Binding | undefined;
}

export interface LiteralNode {
  readonly kind: 'literal';
  readonly at: number;
  readonly type: 'int' | 'float' | 'string' | 'bytes';
  readonly value: number | bigint | string | Uint8Array;
}

export interface SequenceNode {
  readonly kind: 'list' | 'tuple';
  readonly at: number;
  readonly items: readonly Expression[];
}

export interface DictEntry {
  readonly at: number;
  readonly key: Expression;
  readonly value: Expression;
}

export interface DictNode {
  readonly kind: 'dict';
  readonly at: number;
  readonly entries: readonly DictEntry[];
}

export interface ForClause {
  readonly kind: 'for';
  readonly at: number;
  readonly target: Expression;
  readonly over: Expression;
}

export interface IfClause {
  readonly kind: 'if';
  readonly at: number;
  readonly condition: Expression;
}

export interface ComprehensionNode {
  readonly kind: 'comprehension';
  readonly at: number;
  /** Body of a list comprehension. */
  readonly body: Expression | undefined;
  /** Entry of a dict comprehension. */
  readonly entry: DictEntry | undefined;
  readonly clauses: readonly [ForClause, ...(ForClause | IfClause)[]];
}

export interface LarkConditionalNode {
  readonly kind: 'conditional';
  readonly at: number;
  readonly condition: Expression;
  readonly then: Expression;
  readonly otherwise: Expression;
}

export interface LarkUnaryNode {
  readonly kind: 'unary';
  readonly at: number;
  readonly op: string;
  readonly operand: Expression;
}

export interface LarkBinaryNode {
  readonly kind: 'binary';
  readonly at: number;
  readonly op: string;
  readonly left: Expression;
  readonly right: Expression;
}

export interface Argument {
  readonly kind: 'positional' | 'named' | 'spread' | 'spread-named';
  readonly at: number;
  readonly name: string;
  readonly value: Expression;
}

export interface LarkCallNode {
  readonly kind: 'call';
  /** Offset of the opening parenthesis. */
  readonly at: number;
  readonly callee: Expression;
  readonly args: readonly Argument[];
}

export interface DotNode {
  readonly kind: 'dot';
  readonly at: number;
  readonly object: Expression;
  readonly name: string;
}

export interface IndexNode {
  readonly kind: 'index';
  readonly at: number;
  readonly object: Expression;
  readonly key: Expression;
}

export interface LarkSliceNode {
  readonly kind: 'slice';
  readonly at: number;
  readonly object: Expression;
  readonly low: Expression | undefined;
  readonly high: Expression | undefined;
  readonly step: Expression | undefined;
}

export interface ParameterNode {
  readonly kind: 'plain' | 'optional' | 'star' | 'bare-star' | 'star-star';
  readonly at: number;
  readonly name: string;
  readonly fallback: Expression | undefined;
  binding: Binding | undefined;
}

/** A `def` or a `lambda`. */
export interface FunctionNode {
  readonly kind: 'function';
  readonly at: number;
  readonly name: string;
  readonly params: readonly ParameterNode[];
  readonly body: readonly LarkStatement[];
  /** Set by the resolver: layout of the function's frame. */
  scope: FunctionScope | undefined;
}

export type Expression =
  | LarkNameNode
  | LiteralNode
  | SequenceNode
  | DictNode
  | ComprehensionNode
  | LarkConditionalNode
  | LarkUnaryNode
  | LarkBinaryNode
  | LarkCallNode
  | DotNode
  | IndexNode
  | LarkSliceNode
  | FunctionNode;

export interface ExpressionStatement {
  readonly kind: 'expression';
  readonly at: number;
  readonly value: Expression;
}

export interface AssignStatement {
  readonly kind: 'assign';
  /** Offset of the operator. */
  readonly at: number;
  /** `=`, or the binary operator of an augmented assignment. */
  readonly op: string;
  readonly target: Expression;
  readonly value: Expression;
}

export interface DefStatement {
  readonly kind: 'def';
  readonly at: number;
  readonly target: LarkNameNode;
  readonly fn: FunctionNode;
}

export interface IfStatement {
  readonly kind: 'if';
  readonly at: number;
  readonly arms: readonly { readonly condition: Expression; readonly body: readonly LarkStatement[] }[];
  readonly otherwise: readonly LarkStatement[];
}

export interface ForStatement {
  readonly kind: 'for';
  readonly at: number;
  readonly target: Expression;
  readonly over: Expression;
  readonly body: readonly LarkStatement[];
}

export interface WhileStatement {
  readonly kind: 'while';
  readonly at: number;
  readonly condition: Expression;
  readonly body: readonly LarkStatement[];
}

export interface BranchStatement {
  readonly kind: 'pass' | 'break' | 'continue';
  readonly at: number;
}

export interface ReturnStatement {
  readonly kind: 'return';
  readonly at: number;
  readonly value: Expression | undefined;
}

export interface LoadItem {
  readonly at: number;
  readonly target: LarkNameNode;
  /** Name in the loaded module. */
  readonly from: string;
}

export interface LoadStatement {
  readonly kind: 'load';
  readonly at: number;
  readonly module: string;
  readonly items: readonly LoadItem[];
}

export type LarkStatement =
  | ExpressionStatement
  | AssignStatement
  | DefStatement
  | IfStatement
  | ForStatement
  | WhileStatement
  | BranchStatement
  | ReturnStatement
  | LoadStatement;
