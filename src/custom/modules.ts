/** Checks whether a Lark module may be stored beside the others of its space: it must compile, and loading must terminate. */
import { apiError } from '../errors.ts';
import { findModuleCycle } from '../lang/lark/index.ts';
import { CompileError } from '../lang/source.ts';
import type { DefinitionSummary } from '../model/definition.ts';
import type { LarkModules } from '../model/lark-module.ts';
import type { SpaceScope } from '../model/project.ts';
import type { Store } from '../store/store.ts';
import { compileModule } from './steps/lark.ts';

export function checkModule(module: { readonly module: string; readonly code: string }, others: LarkModules): void {
  const own = compiled(module, others);
  const dependencies = (name: string): readonly string[] | undefined => {
    if (name === module.module) return own.modules;
    const other = others.get(name);
    return other === undefined ? undefined : dependenciesOf(other, others);
  };
  const cycle = findModuleCycle(module.module, dependencies);
  if (cycle !== undefined) throw apiError('module_cycle', cycle.join(' → '));
}

function compiled(module: { readonly module: string; readonly code: string }, others: LarkModules): ReturnType<typeof compileModule> {
  try {
    return compileModule(module, others);
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    throw apiError(
      'module_code',
      error.problems.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}.`).join(' '),
    );
  }
}

/** Another module that no longer compiles does not matter here. */
export function dependenciesOf(module: { readonly module: string; readonly code: string }, others: LarkModules): readonly string[] {
  try {
    return compileModule(module, others).modules;
  } catch (error) {
    if (error instanceof CompileError) return [];
    throw error;
  }
}

/** Definitions of the space that load a module, also through other modules. */
export async function definitionsLoading(store: Store, scope: SpaceScope, module: string): Promise<readonly DefinitionSummary[]> {
  const modules = (await store.modules(scope.orgId, scope.projectId, scope.spaceId)) ?? new Map();
  const concerned = new Set([module]);
  for (let before = 0; before < concerned.size; ) {
    before = concerned.size;
    for (const other of modules.values())
      if (dependenciesOf(other, modules).some((name) => concerned.has(name))) concerned.add(other.module);
  }
  return (await store.listDefinitions(scope)).filter(({ uses }) => uses.modules.some((name) => concerned.has(name)));
}
