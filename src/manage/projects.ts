/** Manages projects and their databases. Independent of HTTP; opens no database connections. */
import type { Engines } from '../engines/registry.ts';
import { apiError } from '../errors.ts';
import type { OrgCaller } from '../model/caller.ts';
import type { DbType, Entry } from '../model/entry.ts';
import { entryKey, type Project, type ProjectContext, type ProjectScope, registryKey, SPACE_NAMES, type Space } from '../model/project.ts';
import { newUlid, parseUlid } from '../model/ulid.ts';
import type { EntryDraft, ProjectSummary, Store } from '../store/store.ts';
import type { PlainValue } from '../util/text/decimal.ts';
import { document, done, type ManageAnswer } from './answer.ts';
import { describeEntry, type EntryBody, readEntry, readNewEntry } from './entry-body.ts';
import { BodyFields } from './fields.ts';
import { abbreviationRule, differing, notEmpty } from './orgs.ts';

/** Rules for registered databases. */
export interface DatabaseRules {
  readonly engines: Engines;
  /** Throws `host_denied` if connections to the host are not allowed. */
  checkHost(host: string): Promise<void>;
}

const describeSpaces = (spaces: Iterable<Space>) => Array.from(spaces, ({ spaceId, name }) => ({ space_id: spaceId, name }));

function describeProject({ project, spaces }: ProjectSummary): object {
  return {
    project_id: project.projectId,
    org_id: project.orgId,
    name: project.name,
    abbreviation: project.abbreviation,
    description: project.description,
    spaces: describeSpaces(spaces),
    created_at: project.createdAt,
  };
}

/** Lists unreadable entries too, so that they can be repaired or removed. */
function describeContext(context: ProjectContext): object {
  const unreadable = Array.from(context.unreadable.values(), ({ type, alias, spaces }) => ({
    db_type: type,
    db_name: alias,
    alias,
    spaces,
    error: 'the stored password cannot be decrypted; send the entry again',
  }));
  return {
    ...describeProject({ project: context.project, spaces: [...context.spaces.values()] }),
    databases: [...Array.from(context.entries.values(), describeEntry), ...unreadable],
  };
}

async function checkHosts(entries: readonly EntryBody[], rules: DatabaseRules): Promise<void> {
  const hosts = new Set(entries.flatMap((entry) => entry.hosts.map(({ host }) => host)));
  await Promise.all(Array.from(hosts, (host) => rules.checkHost(host)));
}

/** Returns the requested project, by default the caller's own. A token is limited to its own. */
export function scopeOf(caller: OrgCaller, requested: string | undefined): ProjectScope {
  const text = requested ?? caller.projectId;
  if (text === undefined) throw apiError('missing_parameter', 'project_id');
  const projectId = parseUlid(text);
  if (projectId === undefined) throw apiError('bad_parameter', 'project_id', 'it is not a ULID');
  if (caller.tokenId !== undefined && projectId !== caller.projectId) throw apiError('token_scope');
  return { orgId: caller.orgId, projectId };
}

export async function requireProject(store: Store, scope: ProjectScope): Promise<ProjectContext> {
  const context = await store.projectContext(scope.orgId, scope.projectId);
  if (context !== undefined) return context;
  throw (await store.organization(scope.orgId)) === undefined ? apiError('org_unknown') : apiError('project_unknown');
}

export async function createProject(store: Store, caller: OrgCaller, body: PlainValue, rules: DatabaseRules): Promise<ManageAnswer> {
  if (caller.tokenId !== undefined) throw apiError('token_scope');
  const fields = BodyFields.of(body);
  const project: Project = {
    projectId: fields.optionalUlid('project_id') ?? newUlid(),
    orgId: caller.orgId,
    name: fields.text('name'),
    abbreviation: fields.text('abbreviation', abbreviationRule),
    description: fields.optionalText('description', undefined, 10_000) ?? '',
    createdAt: new Date().toISOString(),
  };
  if (fields.value('database') === undefined) fields.malformed('database', 'is missing');
  const entries = (fields.objects('database') ?? []).map((entry) => readNewEntry(entry, rules.engines));
  fields.finish();
  rejectDuplicates(entries);
  await checkHosts(entries, rules);
  const spaces = SPACE_NAMES.map((name) => ({ spaceId: newUlid(), name }));
  const outcome = await store.createProject(project, spaces, entries);
  switch (outcome.kind) {
    case 'created':
      return done(201, 'The project was created with its spaces dev, staging and prod.', creation({ project, spaces }));
    case 'exists':
      return done(208, 'The project exists already; nothing was changed.', creation(outcome.existing));
    case 'id_taken':
      throw apiError('refused_field', 'project_id is in use');
    case 'org_unknown':
      throw apiError('org_unknown');
  }
}

const creation = ({ project, spaces }: ProjectSummary) => ({
  project_id: project.projectId,
  abbreviation: project.abbreviation,
  spaces: describeSpaces(spaces),
});

function rejectDuplicates(entries: readonly EntryDraft[]): void {
  const seen = new Set<string>();
  for (const { type, database, alias = database, spaces = SPACE_NAMES } of entries)
    for (const space of spaces) {
      const key = `${entryKey(type, alias)} ${space}`;
      if (seen.has(key)) throw apiError('database_twice', type, alias);
      seen.add(key);
    }
}

export async function getProject(store: Store, caller: OrgCaller, projectId: string | undefined): Promise<ManageAnswer> {
  return document(describeContext(await requireProject(store, scopeOf(caller, projectId))));
}

export async function listProjects(store: Store, caller: OrgCaller): Promise<ManageAnswer> {
  if ((await store.organization(caller.orgId)) === undefined) throw apiError('org_unknown');
  const projects = await store.listProjects({ orgId: caller.orgId });
  const visible = caller.tokenId === undefined ? projects : projects.filter(({ project }) => project.projectId === caller.projectId);
  return document(visible.map(describeProject));
}

/**
 * Changes the sent fields only. A new abbreviation takes effect at once: the old path responds 403.
 */
export async function changeProject(
  store: Store,
  caller: OrgCaller,
  projectId: string | undefined,
  body: PlainValue,
): Promise<ManageAnswer> {
  const fields = BodyFields.of(body);
  const requested = requestedProject(fields, projectId);
  const sent = {
    name: fields.optionalText('name', notEmpty),
    abbreviation: fields.optionalText('abbreviation', abbreviationRule),
    description: fields.optionalText('description', undefined, 10_000),
  };
  fields.finish();
  if (requested === undefined) throw apiError('missing_parameter', 'project_id');
  const scope = scopeOf(caller, requested);
  const { project } = await requireProject(store, scope);
  const draft = differing<Project>(project, sent as Partial<Project>);
  const outcome = await store.changeProject(scope, draft);
  if (outcome === 'unknown') throw apiError('project_unknown');
  if (outcome === 'abbreviation_taken') throw apiError('abbreviation_taken', sent.abbreviation ?? '');
  const answer = done(200, 'The project was changed.', {
    project_id: scope.projectId,
    abbreviation: draft.abbreviation ?? project.abbreviation,
  });
  return { ...answer, changed: Object.keys(draft) };
}

/** The project to delete never defaults to that of the context. */
export async function deleteProject(store: Store, caller: OrgCaller, projectId: string | undefined): Promise<ManageAnswer> {
  if (projectId === undefined) throw apiError('missing_parameter', 'project_id');
  const scope = scopeOf(caller, projectId);
  await requireProject(store, scope);
  if (!(await store.deleteProject(scope))) throw apiError('project_unknown');
  return done(200, 'The project was deleted with everything in it.', { project_id: scope.projectId });
}

const entryAnswer = (status: number, message: string, scope: ProjectScope, type: DbType, database: string) =>
  done(status, message, { project_id: scope.projectId, db_type: type, db_name: database });

/** Returns the `project_id` of the query or the body. */
function requestedProject(fields: BodyFields, queried: string | undefined): string | undefined {
  const inBody = fields.optionalUlid('project_id') ?? undefined;
  if (queried !== undefined && inBody !== undefined && parseUlid(queried) !== inBody)
    fields.refused('project_id', 'is not the one in the query');
  return queried ?? inBody;
}

/** Reads the entry of a body, finds its project and checks its hosts. */
export async function readCheckedEntry<T extends Parameters<typeof checkHosts>[0][number]>(
  store: Store,
  caller: OrgCaller,
  projectId: string | undefined,
  body: PlainValue,
  rules: DatabaseRules,
  read: (fields: BodyFields, engines: Engines) => T,
): Promise<{ readonly scope: ProjectScope; readonly entry: T; readonly context: ProjectContext }> {
  const fields = BodyFields.of(body);
  const requested = requestedProject(fields, projectId);
  const entry = read(fields, rules.engines);
  fields.finish();
  const scope = scopeOf(caller, requested);
  const context = await requireProject(store, scope);
  await checkHosts([entry], rules);
  return { scope, entry, context };
}

export async function addDatabase(
  store: Store,
  caller: OrgCaller,
  projectId: string | undefined,
  body: PlainValue,
  rules: DatabaseRules,
): Promise<ManageAnswer> {
  const { scope, entry } = await readCheckedEntry(store, caller, projectId, body, rules, readNewEntry);
  const outcome = await store.addEntry(scope, entry);
  if (outcome === 'exists') throw apiError('database_twice', entry.type, entry.alias ?? entry.database);
  if (outcome === 'project_unknown') throw apiError('project_unknown');
  return entryAnswer(201, 'The database was registered.', scope, entry.type, entry.database);
}

/**
 * Replaces the entry. A missing password, or `***`, keeps the stored one, provided that hosts and
 * user stay the same.
 */
export async function changeDatabase(
  store: Store,
  caller: OrgCaller,
  projectId: string | undefined,
  body: PlainValue,
  rules: DatabaseRules,
): Promise<ManageAnswer> {
  const { scope, entry, context } = await readCheckedEntry(store, caller, projectId, body, rules, readEntry);
  const password = entry.password === '***' ? null : entry.password;
  const before = context.entries.get(registryKey(entry.type, entry.alias ?? entry.database, entry.spaces ?? SPACE_NAMES));
  const changed = before === undefined ? undefined : differences(before, entry, password);
  if (!(await store.changeEntry(scope, { ...entry, password }, changed)))
    throw apiError('database_unknown', entry.type, entry.alias ?? entry.database);
  const answer = entryAnswer(200, 'The database entry was changed.', scope, entry.type, entry.database);
  return changed === undefined ? answer : { ...answer, changed };
}

/** Returns the names of the changed fields. */
function differences(before: Entry, after: EntryBody, password: string | null): readonly string[] {
  const old = new Map(Object.entries(describeEntry(before)));
  const names = Object.entries(describeEntry({ ...before, ...after, password: '' })).flatMap(([name, value]) =>
    JSON.stringify(old.get(name)) === JSON.stringify(value) ? [] : [name],
  );
  return password === null || password === before.password ? names : [...names, 'password'];
}

/** Finds the engine of the parameter `type` by any of its names. */
export function requireType(name: string | undefined, engines: Engines): DbType {
  if (name === undefined) throw apiError('missing_parameter', 'type');
  const type = engines.named(name)?.type;
  if (type !== undefined) return type;
  throw apiError(engines.isNameAnnounced(name) ? 'db_type_announced' : 'db_type_invalid', name, engines.types);
}

export async function removeDatabase(
  store: Store,
  caller: OrgCaller,
  projectId: string | undefined,
  typeName: string | undefined,
  alias: string | undefined,
  engines: Engines,
  space?: string,
): Promise<ManageAnswer> {
  if (alias === undefined) throw apiError('missing_parameter', 'name');
  if (space !== undefined && !(SPACE_NAMES as readonly string[]).includes(space))
    throw apiError('bad_parameter', 'space', `it must be one of ${SPACE_NAMES.join(', ')}`);
  const type = requireType(typeName, engines);
  const scope = scopeOf(caller, projectId);
  await requireProject(store, scope);
  const removed = await store.removeEntry(scope, type, alias, space);
  if (removed === 'unknown') throw apiError('database_unknown', type, alias);
  if (removed === 'ambiguous')
    throw apiError('bad_parameter', 'space', 'several spaces have a database of that name; add the parameter space');
  return entryAnswer(200, 'The database entry was removed.', scope, type, alias);
}
