/** Interface of the checker for the rules of builtins and operators. */
import type { Node } from '../syntax/ast.ts';
import type { Nature } from '../types/nature.ts';

export interface CheckContext {
  /** Rejects the expression at the node. */
  fail(node: Node, message: string): never;
  /** Determines the nature of a node and stores it in the node. */
  visit(node: Node): Nature;
  /**
   * Nature of a predicate's result for the elements of a collection; `undefined` if it is always
   * nil.
   */
  inPredicate(collection: Nature, pointers: readonly (readonly [string, Nature])[], predicate: Node): Nature | undefined;
}
