/**
 * Compiles the Lark modules of a space on first use, in time slices, and caches the programs by
 * module. Independent of definitions.
 */
import { compileLarkFor, isLongText } from '../../lang/compile.ts';
import type { LarkProgram } from '../../lang/lark/index.ts';
import { CompileError } from '../../lang/source.ts';
import type { LarkModule, LarkModules } from '../../model/lark-module.ts';
import { nextSlice } from '../../util/concurrency/loop-scheduler.ts';
import type { MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import { memo, memoPair } from '../../util/memo.ts';
import { isReservedName } from '../document/names.ts';
import { compileTenant } from './step.ts';

/**
 * Modules that programs can use by name. A module with a reserved name must be loaded explicitly.
 */
export function namedModules(modules: LarkModules): readonly string[] {
  return [...modules.keys()].filter((name) => !isReservedName(name, 'lark'));
}

/** A module sees the other modules of its space, but nothing of a call. Throws CompileError. */
export function compileModule(
  { module, code }: Pick<LarkModule, 'module' | 'code'>,
  others: LarkModules,
  owner: string,
): MaybePromise<LarkProgram> {
  const modules = namedModules(others).filter((name) => name !== module);
  return compileLarkFor(compileTenant({ owner }), code, { name: module, predeclared: [], modules });
}

const cachedProgram = memo((_: LarkModule): { program?: LarkProgram } => ({}));

/** Returns the program, or the reason why the module does not compile. */
export async function moduleProgram(module: LarkModule, modules: LarkModules, owner: string): Promise<LarkProgram | CompileError> {
  const cached = cachedProgram(module);
  if (cached.program !== undefined) return cached.program;
  await nextSlice(owner);
  try {
    cached.program = await compileModule(module, modules, owner);
    return cached.program;
  } catch (error) {
    // Failures are not cached: the module may compile once another module is back.
    if (error instanceof CompileError) return error;
    throw error;
  }
}

/** Modules that a program can load, directly or through others. */
export interface LoadableModules {
  /** Throws CompileError if the module does not compile. */
  find(name: string): LarkProgram | undefined;
  /** `long` if one of them is compiled in workers only. */
  readonly length: 'short' | 'long';
}

const NONE: LoadableModules = { find: () => undefined, length: 'short' };

/** The modules of a space are replaced as a whole when one changes. */
const cachedModules = memoPair((_modules: LarkModules, _program: LarkProgram): { loadable?: MaybePromise<LoadableModules> } => ({}));

/** Synchronous after the first time. */
export function loadableModules(program: LarkProgram, modules: LarkModules, owner: string): MaybePromise<LoadableModules> {
  if (program.modules.length === 0) return NONE;
  const cached = cachedModules(modules, program);
  if (cached.loadable !== undefined) return cached.loadable;
  const loading = compileReachable(program, modules, owner);
  cached.loadable = loading;
  loading.then(
    (loadable) => {
      cached.loadable = loadable;
    },
    () => {
      delete cached.loadable;
    },
  );
  return loading;
}

async function compileReachable(program: LarkProgram, modules: LarkModules, owner: string): Promise<LoadableModules> {
  const reached = new Map<string, LarkProgram | CompileError>();
  const queue = [...program.modules];
  let isLong = false;
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const module = reached.has(name) ? undefined : modules.get(name);
    if (module === undefined) continue;
    const compiled = await moduleProgram(module, modules, owner);
    reached.set(name, compiled);
    isLong ||= isLongText(module.code);
    if (!(compiled instanceof CompileError)) queue.push(...compiled.modules);
  }
  const find = (name: string): LarkProgram | undefined => {
    const compiled = reached.get(name);
    if (compiled instanceof CompileError) throw compiled;
    return compiled;
  };
  return { find, length: isLong ? 'long' : 'short' };
}
