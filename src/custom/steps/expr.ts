/** `expr` steps: expressions compiled with their definition, over the same names as lark steps. */

import { Budget } from '../../lang/budget.ts';
import { compileExpr, runExpr } from '../../lang/expr/index.ts';
import { CompileError } from '../../lang/source.ts';
import type { StepSource } from '../document-logic.ts';
import { codeProblems } from './lark.ts';
import { environmentNames, environmentValue, resultsBehind, type Step, type StepScope, stepLabel } from './step.ts';

export function compileExprStep(source: StepSource, scope: StepScope): Step {
  const compiled = compile(source, scope);
  return {
    source,
    label: stepLabel(source),
    needs: resultsBehind(compiled.uses, scope),
    readsContext: compiled.uses.has('context'),
    modules: [],
    run: (frame) => runExpr(compiled, (name) => environmentValue(name, frame, scope.names), new Budget(frame.limits)),
  };
}

function compile(source: StepSource, scope: StepScope): ReturnType<typeof compileExpr> {
  try {
    return compileExpr(source.code, { names: environmentNames(scope), file: source.name ?? 'step' });
  } catch (error) {
    throw error instanceof CompileError ? codeProblems(source, error.problems) : error;
  }
}
