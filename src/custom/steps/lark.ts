/**
 * `lark` steps: programs compiled with their definition. Modules are looked up per call, so a
 * replaced one is live at once.
 */
import { compileLarkFor } from '../../lang/compile.ts';
import type { LarkProgram } from '../../lang/lark/index.ts';
import { runStep } from '../../lang/sandbox/index.ts';
import { CompileError, type Problem } from '../../lang/source.ts';
import { after, type MaybePromise, rescue } from '../../util/concurrency/maybe-promise.ts';
import { placeInCode, type StepSource } from '../document/document-logic.ts';
import { placeOf } from '../yaml/yaml-tree.ts';
import { loadableModules, namedModules } from './module-programs.ts';
import {
  compileTenant,
  environmentNames,
  environmentValues,
  lengthOf,
  ProgramOptions,
  resultsBehind,
  type Step,
  StepProblems,
  type StepScope,
  stepLabel,
} from './step.ts';

export function compileLarkStep(source: StepSource, scope: StepScope): MaybePromise<Step> {
  const modules = namedModules(scope.modules).filter((name) => !scope.names.has(name));
  return after(compileProgram(source, scope, new Set(modules)), (program) => {
    if (scope.stage === 'deploy' && !program.assigns.includes(RESULT)) throw withoutResult(source);
    return stepOf(source, scope, program);
  });
}

function stepOf(source: StepSource, scope: StepScope, program: LarkProgram): Step {
  const { reads } = program;
  const length = lengthOf(source.code);
  return {
    source,
    label: stepLabel(source),
    needs: resultsBehind(reads, scope),
    readsContext: reads.includes('context'),
    readsInput: reads.includes('input'),
    modules: program.modules,
    inputNames: [...program.members],
    run(frame) {
      const values = environmentValues(reads, frame, scope.names);
      return after(loadableModules(program, frame.modules, frame.lease.owner), (modules) => {
        const task = { program, values, modules: modules.find, now: Date.now() };
        return runStep('lark', task, frame.limits, new ProgramOptions(frame, modules.length === 'long' ? 'long' : length));
      });
    },
  };
}

/** Variable that holds the result of a step. */
const RESULT = 'result';

function withoutResult(source: StepSource): StepProblems {
  const message = `step ${stepLabel(source)}: the code never assigns ${RESULT}, which is the result of the step`;
  return new StepProblems([{ ...placeOf(source.codeAt), message, kind: 'code', step: source.index }]);
}

const UNDEFINED = /^undefined: (\w+)/;

function compileProgram(source: StepSource, scope: StepScope, modules: ReadonlySet<string>): MaybePromise<LarkProgram> {
  const retry = (error: unknown): MaybePromise<LarkProgram> => {
    if (!(error instanceof CompileError)) throw error;
    // The step compiled at deploy, so an undefined name belongs to a module that was deleted since.
    // The program still compiles; the call fails only if it loads the module.
    const undefinedNames = scope.stage === 'call' ? error.problems.flatMap(({ message }) => UNDEFINED.exec(message)?.[1] ?? []) : [];
    const missing = undefinedNames.filter((name) => !modules.has(name));
    if (missing.length === 0) throw codeProblems(source, error.problems);
    return compileProgram(source, scope, new Set([...modules, ...missing]));
  };
  const options = { name: source.name ?? 'step', predeclared: environmentNames(scope), modules: [...modules], watch: 'input' };
  return rescue(() => compileLarkFor(compileTenant(scope), source.code, options), retry);
}

export function codeProblems(source: StepSource, problems: readonly Problem[]): StepProblems {
  return new StepProblems(
    problems.map(({ line, column, message }) => ({
      ...placeInCode(source, line, column),
      message: `step ${stepLabel(source)}, line ${line}, column ${column}: ${message}`,
      kind: 'code',
      step: source.index,
    })),
  );
}
