/** Compiles a resolved tree to the code of the file. Runs nothing. */
import type { Source } from '../../source.ts';
import type { Expression, LarkStatement } from '../syntax/ast.ts';
import type { LarkDialect } from '../syntax/options.ts';
import type { FunctionScope } from '../syntax/scope.ts';
import type { Evaluate, Execute, Test } from '../values/function.ts';
import type { LarkValue } from '../values/value.ts';
import type { Assign, Compiler } from './context.ts';
import { compileExpression, compileTest } from './expression.ts';
import { compileBlock, compileStore } from './statement.ts';

class ClosureCompiler implements Compiler {
  readonly source: Source;
  readonly dialect: LarkDialect;
  readonly universe: ReadonlyMap<string, LarkValue>;
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

  block(statements: readonly LarkStatement[]): Execute {
    return compileBlock(this, statements);
  }

  store(target: Expression): Assign {
    return compileStore(this, target);
  }

  inside(scope: FunctionScope, settled: ReadonlySet<number>): Compiler {
    return new ClosureCompiler(this, scope, settled);
  }
}

export function compileFile(
  source: Source,
  statements: readonly LarkStatement[],
  scope: FunctionScope,
  dialect: LarkDialect,
  universe: ReadonlyMap<string, LarkValue>,
): Execute {
  const compiler = new ClosureCompiler({ source, dialect, universe, fileScope: scope }, scope, new Set());
  return compiler.block(statements);
}
