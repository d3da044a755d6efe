/** `expr` steps: expressions compiled with their definition, over the same names as lark steps. */
import { compileExpr } from '../../lang/expr/index.ts';
import { runStep } from '../../lang/sandbox/index.ts';
import { CompileError } from '../../lang/source.ts';
import type { PlainValue } from '../../util/decimal.ts';
import type { StepSource } from '../document-logic.ts';
import { codeProblems } from './lark.ts';
import { environmentNames, environmentValue, programOptions, resultsBehind, type Step, type StepScope, stepLabel } from './step.ts';

export function compileExprStep(source: StepSource, scope: StepScope): Step {
  const compiled = compile(source, scope);
  const reads = [...compiled.uses];
  return {
    source,
    label: stepLabel(source),
    needs: resultsBehind(reads, scope),
    readsContext: compiled.uses.has('context'),
    modules: [],
    inputNames: [...compiled.members],
    run(frame) {
      const values = new Map<string, PlainValue>();
      for (const name of reads) values.set(name, environmentValue(name, frame, scope.names) ?? null);
      return runStep('expr', { compiled, values }, frame.limits, programOptions(frame));
    },
  };
}

function compile(source: StepSource, scope: StepScope): ReturnType<typeof compileExpr> {
  try {
    return compileExpr(source.code, { names: environmentNames(scope), file: source.name ?? 'step', watch: 'input' });
  } catch (error) {
    throw error instanceof CompileError ? codeProblems(source, error.problems) : error;
  }
}
