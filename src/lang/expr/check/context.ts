/** What the rules for builtins and operators use of the checker. */
import type { Node } from '../syntax/ast.ts';
import type { Nature } from '../types/nature.ts';

export interface CheckContext {
  /** Rejects the expression at the node. */
  fail(node: Node, message: string): never;
  /** Determines the nature of a node and writes it into the node. */
  visit(node: Node): Nature;
  /** Result of a predicate's body for the elements of a collection; `undefined` if it is always nil. */
  inPredicate(collection: Nature, pointers: readonly (readonly [string, Nature])[], predicate: Node): Nature | undefined;
}
