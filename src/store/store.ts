/**
 * The interface to Millrace's own records. Every read and write names its tenant, and a record is
 * found only if all ids match. Outcomes that clients must see are values, never exceptions.
 *
 * Records of the hot path are cached and returned synchronously (`Cached`). A request first calls
 * `refresh`; a write responds only when no instance can serve the old state. So a client that
 * received the success of a write finds it on its next request, at any instance.
 *
 * When the records cannot be reached, cached reads continue and everything else rejects with
 * `store_unavailable`. Tokens and personas continue for `MILLRACE_STALE_SECS` only, and a change of
 * one responds when no instance can serve the old one from memory.
 */
import type { AppDraft, AppRecord, AppRevision, Apps } from '../model/app.ts';
import type { AuditFilter, AuditRecord, ChangeAuthor } from '../model/audit.ts';
import type { Definition, DefinitionDraft, DefinitionMethod, DefinitionSummary, Endpoint } from '../model/definition.ts';
import type { Entry } from '../model/entry.ts';
import type { LarkModules } from '../model/lark-module.ts';
import type { Organization, OrgScope } from '../model/org.ts';
import type { PersonaDraft, Personas } from '../model/persona.ts';
import type { PowerToken } from '../model/power-token.ts';
import type { Project, ProjectContext, ProjectScope, Space, SpaceScope } from '../model/project.ts';

/** A cached value, or a promise: test with `instanceof Promise`. */
export type Cached<T> = T | undefined | Promise<T | undefined>;

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

export type OrgCreation = { readonly kind: 'created' } | { readonly kind: 'exists'; readonly org: Organization };

/** Changes of an organization. Absent fields stay as they are. */
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
  /** The project_id belongs to another organization, which must not be revealed. */
  | { readonly kind: 'id_taken' }
  | { readonly kind: 'org_unknown' };

/** A database entry to register. The store assigns a new id on every change. */
export type EntryDraft = Omit<Entry, 'id'>;

export type EntryRemoval = 'removed' | 'unknown' | 'ambiguous';
export type EntryAddition = 'added' | 'exists' | 'project_unknown';
export type PersonaStorage = 'created' | 'replaced' | 'space_unknown';
/** `created` means that none of the names existed. */
export type AppStorage = 'created' | 'replaced' | 'space_unknown';
export type TokenCreation = 'created' | 'name_taken' | 'project_unknown';

/** Address of a definition, unique in its space. */
export interface DefinitionAddress {
  readonly uri: string;
  readonly method: DefinitionMethod;
  readonly version: string;
}

export interface InsertedDefinition extends DefinitionAddress {
  readonly definitionId: string;
}

/** All or none: the first draft that cannot be stored is the reason. */
export type DefinitionInsertion =
  | { readonly kind: 'inserted'; readonly definitions: readonly InsertedDefinition[] }
  | { readonly kind: 'exists'; readonly address: DefinitionAddress }
  | { readonly kind: 'rollback_unknown'; readonly version: string }
  /** The module was changed since its replacement was prepared. */
  | { readonly kind: 'module_changed'; readonly module: string }
  | { readonly kind: 'space_unknown' };

export interface ModuleDraft {
  readonly module: string;
  readonly code: string;
  readonly userId: string;
}

/** A module that is copied with definitions; `replaces` is the revision of its predecessor. */
export interface ArrivingModule extends ModuleDraft {
  readonly replaces: string | null;
}

export type DefinitionChange =
  | { readonly kind: 'changed'; readonly definitionId: string }
  | { readonly kind: 'unknown' }
  /** Another version has this one as its rollback_version. */
  | { readonly kind: 'referenced'; readonly by: string }
  | { readonly kind: 'rollback_unknown'; readonly version: string };

/** Treatment of a rollback_version that is not deployed: refused, or dropped (for copies). */
export type MissingRollback = 'refuse' | 'drop';

export type DefinitionAction = 'deploy' | 'update' | 'delete' | 'copy';

/** A document as it was deployed or deleted. */
export interface DefinitionRevision extends DefinitionAddress {
  readonly revisionId: string;
  readonly definitionId: string;
  readonly action: DefinitionAction;
  readonly userId: string;
  readonly at: string;
  /** Without the database password. */
  readonly document: string;
}

/**
 * A write, by this instance or another. `key` begins with the tenant's ids; `*` means the whole
 * topic.
 */
export interface Change {
  readonly topic: ChangeTopic;
  readonly key: string;
}
export type ChangeTopic = 'org' | 'project' | 'token' | 'endpoint' | 'modules' | 'personas' | 'app';

export interface AuditPage {
  readonly records: readonly AuditRecord[];
  /** Number of records on all pages. */
  readonly total: number;
}

export interface RewrapProgress {
  readonly rewrapped: number;
  readonly unreadable: number;
}

export interface RewrapReport {
  readonly rewrapped: number;
  /** Records that no key of the ring decrypts, by kind and id. They are left as they are. */
  readonly unreadable: readonly string[];
}

export interface Store {
  /** Call it at the start of each request and await a promise. Never rejects. */
  refresh(): void | Promise<void>;
  /** Rejects when the records cannot be reached. */
  ping(): Promise<void>;
  /** Calls the listener for every write, right after the caches have dropped the old value. */
  onChange(listener: (change: Change) => void): void;
  close(): Promise<void>;
  /**
   * The same records, changed on behalf of an author: each change appends its audit record in the
   * same transaction.
   */
  as(author: ChangeAuthor): Store;
  /** Audit records, newest first. */
  listAudit(filter: AuditFilter, page: Page): Promise<AuditPage>;

  organization(orgId: string): Cached<Organization>;
  listOrganizations(): Promise<readonly Organization[]>;
  createOrganization(org: Organization): Promise<OrgCreation>;

  changeOrganization(orgId: string, draft: OrgDraft): Promise<Renaming>;
  /** Deletes an organization without projects. */
  deleteOrganization(orgId: string): Promise<OrgRemoval>;

  projectContext(orgId: string, projectId: string): Cached<ProjectContext>;
  listProjects(scope: OrgScope): Promise<readonly ProjectSummary[]>;
  createProject(project: Project, spaces: readonly Space[], entries: readonly EntryDraft[]): Promise<ProjectCreation>;
  changeProject(scope: ProjectScope, draft: ProjectDraft): Promise<Renaming>;
  /**
   * Returns `false` if it does not exist. Deletes everything of the project: entries, tokens,
   * definitions, modules, personas, apps.
   */
  deleteProject(scope: ProjectScope): Promise<boolean>;
  addEntry(scope: ProjectScope, entry: EntryDraft): Promise<EntryAddition>;
  /**
   * Replaces the entry of the same type, alias and spaces; a null password keeps the stored one.
   * Returns `false` if it does not exist. `changed`: names of the changed fields, for the audit.
   */
  changeEntry(
    scope: ProjectScope,
    entry: Omit<EntryDraft, 'password'> & { readonly password: string | null },
    changed?: readonly string[],
  ): Promise<boolean>;
  /** Removes the entry of that type and alias, limited to a space if several have one. */
  removeEntry(scope: ProjectScope, type: string, alias: string, space?: string): Promise<EntryRemoval>;

  /**
   * The only read without a tenant: the token determines it. Finds expired tokens too; the caller
   * checks the time. Throws `token_unconfirmed` when the store has been unreachable for too long.
   */
  tokenByHash(hash: string): Cached<PowerToken>;
  listTokens(scope: ProjectScope, page: Page): Promise<readonly PowerToken[]>;
  createToken(token: PowerToken): Promise<TokenCreation>;
  deleteToken(scope: ProjectScope, tokenId: string): Promise<boolean>;

  endpoint(orgId: string, projectId: string, spaceId: string, uri: string): Cached<Endpoint>;
  /** Shapes of the uris with braces in a space; empty if it has none. */
  patterns(orgId: string, projectId: string, spaceId: string): Cached<readonly string[]>;
  definition(scope: SpaceScope, definitionId: string): Promise<Definition | undefined>;
  /** Ordered by uri, method and version. */
  listDefinitions(scope: SpaceScope, method?: DefinitionMethod): Promise<readonly DefinitionSummary[]>;
  /**
   * A rollback_version may name a deployed version or another draft of the call. Modules are stored
   * with the definitions or not at all.
   */
  insertDefinitions(
    scope: SpaceScope,
    drafts: readonly DefinitionDraft[],
    missing: MissingRollback,
    modules?: readonly ArrivingModule[],
  ): Promise<DefinitionInsertion>;
  /** Replaces the definition of the same uri, method and version. */
  updateDefinition(scope: SpaceScope, draft: DefinitionDraft): Promise<DefinitionChange>;
  /** `userId` is recorded in the history. */
  deleteDefinition(scope: SpaceScope, address: DefinitionAddress, userId?: string): Promise<DefinitionChange>;
  /** Revisions of a uri and method, newest first. */
  history(scope: SpaceScope, uri: string, method: DefinitionMethod): Promise<readonly DefinitionRevision[]>;
  revision(scope: SpaceScope, revisionId: string): Promise<DefinitionRevision | undefined>;
  /** Records the last failure of a version. Never rejects and never waits for the store. */
  recordFailure(scope: SpaceScope, definitionId: string, message: string): void;

  /** Empty if the space has none. */
  modules(orgId: string, projectId: string, spaceId: string): Cached<LarkModules>;
  putModule(scope: SpaceScope, module: ModuleDraft): Promise<boolean>;
  deleteModule(scope: SpaceScope, module: string): Promise<boolean>;

  /**
   * Empty if the space has none. Throws `persona_unconfirmed` when the store has been unreachable
   * for too long.
   */
  personas(orgId: string, projectId: string, spaceId: string): Cached<Personas>;
  /**
   * All or none; personas of the same names are replaced. `created` means that none of the names
   * existed.
   */
  putPersonas(scope: SpaceScope, drafts: readonly PersonaDraft[], action?: 'put' | 'copy'): Promise<PersonaStorage>;
  deletePersona(scope: SpaceScope, persona: string): Promise<boolean>;

  /** The apps of a space without their documents; empty if the space has none. */
  apps(orgId: string, projectId: string, spaceId: string): Cached<Apps>;
  app(scope: SpaceScope, app: string): Cached<AppRecord>;
  /**
   * All or none; apps of the same names are replaced. `action` is recorded in the history instead
   * of `create` and `replace`.
   */
  putApps(scope: SpaceScope, drafts: readonly AppDraft[], action?: 'copy' | 'revert'): Promise<AppStorage>;
  /** `userId` is recorded in the history. */
  deleteApp(scope: SpaceScope, app: string, userId: string): Promise<boolean>;
  /** Revisions of an app, newest first; also of a deleted one. */
  appHistory(scope: SpaceScope, app: string): Promise<readonly AppRevision[]>;

  /**
   * Re-encrypts all secrets with the first key of the ring. Can be interrupted and repeated at any
   * time.
   */
  rewrap(onProgress: (progress: RewrapProgress) => void): Promise<RewrapReport>;
}
