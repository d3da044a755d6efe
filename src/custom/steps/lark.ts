/**
 * `lark` steps: programs compiled with their definition. The modules of the space are compiled when a call first needs them and cached by module, so
 * that an overwritten one is live at once.
 */

import { compileLark, type LarkProgram } from '../../lang/lark/index.ts';
import { runStep } from '../../lang/sandbox/index.ts';
import { CompileError, type Problem } from '../../lang/source.ts';
import type { LarkModule, LarkModules } from '../../model/lark-module.ts';
import type { PlainValue } from '../../util/decimal.ts';
import { placeInCode, type StepSource } from '../document-logic.ts';
import { isReservedName } from '../names.ts';
import {
  environmentNames,
  environmentValue,
  programOptions,
  resultsBehind,
  type Step,
  StepProblems,
  type StepScope,
  stepLabel,
} from './step.ts';

export function compileLarkStep(source: StepSource, scope: StepScope): Step {
  const program = compileProgram(source, scope);
  const label = stepLabel(source);
  const { reads } = program;
  return {
    source,
    label,
    needs: resultsBehind(reads, scope),
    readsContext: reads.includes('context'),
    modules: program.modules,
    inputNames: [...program.members],
    run(frame) {
      const values = new Map<string, PlainValue>();
      for (const name of reads) values.set(name, environmentValue(name, frame, scope.names) ?? null);
      return runStep('lark', { program, values, modules: finderOf(frame.modules), now: Date.now() }, frame.limits, programOptions(frame));
    },
  };
}

const UNDEFINED = /^undefined: (\w+)/;

function compileProgram(source: StepSource, scope: StepScope): LarkProgram {
  const predeclared = environmentNames(scope);
  const modules = new Set(namedModules(scope.modules).filter((name) => !scope.names.has(name)));
  for (;;) {
    try {
      return compileLark(source.code, { name: source.name ?? 'step', predeclared, modules, watch: 'input' });
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      // It compiled when it was deployed, so a name that is gone was a module's: that is for the call to find out.
      const gone = scope.stage === 'call' ? error.problems.flatMap(({ message }) => UNDEFINED.exec(message)?.[1] ?? []) : [];
      const missing = gone.filter((name) => !modules.has(name));
      if (missing.length === 0) throw codeProblems(source, error.problems);
      for (const name of missing) modules.add(name);
    }
  }
}

/** Modules that can be reached by their name: one that is called like something else can only be loaded, and hides nothing. */
function namedModules(modules: LarkModules): readonly string[] {
  return [...modules.keys()].filter((name) => !isReservedName(name, 'lark'));
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

const programs = new WeakMap<LarkModule, LarkProgram>();
const finders = new WeakMap<LarkModules, (name: string) => LarkProgram | undefined>();

/** The modules of a space as programs; the picture of a space's modules is replaced as a whole when one changes. */
function finderOf(modules: LarkModules): (name: string) => LarkProgram | undefined {
  const known = finders.get(modules);
  if (known !== undefined) return known;
  const finder = (name: string): LarkProgram | undefined => {
    const module = modules.get(name);
    return module === undefined ? undefined : moduleProgram(module, modules);
  };
  finders.set(modules, finder);
  return finder;
}

function moduleProgram(module: LarkModule, modules: LarkModules): LarkProgram {
  const known = programs.get(module);
  if (known !== undefined) return known;
  const program = compileModule(module, modules);
  programs.set(module, program);
  return program;
}

/** A module sees the other modules of its space, and nothing of a call. Throws CompileError. */
export function compileModule(module: { readonly module: string; readonly code: string }, others: LarkModules): LarkProgram {
  const modules = namedModules(others).filter((name) => name !== module.module);
  return compileLark(module.code, { name: module.module, modules });
}
