/**
 * Compiles a validated document into what a call runs: steps, data flow between them, transaction
 * mode and limits. A call never parses code.
 */
import { apiError } from '../../errors.ts';
import { DEFAULT_LIMITS, type RunLimits } from '../../lang/budget.ts';
import { SandboxBusyError } from '../../lang/sandbox/index.ts';
import type { DefinitionMethod } from '../../model/definition.ts';
import type { LarkModules } from '../../model/lark-module.ts';
import type { ProjectScope } from '../../model/project.ts';
import { nextSlice } from '../../util/concurrency/loop-scheduler.ts';
import type { MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import { WorkSubject } from '../../util/concurrency/work-meter.ts';
import type { DefinitionDocument, InputType } from '../document/document.ts';
import { type Brace, bracesOf } from '../document/uri.ts';
import { DeclaredInput } from '../inputs/declared-input.ts';
import { type CodeProblem, type Step, StepProblems, type StepScope } from '../steps/step.ts';
import type { StepCache } from '../steps/step-cache.ts';
import { type DatabaseUse, ownEntry } from './database-entry.ts';
import { type CompiledResponse, compileResponse } from './response.ts';

export interface Compiled extends DatabaseUse {
  /** Label in logs and metrics. */
  readonly subject: WorkSubject;
  readonly rules: InputRules;
  /** Roles that may call it. */
  readonly permission: readonly string[];
  readonly steps: readonly Step[];
  /** Index of the step whose result is the response. */
  readonly answer: number;
  /** Indices of results that a later step or the response reads. */
  readonly read: ReadonlySet<number>;
  readonly readsContext: boolean;
  /** Indices of the steps whose values may come from the caller, directly or through others. */
  readonly fromCaller: ReadonlySet<number>;
  /** `undefined` responds 200 with the result of the steps. */
  readonly response: CompiledResponse | undefined;
  readonly usesModules: boolean;
  readonly limits: RunLimits;
  readonly timeoutMs: number;
  /** `one`: the only statement is atomic; `all`: one transaction around the steps. */
  readonly transaction: 'one' | 'all' | 'none';
  /** `held` sends nothing before the end, because the steps may still be rolled back. */
  readonly rows: 'held' | 'flowing';
  /** `true` if responses may be cached, or shared by concurrent callers. */
  readonly isCacheable: boolean;
}

/** How the input of a call is read. */
export interface InputRules {
  readonly method: DefinitionMethod;
  readonly inputType: InputType;
  /** `undefined` if the definition declares no input. */
  readonly declared: DeclaredInput | undefined;
  /** Names and positions of the segments in braces. */
  readonly braces: readonly Brace[];
}

export interface CompileScope {
  readonly tenant: ProjectScope;
  readonly modules: LarkModules;
  readonly stage: StepScope['stage'];
  readonly password: string | null;
  readonly stepCache: StepCache;
}

/** Throws StepProblems with the problems of all steps. Compiles long code in slices. */
export async function compileDefinition(document: DefinitionDocument, scope: CompileScope): Promise<Compiled> {
  const { steps, response } = await compileSteps(document, scope);
  const read = new Set([...steps.flatMap(({ needs }) => [...needs]), ...(response?.needs ?? [])]);
  const lastShown = steps.findLastIndex(({ source }) => !source.omit);
  const { config, database } = document;
  if (scope.stage === 'deploy') requireReadsIfCached(document, steps);
  const transaction = config.transaction ? transactionOf(steps, response) : 'none';
  return {
    document,
    subject: new WorkSubject({ endpoint: `${document.method} ${document.uri}`, version: document.version }),
    rules: {
      method: document.method,
      inputType: document.inputType,
      declared: document.inputs === undefined ? undefined : new DeclaredInput(document.inputs),
      braces: bracesOf(document.uri),
    },
    permission: document.permission,
    steps,
    answer: lastShown < 0 ? steps.length - 1 : lastShown,
    read,
    readsContext: steps.some(({ readsContext }) => readsContext) || response?.readsContext === true,
    fromCaller: stepsFromCaller(steps),
    response,
    usesModules: steps.some(({ modules }) => modules.length > 0),
    limits: { ...DEFAULT_LIMITS, steps: config.steps, bytes: config.memoryMb * 1024 * 1024, millis: config.timeMs },
    timeoutMs: database.timeoutSecs * 1000,
    transaction,
    rows: transaction === 'all' && steps.some(mayWrite) ? 'held' : 'flowing',
    isCacheable: (config.cacheResult || config.coalesce) && !steps.some(mayWrite),
    entry: database.kind === 'own' ? ownEntry(database, scope.tenant, scope.password) : undefined,
  };
}

function stepsFromCaller(steps: readonly Step[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const [index, { readsInput, readsContext, needs }] of steps.entries())
    if (readsInput || readsContext || [...needs].some((need) => found.has(need))) found.add(index);
  return found;
}

/** Parts of a definition that suffice to check its SQL, even if other steps do not compile. */
export type SqlSteps = Pick<Compiled, 'document' | 'steps' | 'entry'>;

/** Returns a copy with the password, which validation looks up last. */
export function withPassword<T extends SqlSteps>(compiled: T, tenant: ProjectScope, password: string | null): T {
  const { database } = compiled.document;
  return database.kind === 'own' ? { ...compiled, entry: ownEntry(database, tenant, password) } : compiled;
}

/**
 * A single statement needs no transaction if it only reads, or if it is atomic and nothing after it
 * can fail. A statement that is not atomic (CALL) runs in one.
 */
function transactionOf(steps: readonly Step[], response: CompiledResponse | undefined): Compiled['transaction'] {
  const statements = steps.filter(({ sql }) => sql !== undefined);
  const [only] = statements;
  if (statements.length > 1) return 'all';
  if (only?.sql === undefined || (only.sql.reads && only.sql.harmless)) return 'one';
  if (only !== steps.at(-1)) return 'all';
  if (only.sql.alone) return 'none';
  return response === undefined && only.sql.plain ? 'one' : 'all';
}

/** Any statement that is not known to be read-only. */
function mayWrite({ sql }: Step): boolean {
  return sql?.reads === false;
}

/**
 * A cached or shared response serves calls that never ran, so none of its steps may write. Throws
 * StepProblems.
 */
export function requireReadsIfCached({ config }: DefinitionDocument, steps: readonly Step[]): void {
  const settings = [...(config.cacheResult ? ['cache_result'] : []), ...(config.coalesce ? ['coalesce'] : [])];
  if (settings.length === 0) return;
  const problems = steps.filter(mayWrite).map(({ source, label }): CodeProblem => {
    const message = `config.${settings.join(' and config.')}: only for definitions whose steps read, and step ${label} writes or may write`;
    return { ...source.codeAt, message, kind: 'document', step: source.index };
  });
  if (problems.length > 0) throw new StepProblems(problems, steps);
}

/** Code compiled without yielding to the event loop: a few milliseconds. */
const SLICE_CHARACTERS = 16 * 1024;

async function compileSteps(document: DefinitionDocument, scope: CompileScope): Promise<Pick<Compiled, 'steps' | 'response'>> {
  const { logic, database } = document;
  const { modules, stage, stepCache } = scope;
  const names = new Map<string, number>();
  const steps: Step[] = [];
  const problems: CodeProblem[] = [];
  const owner = scope.tenant.projectId;
  const shared = { engine: database.engine, modules, inputs: document.inputs, owner, stage };
  let characters = 0;
  for (const source of logic) {
    const { index, name, code } = source;
    if (characters + code.length > SLICE_CHARACTERS) {
      await nextSlice(owner);
      characters = 0;
    }
    characters += code.length;
    const step = await collectProblems(problems, () => stepCache.compile(source, { ...shared, names: new Map(names), count: index }));
    if (step !== undefined) steps.push(step);
    if (name !== undefined) names.set(name, index);
  }
  const section = document.response;
  const all: StepScope = { ...shared, names, count: logic.length };
  const response = section && (await collectProblems(problems, () => compileResponse(section, all)));
  if (problems.length > 0) throw new StepProblems(problems, steps);
  return { steps, response };
}

/**
 * Collects StepProblems instead of throwing them, so that the author sees the problems of all
 * steps.
 */
async function collectProblems<T>(problems: CodeProblem[], compile: () => MaybePromise<T>): Promise<T | undefined> {
  try {
    const compiled = compile();
    return compiled instanceof Promise ? await compiled : compiled;
  } catch (error) {
    if (error instanceof SandboxBusyError) throw apiError('programs_busy');
    if (!(error instanceof StepProblems)) throw error;
    problems.push(...error.problems);
    return undefined;
  }
}
