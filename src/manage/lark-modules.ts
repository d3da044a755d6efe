/** Manages Lark modules: put, list, get, delete. Independent of HTTP and of the language. */
import { apiError } from '../errors.ts';
import type { SpaceCaller } from '../model/caller.ts';
import type { DefinitionSummary } from '../model/definition.ts';
import { type LarkModule, type LarkModules, MODULE_NAME } from '../model/lark-module.ts';
import { parseUlid } from '../model/ulid.ts';
import type { Store } from '../store/store.ts';
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';
import { parseYaml, YamlError, yamlValue } from '../util/text/yaml.ts';
import { document, done, type ManageAnswer } from './answer.ts';
import { BodyFields, matching } from './fields.ts';

/** Throws an ApiError if the code does not compile together with the other modules of the space. */
export type CompileModule = (module: { readonly module: string; readonly code: string }, others: LarkModules) => void | Promise<void>;

const MAX_BYTES = 1024 * 1024;

const IDENTIFIERS = { org_id: 'orgId', project_id: 'projectId', space_id: 'spaceId', user_id: 'userId' } as const;

const nameRule = matching(
  MODULE_NAME,
  'must begin with a letter or underscore and have letters, digits, underscores, dots and hyphens only',
);

/** Accepts one mapping or two YAML documents with a mapping each, which are merged. */
function readDocuments(text: string): PlainMap {
  if (Buffer.byteLength(text) > MAX_BYTES) throw apiError('body_too_large', String(MAX_BYTES));
  try {
    const values = parseYaml(text)
      .documents.map(yamlValue)
      .filter((value) => value !== null && value !== '');
    return merge(values);
  } catch (error) {
    if (error instanceof YamlError) throw apiError('body_not_yaml', error.message);
    throw error;
  }
}

function merge(values: readonly PlainValue[]): PlainMap {
  if (values.length === 0 || values.length > 2) throw apiError('module_invalid', 'there must be one mapping, or two documents.');
  const merged: PlainMap = new Map();
  for (const value of values) {
    if (!(value instanceof Map)) throw apiError('module_invalid', 'each document must be a mapping.');
    for (const [key, child] of value) {
      if (merged.has(key)) throw apiError('module_invalid', `${key.slice(0, 80)} occurs twice.`);
      merged.set(key, child);
    }
  }
  return merged;
}

/** Requires the identifiers of the document to be those of the caller. */
function checkIdentifiers(map: PlainMap, caller: SpaceCaller): void {
  for (const [field, property] of Object.entries(IDENTIFIERS) as [
    keyof typeof IDENTIFIERS,
    (typeof IDENTIFIERS)[keyof typeof IDENTIFIERS],
  ][]) {
    const id = map.get(field);
    if (typeof id !== 'string' || (parseUlid(id) ?? id) !== caller[property]) throw apiError('definition_foreign', field);
  }
}

function requireAuthor(caller: SpaceCaller): void {
  if (!caller.roles.has('admin') && !caller.roles.has('power')) throw apiError('role_needed', 'admin, power');
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
  const map = readDocuments(text);
  const fields = BodyFields.of(map);
  for (const field of Object.keys(IDENTIFIERS)) fields.text(field);
  const module = fields.text('module', nameRule);
  const code = fields.text('code', undefined, MAX_BYTES);
  fields.finish((kind, problems) =>
    kind === 'malformed' || module === '' || code.trim() === ''
      ? apiError('module_invalid', `${problems}.`)
      : apiError('refused_field', problems),
  );
  checkIdentifiers(map, caller);
  const others = new Map(await modulesOf(store, caller));
  others.delete(module);
  await compile({ module, code }, others);
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
