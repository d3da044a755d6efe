/**
 * A checked document → what a call runs: compiled steps, the results that later steps read, the database. Pure except for the languages' compilers; a
 * call never parses anything.
 */
import { createHash } from 'node:crypto';
import { apiError } from '../../errors.ts';
import type { RunLimits } from '../../lang/budget.ts';
import { DEFAULT_LIMITS } from '../../lang/budget.ts';
import { SandboxBusyError } from '../../lang/sandbox/index.ts';
import type { Entry } from '../../model/entry.ts';
import type { LarkModules } from '../../model/lark-module.ts';
import type { ProjectScope } from '../../model/project.ts';
import { nextSlice } from '../../util/concurrency/loop-scheduler.ts';
import type { MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import { WorkSubject } from '../../util/concurrency/work-meter.ts';
import type { InputRules } from '../call/input.ts';
import type { DefinitionDocument, OwnDatabase } from '../document/document.ts';
import { bracesOf } from '../document/uri.ts';
import { DeclaredInput } from '../inputs/declared-input.ts';
import type { ResponseDocument } from '../response/document.ts';
import { type CompiledResponse, compileResponse } from '../response/reply.ts';
import { type CodeProblem, type Step, StepProblems, type StepScope } from '../steps/step.ts';
import { compileStep } from '../steps/step-cache.ts';

export interface Compiled {
  readonly document: DefinitionDocument;
  /** What logs and metrics call it. */
  readonly subject: WorkSubject;
  readonly rules: InputRules;
  /** Roles that may call it. */
  readonly permission: readonly string[];
  readonly steps: readonly Step[];
  /** The step whose result is the answer. */
  readonly answer: number;
  /** Results that a later step reads. */
  readonly read: ReadonlySet<number>;
  readonly readsContext: boolean;
  /** Undefined: 200, and the result of the steps. */
  readonly response: CompiledResponse | undefined;
  readonly usesModules: boolean;
  readonly limits: RunLimits;
  readonly timeoutMs: number;
  readonly transaction: 'one' | 'all' | 'none';
  /** `held`: nothing may be sent before the end, because what ran may still be taken back. */
  readonly rows: 'held' | 'flowing';
  /** Is an answer kept for others, or shared with them? */
  readonly keeps: boolean;
  /** Undefined when a registered database is meant, which may change. */
  readonly entry: Entry | undefined;
}

export interface CompileScope {
  readonly tenant: ProjectScope;
  readonly modules: LarkModules;
  readonly stage: StepScope['stage'];
  readonly password: string | null;
}

/** Throws StepProblems with everything that is wrong in any step. Compiles long code in slices. */
export async function compileDefinition(document: DefinitionDocument, scope: CompileScope): Promise<Compiled> {
  const { steps, response } = await compileSteps(document, scope);
  const read = new Set([...steps.flatMap(({ needs }) => [...needs]), ...(response?.needs ?? [])]);
  const shown = steps.findLastIndex(({ source }) => !source.omit);
  const { config, database } = document;
  if (scope.stage === 'deploy') refuseKept(document, steps);
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
    answer: shown < 0 ? steps.length - 1 : shown,
    read,
    readsContext: steps.some(({ readsContext }) => readsContext) || response?.readsContext === true,
    response,
    usesModules: steps.some(({ modules }) => modules.length > 0),
    limits: { ...DEFAULT_LIMITS, steps: config.steps, bytes: config.memoryMb * 1024 * 1024, millis: config.timeMs },
    timeoutMs: database.timeoutSecs * 1000,
    transaction,
    rows: transaction === 'all' && steps.some(writes) ? 'held' : 'flowing',
    keeps: (config.cacheResult || config.coalesce) && !steps.some(writes),
    entry: database.kind === 'own' ? entryOf(database, scope) : undefined,
  };
}

/** What its database is asked about. */
export type Askable = Pick<Compiled, 'document' | 'steps' | 'entry'>;

/** The same with the password, which the check of a document finds out last. */
export function withPassword<T extends Askable>(compiled: T, scope: CompileScope): T {
  const { database } = compiled.document;
  return database.kind === 'own' ? { ...compiled, entry: entryOf(database, scope) } : compiled;
}

/** Code that is compiled at once: some milliseconds. */
const TURN_CODE = 16 * 1024;

/**
 * A single statement needs no transaction when it only reads, or when it is all or nothing by itself and nothing after it can fail.
 * What may do half of its work (CALL) runs in one.
 */
function transactionOf(steps: readonly Step[], response: CompiledResponse | undefined): Compiled['transaction'] {
  const statements = steps.filter(({ sql }) => sql !== undefined);
  const [only] = statements;
  if (statements.length > 1) return 'all';
  if (only?.sql === undefined || (only.sql.reads && only.sql.harmless)) return 'one';
  if (only !== steps.at(-1)) return 'all';
  if (response !== undefined) return only.sql.alone ? 'none' : 'all';
  return only.sql.alone ? 'none' : only.sql.plain ? 'one' : 'all';
}

/** Whatever is not known to be read-only, by its words, may write. */
function writes({ sql }: Step): boolean {
  return sql?.reads === false;
}

/** A kept or shared answer stands for calls that never ran, so no step may write. Throws StepProblems. */
export function refuseKept({ config }: DefinitionDocument, steps: readonly Step[]): void {
  const settings = [...(config.cacheResult ? ['cache_result'] : []), ...(config.coalesce ? ['coalesce'] : [])];
  if (settings.length === 0) return;
  const problems = steps.filter(writes).map(({ source, label }): CodeProblem => {
    const message = `config.${settings.join(' and config.')}: only for definitions whose steps read, and step ${label} writes or may write`;
    return { ...source.codeAt, message, kind: 'document', step: source.index };
  });
  if (problems.length > 0) throw new StepProblems(problems, steps);
}

async function compileSteps(document: DefinitionDocument, scope: CompileScope): Promise<Pick<Compiled, 'steps' | 'response'>> {
  const { logic, database } = document;
  const names = new Map<string, number>();
  const steps: Step[] = [];
  const problems: CodeProblem[] = [];
  const owner = scope.tenant.projectId;
  const shared = { engine: database.engine, modules: scope.modules, owner, stage: scope.stage };
  let characters = 0;
  for (const source of logic) {
    const { index, name, code } = source;
    if (characters + code.length > TURN_CODE) {
      await nextSlice(owner);
      characters = 0;
    }
    characters += code.length;
    const step = await compiledOr(problems, () => compileStep(source, { ...shared, names: new Map(names), count: index }));
    if (step !== undefined) steps.push(step);
    if (name !== undefined) names.set(name, index);
  }
  const last: StepScope = { ...shared, names, count: logic.length };
  const response = document.response && (await compiledOr(problems, () => compileResponse(document.response as ResponseDocument, last)));
  if (problems.length > 0) throw new StepProblems(problems, steps);
  return { steps, response };
}

/** Notes what is wrong instead of throwing it. */
async function compiledOr<T>(problems: CodeProblem[], compile: () => MaybePromise<T>): Promise<T | undefined> {
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

/** One id per set of values, so that versions with the same database share its connections, and tenants never do. */
function entryOf(database: OwnDatabase, { tenant, password }: CompileScope): Entry {
  const values = {
    type: database.engine.type,
    database: database.name,
    hosts: database.hosts,
    username: database.username,
    password: password ?? '',
    tls: database.tls,
    ...(database.ca === undefined ? {} : { ca: database.ca }),
    connectTimeoutSecs: database.connectTimeoutSecs,
    idleTimeoutSecs: database.idleTimeoutSecs,
    maxOpenConnections: database.maxOpenConnections,
    maxIdleConnections: database.maxIdleConnections,
  };
  const id = createHash('sha256')
    .update(JSON.stringify([tenant.orgId, tenant.projectId, values]))
    .digest('base64url');
  return { id: `definition-${id}`, ...values, queryTimeoutSecs: database.timeoutSecs };
}
