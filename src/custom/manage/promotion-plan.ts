/**
 * Plans the copy of definitions into another space: the documents for the target, the Lark modules
 * and databases that they need, and the problems. Diff reports the plan; promote executes it.
 */
import { ApiError, apiError } from '../../errors.ts';
import { isBuiltinModule } from '../../lang/lark/index.ts';
import type { Definition, DefinitionDraft } from '../../model/definition.ts';
import type { LarkModule, LarkModules } from '../../model/lark-module.ts';
import { entryKey, inSpace, type ProjectContext, type SpaceScope } from '../../model/project.ts';
import { runCooperatively } from '../../util/concurrency/slices.ts';
import { editDocument, readDocumentSlices } from '../document/document.ts';
import { type Compiled, compileDefinition, requireReadsIfCached } from '../program/compile.ts';
import { StepProblems } from '../steps/step.ts';
import { placeOf } from '../yaml/yaml-tree.ts';
import { headOf, nameOf, usesOf } from './definitions.ts';
import type { Author, Management } from './management.ts';
import { checkModule, dependenciesOf } from './modules.ts';
import type { PromotionRequest } from './promotion-request.ts';
import { checkSql, type ValidateOptions, yieldForLongText } from './validate.ts';
import { warningsOf } from './warnings.ts';

/** A problem that prevents the copy unless it is forced, with its place. */
export interface PromotionProblem {
  readonly message: string;
  readonly [place: string]: string | number;
}

export interface PromotedDefinition {
  readonly source: Definition;
  readonly draft: DefinitionDraft;
  /** Definition of the target to compare with: the same version if it exists, else the highest. */
  readonly existing: Definition | undefined;
}

/** A module of the source that the definitions load, directly or through others. */
export interface PromotedModule {
  readonly module: string;
  readonly source: LarkModule;
  readonly existing: LarkModule | undefined;
  /** A final line break makes no difference. */
  readonly state: 'new' | 'same' | 'changed';
}

/** A registered database that the definitions refer to. */
export interface RequiredDatabase {
  readonly ref: string;
  /** `undefined` if the database exists and (when requested) was reachable. */
  readonly reason: string | undefined;
}

export interface Promotion {
  readonly target: SpaceScope;
  /** Name of the target space. */
  readonly to: string;
  readonly definitions: readonly PromotedDefinition[];
  readonly modules: readonly PromotedModule[];
  readonly databases: readonly RequiredDatabase[];
  readonly problems: readonly PromotionProblem[];
  readonly warnings: readonly string[];
}

export async function planPromotion(
  management: Management,
  author: Author,
  request: PromotionRequest,
  options: ValidateOptions,
): Promise<Promotion> {
  const { caller } = author;
  const { orgId, projectId } = caller;
  const target: SpaceScope = { orgId, projectId, spaceId: request.targetSpaceId };
  const sources = await Promise.all(request.definitionIds.map((id) => findSource(management, author, id)));
  const context = await targetContext(management, target);
  const sourceModules = await management.resolver.modules(caller);
  const targetModules = await management.resolver.modules(target);
  const candidates: Candidate[] = [];
  for (const source of sources)
    candidates.push(await compileFor(target, management, author, { source, version: request.targetVersion, sourceModules }));
  const modules = await modulesOf(candidates, sourceModules, targetModules, projectId);
  const copied = request.modules ? modules.map(({ module, source }) => [module, source] as const) : [];
  const resulting: LarkModules = new Map([...targetModules, ...copied]);
  const to = context.spaces.get(target.spaceId)?.name ?? '';
  const databases = new DatabaseChecks(management, context, to, options);
  for (const candidate of candidates) await databases.check(candidate);
  return {
    target,
    to,
    definitions: candidates,
    modules,
    databases: databases.required,
    problems: [
      ...databases.problems,
      ...(await missingModules(candidates, resulting, to, projectId)),
      ...(request.modules ? await moduleProblems(modules, resulting, projectId) : []),
    ],
    warnings: databases.warnings,
  };
}

/** The project as seen from the target space, which may have other databases. */
async function targetContext({ store }: Management, { orgId, projectId, spaceId }: SpaceScope): Promise<ProjectContext> {
  const context = await store.projectContext(orgId, projectId);
  if (context === undefined) throw apiError('project_unknown');
  return inSpace(context, spaceId);
}

async function findSource({ store }: Management, { caller }: Author, id: string): Promise<Definition> {
  const definition = await store.definition(caller, id);
  if (definition === undefined) throw apiError('definition_unknown');
  if (definition.unreadable !== null) throw apiError('record_unreadable', `${definition.uri} ${definition.version}`, id);
  return definition;
}

interface Candidate extends PromotedDefinition {
  readonly compiled: Compiled;
}

interface SourceDefinition {
  readonly source: Definition;
  readonly version: string;
  /** Modules of the source space, with which the definition compiled there. */
  readonly sourceModules: LarkModules;
}

/** Rewrites a definition for the target space and compiles it. */
async function compileFor(
  target: SpaceScope,
  { store, connections, resolver: { stepCache } }: Management,
  author: Author,
  { source, version, sourceModules }: SourceDefinition,
): Promise<Candidate> {
  const { uri, method, password } = source;
  await yieldForLongText(source.document, target.projectId);
  const deployed = (await store.endpoint(target.orgId, target.projectId, target.spaceId, uri))?.versions.get(method) ?? [];
  const keepsRollback = source.rollbackVersion !== version && deployed.some((one) => one.version === source.rollbackVersion);
  const document = editDocument(source.document, [
    ...(source.version === version ? [] : [{ path: ['http', 'version'] as const, text: JSON.stringify(version) }]),
    { path: ['identifiers', 'space_id'], text: target.spaceId },
    { path: ['identifiers', 'user_id'], text: author.caller.userId },
    ...(keepsRollback ? [] : [{ path: ['config', 'rollback_version'] as const, text: 'null' }]),
  ]);
  const read = await runCooperatively(readDocumentSlices(document, connections.engines), target.projectId);
  // Modules that the target lacks are reported below. They must not hide other problems.
  const compiled = await compileDefinition(read, { tenant: target, modules: sourceModules, stage: 'call', password, stepCache });
  requireReads(compiled);
  return {
    source,
    compiled,
    existing: deployed.find((one) => one.version === version) ?? deployed[0],
    draft: {
      uri,
      method,
      version,
      featureId: source.featureId,
      userId: author.caller.userId,
      rollbackVersion: keepsRollback ? source.rollbackVersion : null,
      document,
      password,
      uses: usesOf(compiled),
      head: headOf(read),
    },
  };
}

/** Definitions deployed before this rule existed are not copied either. */
function requireReads({ document, steps }: Compiled): void {
  try {
    requireReadsIfCached(document, steps);
  } catch (error) {
    throw error instanceof StepProblems ? apiError('definition_invalid', error.message) : error;
  }
}

/** Names of the modules that can be reached from some names, over any number of loads. */
async function reachableModules(names: readonly string[], modules: LarkModules, owner: string): Promise<ReadonlySet<string>> {
  const isOwn = (name: string): boolean => modules.has(name) || !isBuiltinModule(name);
  const reached = new Set(names.filter(isOwn));
  // Names added during the iteration are visited too.
  for (const name of reached) {
    const module = modules.get(name);
    if (module === undefined) continue;
    for (const next of await dependenciesOf(module, modules, owner)) if (isOwn(next)) reached.add(next);
  }
  return reached;
}

async function modulesOf(
  candidates: readonly Candidate[],
  sourceModules: LarkModules,
  targetModules: LarkModules,
  owner: string,
): Promise<readonly PromotedModule[]> {
  const loaded = candidates.flatMap(({ draft }) => draft.uses?.modules ?? []);
  const names = await reachableModules(loaded, sourceModules, owner);
  return [...names].sort().flatMap((module) => {
    const source = sourceModules.get(module);
    const existing = targetModules.get(module);
    return source === undefined ? [] : [{ module, source, existing, state: stateOf(source, existing) }];
  });
}

function stateOf({ code }: LarkModule, existing: LarkModule | undefined): PromotedModule['state'] {
  const trimmed = (text: string): string => text.replace(/\n$/, '');
  if (existing === undefined) return 'new';
  return trimmed(existing.code) === trimmed(code) ? 'same' : 'changed';
}

async function missingModules(
  candidates: readonly Candidate[],
  modules: LarkModules,
  to: string,
  owner: string,
): Promise<readonly PromotionProblem[]> {
  const problems: PromotionProblem[] = [];
  for (const { compiled, draft } of candidates) {
    const reported = new Set<string>();
    for (const step of compiled.steps) {
      const { line, column } = step.source.codeAt;
      for (const module of await reachableModules(step.modules, modules, owner)) {
        if (modules.has(module) || reported.has(module)) continue;
        reported.add(module);
        const message = `${nameOf(draft)}: step ${step.label} loads the module ${JSON.stringify(module)}, which the space ${to} does not have`;
        problems.push({ message, ...addressOf(draft), module, line, column, step: `step_${step.source.index}` });
      }
    }
  }
  return problems;
}

/** A module that loads a deleted module compiles neither in the source nor in the target. */
async function moduleProblems(
  modules: readonly PromotedModule[],
  resulting: LarkModules,
  owner: string,
): Promise<readonly PromotionProblem[]> {
  const problems: PromotionProblem[] = [];
  for (const { module, source } of modules) {
    try {
      await checkModule(source, resulting, owner);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problems.push({ message: `the module ${JSON.stringify(module)}: ${error.message}`, module });
    }
  }
  return problems;
}

function addressOf({ uri, method, version }: DefinitionDraft): { readonly uri: string; readonly method: string; readonly version: string } {
  return { uri, method, version };
}

/**
 * Checks the databases of the target that definitions need. An unreachable database is not tried
 * again.
 */
class DatabaseChecks {
  readonly problems: PromotionProblem[] = [];
  readonly warnings: string[] = [];
  readonly #reasons = new Map<string, string | undefined>();
  readonly #unreachable = new Set<string>();
  readonly #management: Management;
  readonly #context: ProjectContext;
  readonly #to: string;
  readonly #prepare: boolean;

  constructor(management: Management, context: ProjectContext, to: string, { prepare }: ValidateOptions) {
    this.#management = management;
    this.#context = context;
    this.#to = to;
    this.#prepare = prepare;
  }

  get required(): readonly RequiredDatabase[] {
    return [...this.#reasons].map(([ref, reason]) => ({ ref, reason })).sort((a, b) => (a.ref < b.ref ? -1 : 1));
  }

  async check({ compiled, draft }: Candidate): Promise<void> {
    const { database } = compiled.document;
    const name = nameOf(draft);
    this.warnings.push(...warningsOf(compiled).map((text) => `${name}: ${text}`));
    const ref = entryKey(database.engine.type, database.name);
    if (database.kind === 'ref') {
      const reason = this.#missingReason(ref);
      this.#reasons.set(ref, this.#reasons.get(ref) ?? reason);
      if (reason !== undefined) {
        const message = `${name}: the database ${ref}: ${reason}`;
        this.problems.push({ message, ...addressOf(draft), database: ref, ...placeOf(database.place) });
        return;
      }
    }
    const key = compiled.entry?.id ?? ref;
    if (!this.#prepare || this.#unreachable.has(key)) return;
    const sql = await checkSql(this.#management, this.#context, compiled);
    this.warnings.push(...sql.warnings.map((text) => `${name}: ${text}`));
    if (sql.isUnreachable === true) {
      this.#unreachable.add(key);
      if (database.kind === 'ref') this.#reasons.set(ref, 'it cannot be reached, so the SQL was not checked');
    }
    for (const { message, line, column, step } of sql.problems)
      this.problems.push({
        message: `${name}: ${message}`,
        ...addressOf(draft),
        line,
        column,
        ...(step === undefined ? {} : { step: `step_${step}` }),
      });
  }

  #missingReason(ref: string): string | undefined {
    if (this.#context.entries.has(ref)) return undefined;
    if (this.#context.unreadable.has(ref)) return 'its stored password cannot be read';
    return `the space ${this.#to} does not have it`;
  }
}
