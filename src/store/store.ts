/**
 * THE interface to Millrace's own records. Every read and write names its tenant by the ids of the authenticated context; a record is found only
 * when all of them match. Outcomes that a client must hear of are values, never exceptions.
 *
 * What the hot path reads is kept in memory and answered synchronously (`Cached`). It stays up to date like this: a request first calls
 * `refresh`; a write answers only when no instance can serve the old state any more. So whoever has heard that a write succeeded finds it on
 * the very next request, at any instance.
 *
 * When the records cannot be reached, reads that are in memory go on, and everything else rejects with `store_unavailable`. Tokens and personas go
 * on for `MILLRACE_STALE_SECS` only, and a change of one answers when no instance can take the old one from its memory any more.
 */
import type { Definition, DefinitionDraft, DefinitionMethod, DefinitionSummary, Endpoint } from '../model/definition.ts';
import type { Entry } from '../model/entry.ts';
import type { LarkModules } from '../model/lark-module.ts';
import type { Organization, OrgScope } from '../model/org.ts';
import type { PersonaDraft, Personas } from '../model/persona.ts';
import type { PowerToken } from '../model/power-token.ts';
import type { Project, ProjectContext, ProjectScope, Space, SpaceScope } from '../model/project.ts';

/** A value if it is in memory, else a promise: test with `instanceof Promise`. */
export type Cached<T> = T | undefined | Promise<T | undefined>;

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

export type OrgCreation = { readonly kind: 'created' } | { readonly kind: 'exists'; readonly org: Organization };

/** What can be changed of one; what is absent stays as it is. */
export type OrgDraft = Partial<Omit<Organization, 'orgId' | 'createdAt' | 'createdBy'>>;
export type ProjectDraft = Partial<Pick<Project, 'name' | 'abbreviation' | 'description'>>;
export type Renaming = 'changed' | 'unknown' | 'abbreviation_taken';
export type OrgRemoval = 'removed' | 'unknown' | 'has_projects';

export interface ProjectSummary {
  readonly project: Project;
  readonly spaces: readonly Space[];
}

export type ProjectCreation =
  | { readonly kind: 'created' }
  | { readonly kind: 'exists'; readonly existing: ProjectSummary }
  /** The project_id belongs to another organization, of which nothing may be told. */
  | { readonly kind: 'id_taken' }
  | { readonly kind: 'org_unknown' };

/** A database entry as it is registered; its id is given by the store, a new one with every change. */
export type EntryDraft = Omit<Entry, 'id'>;

export type EntryRemoval = 'removed' | 'unknown' | 'ambiguous';
export type EntryAddition = 'added' | 'exists' | 'project_unknown';
export type PersonaStorage = 'created' | 'replaced' | 'space_unknown';
export type TokenCreation = 'created' | 'name_taken' | 'project_unknown';

/** Where a definition stands: unique in its space. */
export interface DefinitionAddress {
  readonly uri: string;
  readonly method: DefinitionMethod;
  readonly version: string;
}

export interface InsertedDefinition extends DefinitionAddress {
  readonly definitionId: string;
}

/** All or none: the first draft that cannot be stored names the reason, and nothing is stored. */
export type DefinitionInsertion =
  | { readonly kind: 'inserted'; readonly definitions: readonly InsertedDefinition[] }
  | { readonly kind: 'exists'; readonly address: DefinitionAddress }
  | { readonly kind: 'rollback_unknown'; readonly version: string }
  /** It is no longer the module that was to be replaced. */
  | { readonly kind: 'module_changed'; readonly module: string }
  | { readonly kind: 'space_unknown' };

export interface ModuleDraft {
  readonly module: string;
  readonly code: string;
  readonly userId: string;
}

/** A module that comes with definitions; `replaces` is the revision of the one that it takes the place of. */
export interface ArrivingModule extends ModuleDraft {
  readonly replaces: string | null;
}

export type DefinitionChange =
  | { readonly kind: 'changed'; readonly definitionId: string }
  | { readonly kind: 'unknown' }
  /** Another version names this one as its rollback_version. */
  | { readonly kind: 'referenced'; readonly by: string }
  | { readonly kind: 'rollback_unknown'; readonly version: string };

/** How a draft's rollback_version is treated when it is not deployed in the space: refused, or (for copies) left out. */
export type MissingRollback = 'refuse' | 'drop';

export type DefinitionAction = 'deploy' | 'update' | 'delete' | 'copy';

/** A document as it was deployed, or as it was when it was deleted. */
export interface DefinitionRevision extends DefinitionAddress {
  readonly revisionId: string;
  readonly definitionId: string;
  readonly action: DefinitionAction;
  readonly userId: string;
  readonly at: string;
  /** Without the database password. */
  readonly document: string;
}

/** Something was written, here or by another instance. `key` begins with the tenant's ids; `*` stands for everything of the topic. */
export interface Change {
  readonly topic: ChangeTopic;
  readonly key: string;
}
export type ChangeTopic = 'org' | 'project' | 'token' | 'endpoint' | 'modules' | 'personas';

export interface RewrapProgress {
  readonly rewrapped: number;
  readonly unreadable: number;
}

export interface RewrapReport {
  readonly rewrapped: number;
  /** Records that no key of the ring opens, by kind and id; they are left as they are. */
  readonly unreadable: readonly string[];
}

export interface Store {
  /** Call at the start of each request; only when a promise comes back does it need awaiting. Never rejects. */
  refresh(): void | Promise<void>;
  /** Rejects when the records cannot be reached now. */
  ping(): Promise<void>;
  /** Told of every write that this instance learns of, right after its caches have dropped the old value. */
  onChange(listener: (change: Change) => void): void;
  close(): Promise<void>;

  organization(orgId: string): Cached<Organization>;
  listOrganizations(): Promise<readonly Organization[]>;
  createOrganization(org: Organization): Promise<OrgCreation>;

  changeOrganization(orgId: string, draft: OrgDraft): Promise<Renaming>;
  /** Only one without projects. */
  deleteOrganization(orgId: string): Promise<OrgRemoval>;

  projectContext(orgId: string, projectId: string): Cached<ProjectContext>;
  listProjects(scope: OrgScope): Promise<readonly ProjectSummary[]>;
  createProject(project: Project, spaces: readonly Space[], entries: readonly EntryDraft[]): Promise<ProjectCreation>;
  changeProject(scope: ProjectScope, draft: ProjectDraft): Promise<Renaming>;
  /** False when there was none. Everything of the project goes with it: entries, tokens, definitions, modules, personas. */
  deleteProject(scope: ProjectScope): Promise<boolean>;
  addEntry(scope: ProjectScope, entry: EntryDraft): Promise<EntryAddition>;
  /** Replaces the entry of the same type, alias and spaces; a null password keeps the stored one. False when there is none. */
  changeEntry(scope: ProjectScope, entry: Omit<EntryDraft, 'password'> & { readonly password: string | null }): Promise<boolean>;
  /** The entry of that type and alias; where several spaces have one each, of which space. */
  removeEntry(scope: ProjectScope, type: string, alias: string, space?: string): Promise<EntryRemoval>;

  /**
   * The one read without a tenant: the token tells the tenant. Expired tokens are found too; the caller checks the time.
   * Throws `token_unconfirmed` when the store has not confirmed memory for too long.
   */
  tokenByHash(hash: string): Cached<PowerToken>;
  listTokens(scope: ProjectScope, page: Page): Promise<readonly PowerToken[]>;
  createToken(token: PowerToken): Promise<TokenCreation>;
  deleteToken(scope: ProjectScope, tokenId: string): Promise<boolean>;

  endpoint(orgId: string, projectId: string, spaceId: string, uri: string): Cached<Endpoint>;
  /** The shapes of the space's uris that have braces; an empty list when there are none. */
  patterns(orgId: string, projectId: string, spaceId: string): Cached<readonly string[]>;
  definition(scope: SpaceScope, definitionId: string): Promise<Definition | undefined>;
  /** In order of uri, method and version. */
  listDefinitions(scope: SpaceScope, method?: DefinitionMethod): Promise<readonly DefinitionSummary[]>;
  /** A draft's rollback_version may name a deployed version or another draft of the same call. With them come modules, if all can be stored. */
  insertDefinitions(
    scope: SpaceScope,
    drafts: readonly DefinitionDraft[],
    missing: MissingRollback,
    modules?: readonly ArrivingModule[],
  ): Promise<DefinitionInsertion>;
  /** Replaces the definition of the same uri, method and version. */
  updateDefinition(scope: SpaceScope, draft: DefinitionDraft): Promise<DefinitionChange>;
  /** `userId`: who deletes, for the history. */
  deleteDefinition(scope: SpaceScope, address: DefinitionAddress, userId?: string): Promise<DefinitionChange>;
  /** What was deployed under a uri and method, the newest first. */
  history(scope: SpaceScope, uri: string, method: DefinitionMethod): Promise<readonly DefinitionRevision[]>;
  revision(scope: SpaceScope, revisionId: string): Promise<DefinitionRevision | undefined>;
  /** Notes why a version failed last. Never rejects, and never waits for the store. */
  recordFailure(scope: SpaceScope, definitionId: string, message: string): void;

  /** An empty map when the space has none. */
  modules(orgId: string, projectId: string, spaceId: string): Cached<LarkModules>;
  putModule(scope: SpaceScope, module: ModuleDraft): Promise<boolean>;
  deleteModule(scope: SpaceScope, module: string): Promise<boolean>;

  /** An empty map when the space has none. Throws `persona_unconfirmed` when the store has not confirmed memory for too long. */
  personas(orgId: string, projectId: string, spaceId: string): Cached<Personas>;
  /** All or none; those of the same names are replaced. `created`: none of the names was there. */
  putPersonas(scope: SpaceScope, drafts: readonly PersonaDraft[]): Promise<PersonaStorage>;
  deletePersona(scope: SpaceScope, persona: string): Promise<boolean>;

  /** Re-encrypts with the first key of the ring whatever another key encrypted. Can be interrupted and run again at any time. */
  rewrap(onProgress: (progress: RewrapProgress) => void): Promise<RewrapReport>;
}
