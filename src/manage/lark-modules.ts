/** Manages Lark modules: put, list, get, delete. Independent of HTTP and of the language. */
import { ApiError, apiError } from '../errors.ts';
import type { SpaceCaller } from '../model/caller.ts';
import type { DefinitionSummary } from '../model/definition.ts';
import { type LarkModule, type LarkModules, MODULE_NAME } from '../model/lark-module.ts';
import { parseUlid } from '../model/ulid.ts';
import type { Store } from '../store/store.ts';
import { runCooperatively } from '../util/concurrency/slices.ts';
import { placedProblems, type YamlProblem } from '../util/text/yaml.ts';
import { document, done, type ManageAnswer } from './answer.ts';
import { BodyFields, matching } from './fields.ts';
import { type ModuleSource, moduleSourceSlices } from './module-source.ts';

/**
 * Throws an ApiError if the code does not compile together with the other modules of the space. Its
 * list `problems` has positions in the code.
 */
export type CompileModule = (module: { readonly module: string; readonly code: string }, others: LarkModules) => void | Promise<void>;

const MAX_BYTES = 1024 * 1024;

const IDENTIFIERS = { org_id: 'orgId', project_id: 'projectId', space_id: 'spaceId', user_id: 'userId' } as const;

const nameRule = matching(
  MODULE_NAME,
  'must begin with a letter or underscore and have letters, digits, underscores, dots and hyphens only',
);

function readSource(text: string, owner: string): Promise<ModuleSource> {
  if (Buffer.byteLength(text) > MAX_BYTES) throw apiError('body_too_large', String(MAX_BYTES));
  return runCooperatively(moduleSourceSlices(text), owner);
}

/** Requires the identifiers of the document to be those of the caller. */
function checkIdentifiers({ fields, placeOf }: ModuleSource, caller: SpaceCaller): void {
  for (const [field, property] of Object.entries(IDENTIFIERS) as [
    keyof typeof IDENTIFIERS,
    (typeof IDENTIFIERS)[keyof typeof IDENTIFIERS],
  ][]) {
    const id = fields.get(field);
    if (typeof id === 'string' && (parseUlid(id) ?? id) === caller[property]) continue;
    const error = apiError('definition_foreign', field);
    throw error.withLists({ problems: [{ message: withoutStop(error.message), ...placeOf(field) }] });
  }
}

const withoutStop = (sentence: string): string => sentence.replace(/\.$/, '');

function requireAuthor(caller: SpaceCaller): void {
  if (!caller.roles.has('admin') && !caller.roles.has('power')) throw apiError('role_needed', 'admin, power');
}

interface ModuleCode {
  readonly module: string;
  readonly code: string;
}

/** Throws an error with all problems of a text. */
async function readChecked(store: Store, caller: SpaceCaller, text: string, compile: CompileModule): Promise<ModuleCode> {
  const source = await readSource(text, caller.projectId);
  const fields = BodyFields.of(source.fields);
  for (const field of Object.keys(IDENTIFIERS)) fields.text(field);
  const module = fields.text('module', nameRule);
  const code = fields.text('code', undefined, MAX_BYTES);
  fields.finish((kind, problems, list) => {
    const isInvalid = kind === 'malformed' || module === '' || code.trim() === '';
    const error = isInvalid ? apiError('module_invalid', `${problems}.`) : apiError('refused_field', problems);
    return error.withLists({ problems: placedProblems(list.map(({ field, message }) => ({ message, ...source.placeOf(field) }))) });
  });
  checkIdentifiers(source, caller);
  const others = new Map(await modulesOf(store, caller));
  others.delete(module);
  try {
    await compile({ module, code }, others);
  } catch (error) {
    throw error instanceof ApiError ? inBody(error, source) : error;
  }
  return { module, code };
}

/** Moves the problems of a program to where its text is in the body. */
function inBody(error: ApiError, source: ModuleSource): ApiError {
  const problems = error.list('problems') as readonly YamlProblem[] | undefined;
  if (problems === undefined) return error;
  return error.withLists({ problems: problems.map(({ message, line, column }) => ({ message, ...source.placeInCode({ line, column }) })) });
}

/** Checks a text as `putModule` does. Stores nothing. */
export async function checkModuleText(store: Store, caller: SpaceCaller, text: string, compile: CompileModule): Promise<ManageAnswer> {
  requireAuthor(caller);
  try {
    await readChecked(store, caller, text, compile);
    return document({ valid: true, problems: [], warnings: [] });
  } catch (error) {
    const problems = error instanceof ApiError ? error.list('problems') : undefined;
    if (problems === undefined) throw error;
    return document({ valid: false, problems, warnings: [] });
  }
}

/** Stores a module. The response lists the definitions that load it. */
export async function putModule(
  store: Store,
  caller: SpaceCaller,
  text: string,
  compile: CompileModule,
  findLoaders: FindLoaders,
): Promise<ManageAnswer> {
  requireAuthor(caller);
  const { module, code } = await readChecked(store, caller, text, compile);
  if (!(await store.putModule(caller, { module, code, userId: caller.userId }))) throw apiError('space_unknown');
  const loadedBy = (await findLoaders(store, caller, module)).map(addressOf);
  const more = loadedBy.length === 0 ? {} : { loaded_by: loadedBy };
  return { ...done(201, `The module ${module} was stored and is live.`, more), object: module };
}

async function modulesOf(store: Store, caller: SpaceCaller): Promise<LarkModules> {
  return (await store.modules(caller.orgId, caller.projectId, caller.spaceId)) ?? new Map();
}

function describe(caller: SpaceCaller, { module, userId, updatedAt }: LarkModule): object {
  return {
    module,
    org_id: caller.orgId,
    project_id: caller.projectId,
    space_id: caller.spaceId,
    user_id: userId,
    updated_at: updatedAt,
  };
}

export async function listModules(store: Store, caller: SpaceCaller): Promise<ManageAnswer> {
  return document(Array.from((await modulesOf(store, caller)).values(), (module) => describe(caller, module)));
}

export async function getModule(store: Store, caller: SpaceCaller, name: string | undefined): Promise<ManageAnswer> {
  if (name === undefined) throw apiError('missing_parameter', 'module');
  const module = (await modulesOf(store, caller)).get(name);
  if (module === undefined) throw apiError('module_unknown', name);
  return document({ ...describe(caller, module), code: module.code });
}

/** Finds the definitions of the space that load a module. */
export type FindLoaders = (store: Store, scope: SpaceCaller, module: string) => Promise<readonly DefinitionSummary[]>;

function addressOf({ uri, method, version }: DefinitionSummary): {
  readonly uri: string;
  readonly method: string;
  readonly version: string;
} {
  return { uri, method, version };
}

/** In mode `safe`, a module that a definition loads is not deleted. */
export async function deleteModule(
  store: Store,
  caller: SpaceCaller,
  name: string | undefined,
  findLoaders: FindLoaders,
  mode: 'safe' | 'always',
): Promise<ManageAnswer> {
  requireAuthor(caller);
  if (name === undefined) throw apiError('missing_parameter', 'module');
  if (!(await modulesOf(store, caller)).has(name)) throw apiError('module_unknown', name);
  const broken = (await findLoaders(store, caller, name)).map(addressOf);
  if (mode === 'safe' && broken.length > 0)
    throw apiError('module_loaded', name, broken.map(({ uri, method, version }) => `${method} ${uri} ${version}`).join(', ')).withLists({
      broken,
    });
  if (!(await store.deleteModule(caller, name))) throw apiError('module_unknown', name);
  return { ...done(200, `The module ${name} was deleted.`, { broken }), object: name };
}
