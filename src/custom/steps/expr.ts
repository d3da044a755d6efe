/** `expr` steps: expressions over the same names as lark steps, compiled with their definition. */
import { compileExprFor } from '../../lang/compile.ts';
import type { CompiledExpr } from '../../lang/expr/index.ts';
import { runStep } from '../../lang/sandbox/index.ts';
import { CompileError } from '../../lang/source.ts';
import { after, type MaybePromise, rescue } from '../../util/concurrency/maybe-promise.ts';
import type { StepSource } from '../document/document-logic.ts';
import { codeProblems } from './lark.ts';
import {
  compileTenant,
  environmentNames,
  environmentValues,
  lengthOf,
  ProgramOptions,
  resultsBehind,
  type Step,
  type StepScope,
  stepLabel,
} from './step.ts';

export function compileExprStep(source: StepSource, scope: StepScope): MaybePromise<Step> {
  const toProblems = (error: unknown): never => {
    throw error instanceof CompileError ? codeProblems(source, error.problems) : error;
  };
  const options = { names: environmentNames(scope), file: source.name ?? 'step', watch: 'input' };
  const compiled = rescue(() => compileExprFor(compileTenant(scope), source.code, options), toProblems);
  return after(compiled, (expr) => stepOf(source, scope, expr));
}

function stepOf(source: StepSource, scope: StepScope, compiled: CompiledExpr): Step {
  const reads = [...compiled.uses];
  const length = lengthOf(source.code);
  return {
    source,
    label: stepLabel(source),
    needs: resultsBehind(reads, scope),
    readsContext: compiled.uses.has('context'),
    readsInput: compiled.uses.has('input'),
    modules: [],
    inputNames: [...compiled.members],
    run(frame) {
      const values = environmentValues(reads, frame, scope.names);
      return runStep('expr', { compiled, values }, frame.limits, new ProgramOptions(frame, length));
    },
  };
}
