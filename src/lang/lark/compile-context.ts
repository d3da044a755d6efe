/**
 * What the parts of the compiler know of each other: each turns one kind of node into a closure and asks the context for the rest.
 * Refuses to know nodes in particular.
 */
import type { Source } from '../source.ts';
import type { Expression, Statement } from './ast.ts';
import type { Evaluate, Execute, Test } from './code.ts';
import type { Dialect } from './options.ts';
import type { FunctionScope } from './scope.ts';
import type { Thread } from './thread.ts';
import type { Frame, Value } from './value.ts';

export type Store = (frame: Frame, thread: Thread, value: Value) => void;

export interface Compiler {
  readonly source: Source;
  readonly dialect: Dialect;
  readonly universe: ReadonlyMap<string, Value>;
  /** The function whose body is being compiled, and that of the file. */
  readonly scope: FunctionScope;
  readonly fileScope: FunctionScope;
  /** Parameters that are always there and never in cells: reading them needs no check. */
  readonly settled: ReadonlySet<number>;
  expression(node: Expression): Evaluate;
  test(node: Expression): Test;
  block(statements: readonly Statement[]): Execute;
  store(target: Expression): Store;
  /** The same compiler inside of another function. */
  inside(scope: FunctionScope, settled: ReadonlySet<number>): Compiler;
}
