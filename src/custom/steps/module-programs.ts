/**
 * The Lark modules of a space as programs: each is compiled when somebody first needs it, in turns with others, and cached by module. Knows
 * nothing of definitions.
 */
import { compileLarkFor, isLongText } from '../../lang/compile.ts';
import type { LarkProgram } from '../../lang/lark/index.ts';
import { CompileError } from '../../lang/source.ts';
import type { LarkModule, LarkModules } from '../../model/lark-module.ts';
import { nextSlice } from '../../util/concurrency/loop-scheduler.ts';
import type { MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import { isReservedName } from '../document/names.ts';
import { compileOwner } from './step.ts';

/** Modules that can be reached by their name: one that is called like something else can only be loaded, and hides nothing. */
export function namedModules(modules: LarkModules): readonly string[] {
  return [...modules.keys()].filter((name) => !isReservedName(name, 'lark'));
}

/** A module sees the other modules of its space, and nothing of a call. Throws CompileError. */
export function compileModule(
  { module, code }: Pick<LarkModule, 'module' | 'code'>,
  others: LarkModules,
  owner: string,
): MaybePromise<LarkProgram> {
  const modules = namedModules(others).filter((name) => name !== module);
  return compileLarkFor(compileOwner({ owner }), code, { name: module, predeclared: [], modules });
}

/** Or why it does not compile. */
const programs = new WeakMap<LarkModule, LarkProgram | CompileError>();

export async function moduleProgram(module: LarkModule, modules: LarkModules, owner: string): Promise<LarkProgram | CompileError> {
  const known = programs.get(module);
  if (known !== undefined) return known;
  await nextSlice(owner);
  const program = await compiledOrWhy(module, modules, owner);
  // What failed because of another module may be right when that is back.
  if (!(program instanceof CompileError)) programs.set(module, program);
  return program;
}

async function compiledOrWhy(module: LarkModule, modules: LarkModules, owner: string): Promise<LarkProgram | CompileError> {
  try {
    return await compileModule(module, modules, owner);
  } catch (error) {
    if (error instanceof CompileError) return error;
    throw error;
  }
}

/** The modules that a program can reach, directly or not. */
export interface Loadable {
  /** Throws when the module does not compile. */
  find(name: string): LarkProgram | undefined;
  /** `long`: one of them is compiled in workers only. */
  readonly length: 'short' | 'long';
}

const NONE: Loadable = { find: () => undefined, length: 'short' };

/** By the space's modules, which are replaced as a whole when one changes, and by program. */
const known = new WeakMap<LarkModules, WeakMap<LarkProgram, MaybePromise<Loadable>>>();

/** At once, but for the first time. */
export function loadable(program: LarkProgram, modules: LarkModules, owner: string): MaybePromise<Loadable> {
  if (program.modules.length === 0) return NONE;
  let ofSpace = known.get(modules);
  if (ofSpace === undefined) {
    ofSpace = new WeakMap();
    known.set(modules, ofSpace);
  }
  const found = ofSpace.get(program);
  if (found !== undefined) return found;
  const reached = reach(program, modules, owner);
  ofSpace.set(program, reached);
  reached.then(
    (result) => ofSpace.set(program, result),
    () => ofSpace.delete(program),
  );
  return reached;
}

async function reach(program: LarkProgram, modules: LarkModules, owner: string): Promise<Loadable> {
  const found = new Map<string, LarkProgram | CompileError>();
  const waiting = [...program.modules];
  let isLong = false;
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const module = found.has(name) ? undefined : modules.get(name);
    if (module === undefined) continue;
    const compiled = await moduleProgram(module, modules, owner);
    found.set(name, compiled);
    isLong ||= isLongText(module.code);
    if (!(compiled instanceof CompileError)) waiting.push(...compiled.modules);
  }
  const find = (name: string): LarkProgram | undefined => {
    const compiled = found.get(name);
    if (compiled instanceof CompileError) throw compiled;
    return compiled;
  };
  return { find, length: isLong ? 'long' : 'short' };
}
