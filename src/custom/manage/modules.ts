/**
 * Validates a Lark module before it is stored: it must compile, and its loads must not form a
 * cycle.
 */
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
  const own = await compile(module, others, owner);
  const dependencies = new Map<string, readonly string[]>([[module.module, own.modules]]);
  const queue = [...own.modules];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const other = dependencies.has(name) ? undefined : others.get(name);
    if (other === undefined) continue;
    const next = await dependenciesOf(other, others, owner);
    dependencies.set(name, next);
    queue.push(...next);
  }
  const cycle = findModuleCycle(module.module, (name) => dependencies.get(name));
  if (cycle === undefined) return;
  const error = apiError('module_cycle', cycle.join(' → '));
  throw error.withLists({ problems: [{ message: error.message.replace(/\.$/, ''), line: 1, column: 1 }] });
}

async function compile(module: Pick<LarkModule, 'module' | 'code'>, others: LarkModules, owner: string): Promise<LarkProgram> {
  try {
    return await compileModule(module, others, owner);
  } catch (error) {
    if (error instanceof SandboxBusyError) throw apiError('programs_busy');
    if (!(error instanceof CompileError)) throw error;
    throw apiError(
      'module_code',
      error.problems.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}.`).join(' '),
    ).withLists({ problems: error.problems.map(({ line, column, message }) => ({ message, line, column })) });
  }
}

/** Names that a module loads; none if it no longer compiles. */
export async function dependenciesOf(module: LarkModule, modules: LarkModules, owner: string): Promise<readonly string[]> {
  const program = await moduleProgram(module, modules, owner);
  return program instanceof CompileError ? [] : program.modules;
}

/** Definitions of the space that load a module, directly or through other modules. */
export async function definitionsLoading(store: Store, scope: SpaceScope, module: string): Promise<readonly DefinitionSummary[]> {
  const modules = (await store.modules(scope.orgId, scope.projectId, scope.spaceId)) ?? NO_MODULES;
  const loading = new Set([module]);
  const loads = new Map<string, readonly string[]>();
  for (const other of modules.values()) loads.set(other.module, await dependenciesOf(other, modules, scope.projectId));
  for (let before = 0; before < loading.size; ) {
    before = loading.size;
    for (const [other, names] of loads) if (names.some((name) => loading.has(name))) loading.add(other);
  }
  return (await store.listDefinitions(scope)).filter(({ uses }) => uses.modules.some((name) => loading.has(name)));
}
