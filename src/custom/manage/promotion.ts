/**
 * What it means to bring definitions into another space: the documents as they would stand there, the Lark modules and databases that they need, and
 * what speaks against it. Diff tells it and copy does it, from the same plan. Stores nothing.
 */
import { ApiError, apiError } from '../../errors.ts';
import { isBuiltinModule } from '../../lang/lark/index.ts';
import type { Definition, DefinitionDraft } from '../../model/definition.ts';
import type { LarkModule, LarkModules } from '../../model/lark-module.ts';
import { entryKey, inSpace, type ProjectContext, type SpaceScope } from '../../model/project.ts';
import { runCooperatively } from '../../util/concurrency/slices.ts';
import { editDocument, readSlices } from '../document/document.ts';
import { type Compiled, compileDefinition, refuseKept } from '../program/compile.ts';
import { StepProblems } from '../steps/step.ts';
import type { CopyRequest } from './copy-request.ts';
import { type Author, type Management, nameOf, usesOf } from './definitions.ts';
import { ask, type InspectOptions, sliceFor } from './inspection.ts';
import { checkModule, dependenciesOf } from './modules.ts';
import { warningsOf } from './warnings.ts';

/** What speaks against it, in a sentence, and where it stands. */
export interface Obstacle {
  readonly message: string;
  readonly [place: string]: string | number;
}

export interface PromotedDefinition {
  readonly source: Definition;
  readonly draft: DefinitionDraft;
  /** What the target has under that uri and method: the version of the copy, else its highest one. */
  readonly there: Definition | undefined;
}

/** A module of the source that the definitions load, also through others. */
export interface PromotedModule {
  readonly module: string;
  readonly source: LarkModule;
  readonly there: LarkModule | undefined;
  /** An end of the last line more or less is no difference. */
  readonly state: 'new' | 'same' | 'changed';
}

/** A registered database that definitions name. */
export interface NeededDatabase {
  readonly ref: string;
  /** Undefined: it is there, and could be asked where that was wanted. */
  readonly reason: string | undefined;
}

export interface Promotion {
  readonly target: SpaceScope;
  /** The name of the target space. */
  readonly to: string;
  readonly definitions: readonly PromotedDefinition[];
  readonly modules: readonly PromotedModule[];
  readonly databases: readonly NeededDatabase[];
  readonly problems: readonly Obstacle[];
  readonly warnings: readonly string[];
}

export async function planPromotion(
  management: Management,
  author: Author,
  request: CopyRequest,
  options: InspectOptions,
): Promise<Promotion> {
  const { caller } = author;
  const { orgId, projectId } = caller;
  const target: SpaceScope = { orgId, projectId, spaceId: request.targetSpaceId };
  const sources = await Promise.all(request.definitionIds.map((id) => findSource(management, author, id)));
  const context = await contextOf(management, target);
  const [here, there] = [await management.resolver.modules(caller), await management.resolver.modules(target)];
  const pieces: Piece[] = [];
  for (const source of sources) pieces.push(await pieceOf(management, author, { target, source, version: request.targetVersion, here }));
  const modules = await modulesOf(pieces, here, there, projectId);
  const after = request.modules ? new Map([...there, ...modules.map(({ module, source }) => [module, source] as const)]) : there;
  const to = context.spaces.get(target.spaceId)?.name ?? '';
  const needs = new Needs(management, context, to, options);
  for (const piece of pieces) await needs.add(piece);
  return {
    target,
    to,
    definitions: pieces,
    modules,
    databases: needs.databases,
    problems: [
      ...needs.problems,
      ...(await missingModules(pieces, after, to, projectId)),
      ...(request.modules ? await unfit(modules, after, projectId) : []),
    ],
    warnings: needs.warnings,
  };
}

/** The project as the target space has it, which knows other databases than the author's. */
async function contextOf({ store }: Management, { orgId, projectId, spaceId }: SpaceScope): Promise<ProjectContext> {
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

interface Piece extends PromotedDefinition {
  readonly compiled: Compiled;
}

interface Place {
  readonly target: SpaceScope;
  readonly source: Definition;
  readonly version: string;
  /** Modules of the source, with which it compiled. */
  readonly here: LarkModules;
}

async function pieceOf(management: Management, author: Author, { target, source, version, here }: Place): Promise<Piece> {
  const { uri, method } = source;
  await sliceFor(source.document, target.projectId);
  const deployed = (await management.store.endpoint(target.orgId, target.projectId, target.spaceId, uri))?.versions.get(method) ?? [];
  const keepsRollback = source.rollbackVersion !== version && deployed.some((one) => one.version === source.rollbackVersion);
  const document = editDocument(source.document, [
    ...(source.version === version ? [] : [{ path: ['http', 'version'] as const, text: JSON.stringify(version) }]),
    { path: ['identifiers', 'space_id'], text: target.spaceId },
    { path: ['identifiers', 'user_id'], text: author.caller.userId },
    ...(keepsRollback ? [] : [{ path: ['config', 'rollback_version'] as const, text: 'null' }]),
  ]);
  const read = await runCooperatively(readSlices(document, management.connections.engines), target.projectId);
  // A module that is missing is found out below; it must not hide the rest.
  const compiled = await compileDefinition(read, { tenant: target, modules: here, stage: 'call', password: source.password });
  refuseWriting(compiled);
  return {
    source,
    compiled,
    there: deployed.find((one) => one.version === version) ?? deployed[0],
    draft: {
      uri,
      method,
      version,
      featureId: source.featureId,
      userId: author.caller.userId,
      rollbackVersion: keepsRollback ? source.rollbackVersion : null,
      document,
      password: source.password,
      uses: usesOf(compiled),
    },
  };
}

/** A definition that was stored before this was refused is not copied either. */
function refuseWriting({ document, steps }: Compiled): void {
  try {
    refuseKept(document, steps);
  } catch (error) {
    throw error instanceof StepProblems ? apiError('definition_invalid', error.message) : error;
  }
}

/** What some names lead to in a space's modules, over any number of loads. */
async function reached(names: readonly string[], modules: LarkModules, owner: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>(names.filter((name) => modules.has(name) || !isBuiltinModule(name)));
  for (const name of found) {
    const module = modules.get(name);
    if (module === undefined) continue;
    for (const next of await dependenciesOf(module, modules, owner)) if (modules.has(next) || !isBuiltinModule(next)) found.add(next);
  }
  return found;
}

async function modulesOf(
  pieces: readonly Piece[],
  here: LarkModules,
  there: LarkModules,
  owner: string,
): Promise<readonly PromotedModule[]> {
  const loaded = pieces.flatMap(({ draft }) => draft.uses?.modules ?? []);
  const names = await reached(loaded, here, owner);
  return [...names].sort().flatMap((module) => {
    const source = here.get(module);
    const other = there.get(module);
    return source === undefined ? [] : [{ module, source, there: other, state: stateOf(source, other) }];
  });
}

function stateOf({ code }: LarkModule, there: LarkModule | undefined): PromotedModule['state'] {
  const plain = (text: string): string => text.replace(/\n$/, '');
  return there === undefined ? 'new' : plain(there.code) === plain(code) ? 'same' : 'changed';
}

async function missingModules(pieces: readonly Piece[], after: LarkModules, to: string, owner: string): Promise<readonly Obstacle[]> {
  const found: Obstacle[] = [];
  for (const { compiled, draft } of pieces) {
    const told = new Set<string>();
    for (const { modules, label, source } of compiled.steps) {
      const { line, column } = source.codeAt;
      for (const name of await reached(modules, after, owner)) {
        if (after.has(name) || told.has(name)) continue;
        told.add(name);
        const message = `${nameOf(draft)}: step ${label} loads the module ${JSON.stringify(name)}, which the space ${to} does not have`;
        found.push({ message, ...addressOf(draft), module: name, line, column, step: `step_${source.index}` });
      }
    }
  }
  return found;
}

/** A module whose own modules are gone in the source does not compile in the target either. */
async function unfit(modules: readonly PromotedModule[], after: LarkModules, owner: string): Promise<readonly Obstacle[]> {
  const found: Obstacle[] = [];
  for (const { module, source } of modules) {
    try {
      await checkModule(source, after, owner);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      found.push({ message: `the module ${JSON.stringify(module)}: ${error.message}`, module });
    }
  }
  return found;
}

function addressOf({ uri, method, version }: DefinitionDraft): { readonly uri: string; readonly method: string; readonly version: string } {
  return { uri, method, version };
}

/** What definitions need of the databases of the target. A database that does not answer is not asked again. */
class Needs {
  readonly problems: Obstacle[] = [];
  readonly warnings: string[] = [];
  readonly #databases = new Map<string, string | undefined>();
  readonly #silent = new Set<string>();
  readonly #management: Management;
  readonly #context: ProjectContext;
  readonly #to: string;
  readonly #prepares: boolean;

  constructor(management: Management, context: ProjectContext, to: string, { prepare }: InspectOptions) {
    this.#management = management;
    this.#context = context;
    this.#to = to;
    this.#prepares = prepare;
  }

  get databases(): readonly NeededDatabase[] {
    return [...this.#databases].map(([ref, reason]) => ({ ref, reason })).sort((a, b) => (a.ref < b.ref ? -1 : 1));
  }

  async add({ compiled, draft }: Piece): Promise<void> {
    const { database } = compiled.document;
    const name = nameOf(draft);
    this.warnings.push(...warningsOf(compiled).map((text) => `${name}: ${text}`));
    const ref = entryKey(database.engine.type, database.name);
    if (database.kind === 'ref') {
      const reason = this.#reasonAgainst(ref);
      this.#databases.set(ref, this.#databases.get(ref) ?? reason);
      if (reason !== undefined) {
        this.problems.push({
          message: `${name}: the database ${ref}: ${reason}`,
          ...addressOf(draft),
          database: ref,
          ...placeIn(database),
        });
        return;
      }
    }
    const key = compiled.entry?.id ?? ref;
    if (!this.#prepares || this.#silent.has(key)) return;
    const asked = await ask(this.#management, this.#context, compiled);
    this.warnings.push(...asked.warnings.map((text) => `${name}: ${text}`));
    if (asked.silent === true) {
      this.#silent.add(key);
      if (database.kind === 'ref') this.#databases.set(ref, 'it cannot be reached, so the SQL was not looked at');
    }
    for (const { message, line, column, step } of asked.problems)
      this.problems.push({
        message: `${name}: ${message}`,
        ...addressOf(draft),
        line,
        column,
        ...(step === undefined ? {} : { step: `step_${step}` }),
      });
  }

  #reasonAgainst(ref: string): string | undefined {
    if (this.#context.entries.has(ref)) return undefined;
    if (this.#context.unreadable.has(ref)) return 'its stored password cannot be read';
    return `the space ${this.#to} does not have it`;
  }
}

function placeIn({ place }: Compiled['document']['database']): { readonly line: number; readonly column: number } {
  return { line: place.line, column: place.column };
}
