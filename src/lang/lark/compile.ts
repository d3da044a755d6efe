/** The compiler put together: a resolved tree in, the code of the file out. Runs nothing. */
import type { Source } from '../source.ts';
import type { Expression, Statement } from './ast.ts';
import type { Evaluate, Execute, Test } from './code.ts';
import type { Compiler, Store } from './compile-context.ts';
import { compileExpression, compileTest } from './compile-expression.ts';
import { compileBlock, compileStore } from './compile-statement.ts';
import type { Dialect } from './options.ts';
import type { FunctionScope } from './scope.ts';
import type { Value } from './value.ts';

class ClosureCompiler implements Compiler {
  readonly source: Source;
  readonly dialect: Dialect;
  readonly universe: ReadonlyMap<string, Value>;
  readonly scope: FunctionScope;
  readonly fileScope: FunctionScope;
  readonly settled: ReadonlySet<number>;

  constructor(base: Pick<Compiler, 'source' | 'dialect' | 'universe' | 'fileScope'>, scope: FunctionScope, settled: ReadonlySet<number>) {
    this.source = base.source;
    this.dialect = base.dialect;
    this.universe = base.universe;
    this.fileScope = base.fileScope;
    this.scope = scope;
    this.settled = settled;
  }

  expression(node: Expression): Evaluate {
    return compileExpression(this, node);
  }

  test(node: Expression): Test {
    return compileTest(this, node);
  }

  block(statements: readonly Statement[]): Execute {
    return compileBlock(this, statements);
  }

  store(target: Expression): Store {
    return compileStore(this, target);
  }

  inside(scope: FunctionScope, settled: ReadonlySet<number>): Compiler {
    return new ClosureCompiler(this, scope, settled);
  }
}

export function compileFile(
  source: Source,
  statements: readonly Statement[],
  scope: FunctionScope,
  dialect: Dialect,
  universe: ReadonlyMap<string, Value>,
): Execute {
  const compiler = new ClosureCompiler({ source, dialect, universe, fileScope: scope }, scope, new Set());
  return compiler.block(statements);
}
