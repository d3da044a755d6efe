/** Checks whether a Lark module may be stored beside the others of its space: it must compile, and loading must terminate. */
import { apiError } from '../../errors.ts';
import { findModuleCycle, type LarkProgram } from '../../lang/lark/index.ts';
import { SandboxBusyError } from '../../lang/sandbox/index.ts';
import { CompileError } from '../../lang/source.ts';
import type { DefinitionSummary } from '../../model/definition.ts';
import type { LarkModule, LarkModules } from '../../model/lark-module.ts';
import type { SpaceScope } from '../../model/project.ts';
import type { Store } from '../../store/store.ts';
import { nextSlice } from '../../util/concurrency/loop-scheduler.ts';
import { NO_MODULES } from '../call/endpoint-resolver.ts';
import { compileModule, moduleProgram } from '../steps/module-programs.ts';

export async function checkModule(module: Pick<LarkModule, 'module' | 'code'>, others: LarkModules, owner: string): Promise<void> {
  await nextSlice(owner);
  const own = await compiled(module, others, owner);
  const dependencies = new Map<string, readonly string[]>([[module.module, own.modules]]);
  const waiting = [...own.modules];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const other = dependencies.has(name) ? undefined : others.get(name);
    if (other === undefined) continue;
    const next = await dependenciesOf(other, others, owner);
    dependencies.set(name, next);
    waiting.push(...next);
  }
  const cycle = findModuleCycle(module.module, (name) => dependencies.get(name));
  if (cycle !== undefined) throw apiError('module_cycle', cycle.join(' → '));
}

async function compiled(module: Pick<LarkModule, 'module' | 'code'>, others: LarkModules, owner: string): Promise<LarkProgram> {
  try {
    return await compileModule(module, others, owner);
  } catch (error) {
    if (error instanceof SandboxBusyError) throw apiError('programs_busy');
    if (!(error instanceof CompileError)) throw error;
    throw apiError(
      'module_code',
      error.problems.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}.`).join(' '),
    );
  }
}

/** Another module that no longer compiles does not matter here. */
export async function dependenciesOf(module: LarkModule, modules: LarkModules, owner: string): Promise<readonly string[]> {
  const program = await moduleProgram(module, modules, owner);
  return program instanceof CompileError ? [] : program.modules;
}

/** Definitions of the space that load a module, also through other modules. */
export async function definitionsLoading(store: Store, scope: SpaceScope, module: string): Promise<readonly DefinitionSummary[]> {
  const modules = (await store.modules(scope.orgId, scope.projectId, scope.spaceId)) ?? NO_MODULES;
  const concerned = new Set([module]);
  const loads = new Map<string, readonly string[]>();
  for (const other of modules.values()) loads.set(other.module, await dependenciesOf(other, modules, scope.projectId));
  for (let before = 0; before < concerned.size; ) {
    before = concerned.size;
    for (const [other, names] of loads) if (names.some((name) => concerned.has(name))) concerned.add(other);
  }
  return (await store.listDefinitions(scope)).filter(({ uses }) => uses.modules.some((name) => concerned.has(name)));
}
