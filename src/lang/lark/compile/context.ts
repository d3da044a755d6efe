/**
 * Interface between the parts of the compiler: each turns one kind of node into a closure and
 * delegates the rest to the context.
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
  /** Frame of the function that is being compiled. */
  readonly scope: FunctionScope;
  readonly fileScope: FunctionScope;
  /** Parameters that always have a value and are never in cells, so reading them needs no check. */
  readonly settled: ReadonlySet<number>;
  expression(node: Expression): Evaluate;
  test(node: Expression): Test;
  block(statements: readonly LarkStatement[]): Execute;
  store(target: Expression): Assign;
  /** Compiler for an inner function. */
  inside(scope: FunctionScope, settled: ReadonlySet<number>): Compiler;
}
