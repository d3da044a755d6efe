/**
 * What the parts of the compiler know of each other: each turns one kind of node into a closure, and asks the context for the rest.
 * Knows no particular node.
 */
import type { Source } from '../../source.ts';
import type { Expression, LarkStatement } from '../syntax/ast.ts';
import type { LarkDialect } from '../syntax/options.ts';
import type { FunctionScope } from '../syntax/scope.ts';
import type { Evaluate, Execute, Frame, Test } from '../values/function.ts';
import type { Thread } from '../values/thread.ts';
import type { LarkValue } from '../values/value.ts';

export type Assign = (frame: Frame, thread: Thread, value: LarkValue) => void;

export interface Compiler {
  readonly source: Source;
  readonly dialect: LarkDialect;
  readonly universe: ReadonlyMap<string, LarkValue>;
  /** The function whose body is being compiled, and that of the file. */
  readonly scope: FunctionScope;
  readonly fileScope: FunctionScope;
  /** Parameters that are always there and never in cells: reading them needs no check. */
  readonly settled: ReadonlySet<number>;
  expression(node: Expression): Evaluate;
  test(node: Expression): Test;
  block(statements: readonly LarkStatement[]): Execute;
  store(target: Expression): Assign;
  /** The same compiler inside of another function. */
  inside(scope: FunctionScope, settled: ReadonlySet<number>): Compiler;
}
