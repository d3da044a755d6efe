/**
 * The store over SQL: decides which write invalidates which cache. Statements are in records/,
 * differences between databases in the drivers, consistency of the caches in the freshness.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { apiError } from '../errors.ts';
import type { AppDraft, AppRecord, AppRevision, Apps } from '../model/app.ts';
import {
  type Definition,
  type DefinitionDraft,
  type DefinitionMethod,
  type DefinitionSummary,
  type Endpoint,
  shapeOf,
} from '../model/definition.ts';
import type { LarkModules } from '../model/lark-module.ts';
import type { Organization, OrgScope } from '../model/org.ts';
import type { PersonaDraft, Personas } from '../model/persona.ts';
import type { PowerToken } from '../model/power-token.ts';
import type { Project, ProjectContext, ProjectScope, Space, SpaceScope } from '../model/project.ts';
import { RecordCache } from './cache.ts';
import { appendChanges, type ChangeFeed, type Effect, type Freshness } from './change-feed.ts';
import * as apps from './records/apps.ts';
import * as definitions from './records/definitions.ts';
import * as entries from './records/entries.ts';
import { FailureNotes } from './records/failure-notes.ts';
import * as history from './records/history.ts';
import * as modules from './records/modules.ts';
import * as orgs from './records/orgs.ts';
import * as personas from './records/personas.ts';
import * as projects from './records/projects.ts';
import * as tokens from './records/tokens.ts';
import { rewrap } from './rewrap.ts';
import type { KeyRing } from './secrets.ts';
import { type Driver, type Sql, unavailable } from './sql-driver.ts';
import type {
  AppStorage,
  ArrivingModule,
  Cached,
  Change,
  ChangeTopic,
  DefinitionAddress,
  DefinitionChange,
  DefinitionInsertion,
  DefinitionRevision,
  EntryAddition,
  EntryDraft,
  EntryRemoval,
  MissingRollback,
  ModuleDraft,
  OrgCreation,
  OrgDraft,
  OrgRemoval,
  Page,
  PersonaStorage,
  ProjectCreation,
  ProjectDraft,
  ProjectSummary,
  Renaming,
  RewrapProgress,
  RewrapReport,
  Store,
  TokenCreation,
} from './store.ts';

/** Maximum number of cached records by topic. */
const MAX_CACHED: Readonly<Record<ChangeTopic, number>> = {
  org: 10_000,
  project: 5_000,
  token: 50_000,
  endpoint: 50_000,
  modules: 5_000,
  personas: 5_000,
  app: 2_000,
};

/** Cache keys begin with the tenant's ids, so they cannot find a record of another tenant. */
const projectKey = ({ orgId, projectId }: ProjectScope) => `${orgId}/${projectId}`;
const spaceKey = ({ orgId, projectId, spaceId }: SpaceScope) => `${orgId}/${projectId}/${spaceId}`;
const appKey = (scope: SpaceScope, app: string) => `${spaceKey(scope)}/${app}`;
const endpointKey = (scope: SpaceScope, uri: string) => `${spaceKey(scope)}/${shapeOf(uri)}`;

/** Splits a key into its scope and the rest. Ids contain no slash. */
function splitKey(key: string): SpaceScope & { readonly rest: string } {
  const [orgId = '', projectId = '', spaceId = '', ...rest] = key.split('/');
  return { orgId, projectId, spaceId, rest: rest.join('/') };
}

/** The records are already written, so the error must not deny it. */
function unconfirmed(cause: unknown): never {
  throw apiError('change_unconfirmed').causedBy(cause);
}

export interface SqlStoreParts {
  readonly driver: Driver;
  readonly ring: KeyRing;
  readonly feed: ChangeFeed;
  readonly freshness: Freshness;
  readonly onProblem: (what: string, cause: unknown) => void;
}

/** Health checks give up later than this, so they receive the reason. */
const PING_MS = 2_000;

type Note = (topic: ChangeTopic, key: string) => void;

export class SqlStore implements Store {
  readonly #driver: Driver;
  readonly #ring: KeyRing;
  readonly #feed: ChangeFeed;
  readonly #freshness: Freshness;
  readonly #failures: FailureNotes;
  readonly #orgs: RecordCache<Organization>;
  readonly #projects: RecordCache<ProjectContext>;
  readonly #tokens: RecordCache<PowerToken>;
  readonly #endpoints: RecordCache<Endpoint>;
  readonly #patterns: RecordCache<readonly string[]>;
  readonly #modules: RecordCache<LarkModules>;
  readonly #personas: RecordCache<Personas>;
  readonly #apps: RecordCache<Apps>;
  readonly #app: RecordCache<AppRecord>;

  constructor({ driver, ring, feed, freshness, onProblem }: SqlStoreParts) {
    this.#driver = driver;
    this.#ring = ring;
    this.#feed = feed;
    this.#freshness = freshness;
    this.#failures = new FailureNotes(onProblem);
    this.#orgs = new RecordCache(MAX_CACHED.org, (key) => orgs.findOrganization(driver, key));
    this.#projects = new RecordCache(MAX_CACHED.project, (key) => projects.readProjectContext(driver, ring, splitKey(key)));
    this.#tokens = new RecordCache(MAX_CACHED.token, (key) => tokens.findToken(driver, key));
    this.#endpoints = new RecordCache(MAX_CACHED.endpoint, (key) => {
      const { rest: uri, ...scope } = splitKey(key);
      return definitions.readEndpoint(driver, ring, scope, uri);
    });
    this.#patterns = new RecordCache(MAX_CACHED.modules, (key) => definitions.readPatterns(driver, splitKey(key)));
    this.#modules = new RecordCache(MAX_CACHED.modules, (key) => modules.readModules(driver, splitKey(key)));
    this.#personas = new RecordCache(MAX_CACHED.personas, (key) => personas.readPersonas(driver, splitKey(key)));
    this.#apps = new RecordCache(MAX_CACHED.personas, (key) => apps.readApps(driver, splitKey(key)));
    this.#app = new RecordCache(MAX_CACHED.app, (key) => {
      const { rest: app, ...scope } = splitKey(key);
      return apps.readApp(driver, scope, app);
    });
    const caches: Readonly<Record<ChangeTopic, RecordCache<object>>> = {
      org: this.#orgs,
      project: this.#projects,
      token: this.#tokens,
      endpoint: this.#endpoints,
      modules: this.#modules,
      personas: this.#personas,
      app: this.#app,
    };
    feed.listen(({ topic, key }) => {
      if (key === '*') caches[topic].clear();
      else caches[topic].drop(key);
      if (topic === 'endpoint') this.#dropPatterns(key);
      if (topic === 'app') this.#dropApps(key);
    });
  }

  #dropPatterns(key: string): void {
    if (key === '*') this.#patterns.clear();
    else if (key.includes('{')) this.#patterns.drop(spaceKey(splitKey(key)));
  }

  #dropApps(key: string): void {
    if (key === '*') this.#apps.clear();
    else this.#apps.drop(spaceKey(splitKey(key)));
  }

  refresh(): void | Promise<void> {
    return this.#freshness.refresh();
  }

  async ping(): Promise<void> {
    this.#driver.verify();
    const read = this.#driver.all('SELECT seq FROM changes WHERE seq < 0');
    const timeout = new AbortController();
    const silence = delay(PING_MS, undefined, { signal: timeout.signal, ref: false }).then(() => {
      throw unavailable(new Error('the store does not respond'));
    });
    await Promise.race([read, silence]).finally(() => timeout.abort());
  }

  onChange(listener: (change: Change) => void): void {
    this.#feed.listen(listener);
  }

  async close(): Promise<void> {
    await this.#failures.close();
    await this.#freshness.close();
    await this.#driver.close();
  }

  /**
   * Writes records and appends the changes in one transaction. Resolves when no instance serves the
   * old state any more.
   */
  async #write<T>(work: (tx: Sql, note: Note) => Promise<T>, effect: Effect = 'changes'): Promise<T> {
    const { value, seq } = await this.#driver.write(async (tx) => {
      const changes: Change[] = [];
      const outcome = await work(tx, (topic, key) => changes.push({ topic, key }));
      if (changes.length === 0) return { value: outcome, seq: 0 };
      const last = await appendChanges(tx, changes);
      await this.#driver.announce(tx);
      return { value: outcome, seq: last };
    });
    if (seq > 0) await this.#freshness.settle(seq, effect).catch(unconfirmed);
    return value;
  }

  organization(orgId: string): Cached<Organization> {
    return this.#orgs.get(orgId);
  }

  listOrganizations(): Promise<readonly Organization[]> {
    return orgs.listOrganizations(this.#driver);
  }

  createOrganization(org: Organization): Promise<OrgCreation> {
    return this.#write(async (tx, note) => {
      const outcome = await orgs.insertOrganization(tx, org);
      if (outcome.kind === 'created') note('org', org.orgId);
      return outcome;
    });
  }

  changeOrganization(orgId: string, draft: OrgDraft): Promise<Renaming> {
    return this.#write(async (tx, note) => {
      const outcome = await orgs.changeOrganization(tx, orgId, draft);
      if (outcome !== 'changed') return outcome;
      note('org', orgId);
      // The cached project contains its organization.
      note('project', '*');
      return outcome;
    });
  }

  deleteOrganization(orgId: string): Promise<OrgRemoval> {
    return this.#write(async (tx, note) => {
      const outcome = await orgs.deleteOrganization(tx, orgId);
      if (outcome === 'removed') note('org', orgId);
      return outcome;
    });
  }

  projectContext(orgId: string, projectId: string): Cached<ProjectContext> {
    return this.#projects.get(`${orgId}/${projectId}`);
  }

  listProjects(scope: OrgScope): Promise<readonly ProjectSummary[]> {
    return projects.listProjects(this.#driver, scope);
  }

  createProject(project: Project, spaces: readonly Space[], drafts: readonly EntryDraft[]): Promise<ProjectCreation> {
    return this.#write(async (tx, note) => {
      const outcome = await projects.insertProject(tx, this.#ring, project, spaces, drafts);
      if (outcome.kind === 'created') note('project', projectKey(project));
      return outcome;
    });
  }

  changeProject(scope: ProjectScope, draft: ProjectDraft): Promise<Renaming> {
    return this.#write(async (tx, note) => {
      const outcome = await projects.changeProject(tx, scope, draft);
      if (outcome === 'changed') note('project', projectKey(scope));
      return outcome;
    });
  }

  deleteProject(scope: ProjectScope): Promise<boolean> {
    return this.#write(async (tx, note) => {
      const deleted = await projects.deleteProject(tx, scope);
      if (!deleted) return false;
      note('project', projectKey(scope));
      // Clears whole topics: deleting a project is rare.
      note('token', '*');
      note('endpoint', '*');
      note('modules', '*');
      note('personas', '*');
      note('app', '*');
      return true;
    }, 'revokes');
  }

  addEntry(scope: ProjectScope, draft: EntryDraft): Promise<EntryAddition> {
    return this.#write(async (tx, note) => {
      if (!(await projects.projectExists(tx, scope))) return 'project_unknown';
      if (!(await entries.addEntry(tx, this.#ring, scope, draft))) return 'exists';
      note('project', projectKey(scope));
      return 'added';
    });
  }

  changeEntry(scope: ProjectScope, draft: Omit<EntryDraft, 'password'> & { readonly password: string | null }): Promise<boolean> {
    return this.#write(async (tx, note) => {
      const changed = await entries.changeEntry(tx, this.#ring, scope, draft);
      if (changed) note('project', projectKey(scope));
      return changed;
    });
  }

  removeEntry(scope: ProjectScope, type: string, alias: string, space?: string): Promise<EntryRemoval> {
    return this.#write(async (tx, note) => {
      const removed = await entries.removeEntry(tx, scope, type, alias, space);
      if (removed === 'removed') note('project', projectKey(scope));
      return removed;
    });
  }

  tokenByHash(hash: string): Cached<PowerToken> {
    if (!this.#freshness.grantsHold()) throw apiError('token_unconfirmed');
    return this.#tokens.get(hash);
  }

  listTokens(scope: ProjectScope, page: Page): Promise<readonly PowerToken[]> {
    return tokens.listTokens(this.#driver, scope, page);
  }

  createToken(token: PowerToken): Promise<TokenCreation> {
    return this.#write(async (tx, note) => {
      const outcome = await tokens.insertToken(tx, token);
      if (outcome === 'created') note('token', token.hash);
      return outcome;
    });
  }

  deleteToken(scope: ProjectScope, tokenId: string): Promise<boolean> {
    return this.#write(async (tx, note) => {
      const hash = await tokens.deleteToken(tx, scope, tokenId);
      if (hash !== undefined) note('token', hash);
      return hash !== undefined;
    }, 'revokes');
  }

  endpoint(orgId: string, projectId: string, spaceId: string, uri: string): Cached<Endpoint> {
    return this.#endpoints.get(`${orgId}/${projectId}/${spaceId}/${shapeOf(uri)}`);
  }

  patterns(orgId: string, projectId: string, spaceId: string): Cached<readonly string[]> {
    return this.#patterns.get(`${orgId}/${projectId}/${spaceId}`);
  }

  async definition(scope: SpaceScope, definitionId: string): Promise<Definition | undefined> {
    await this.#failures.flush();
    return definitions.findDefinition(this.#driver, this.#ring, scope, definitionId);
  }

  async listDefinitions(scope: SpaceScope, method?: DefinitionMethod): Promise<readonly DefinitionSummary[]> {
    await this.#failures.flush();
    return definitions.listDefinitions(this.#driver, scope, method);
  }

  insertDefinitions(
    scope: SpaceScope,
    drafts: readonly DefinitionDraft[],
    missing: MissingRollback,
    arriving: readonly ArrivingModule[] = [],
  ): Promise<DefinitionInsertion> {
    return this.#write(async (tx, note) => {
      const changed = arriving.length === 0 ? undefined : await modules.findChanged(tx, scope, arriving);
      if (changed !== undefined) return { kind: 'module_changed', module: changed };
      const outcome = await definitions.insertDefinitions(tx, this.#ring, scope, drafts, missing);
      if (outcome.kind !== 'inserted') return outcome;
      for (const module of arriving) await modules.putModule(tx, scope, module);
      if (arriving.length > 0) note('modules', spaceKey(scope));
      for (const uri of new Set(drafts.map((draft) => draft.uri))) note('endpoint', endpointKey(scope, uri));
      // Only copies drop a missing rollback version.
      const action = missing === 'drop' ? 'copy' : 'deploy';
      const revisions = drafts.map(
        (draft, index) => ({ ...draft, action, definitionId: outcome.definitions[index]?.definitionId ?? '' }) as const,
      );
      await history.addRevisions(tx, scope, revisions);
      return outcome;
    });
  }

  updateDefinition(scope: SpaceScope, draft: DefinitionDraft): Promise<DefinitionChange> {
    return this.#write(async (tx, note) => {
      const outcome = await definitions.updateDefinition(tx, this.#ring, scope, draft);
      if (outcome.kind !== 'changed') return outcome;
      note('endpoint', endpointKey(scope, draft.uri));
      await history.addRevisions(tx, scope, [{ ...draft, action: 'update', definitionId: outcome.definitionId }]);
      return outcome;
    });
  }

  deleteDefinition(scope: SpaceScope, address: DefinitionAddress, userId?: string): Promise<DefinitionChange> {
    return this.#write(async (tx, note) => {
      const before = await definitions.readEndpoint(tx, this.#ring, scope, shapeOf(address.uri));
      const outcome = await definitions.deleteDefinition(tx, scope, address);
      if (outcome.kind !== 'changed') return outcome;
      note('endpoint', endpointKey(scope, address.uri));
      const deleted = before?.versions.get(address.method)?.find(({ version }) => version === address.version);
      if (deleted !== undefined)
        await history.addRevisions(tx, scope, [{ ...deleted, action: 'delete', userId: userId ?? deleted.userId }]);
      return outcome;
    });
  }

  history(scope: SpaceScope, uri: string, method: DefinitionMethod): Promise<readonly DefinitionRevision[]> {
    return history.listRevisions(this.#driver, scope, uri, method);
  }

  revision(scope: SpaceScope, revisionId: string): Promise<DefinitionRevision | undefined> {
    return history.findRevision(this.#driver, scope, revisionId);
  }

  recordFailure(scope: SpaceScope, definitionId: string, message: string): void {
    this.#failures.add(definitionId, message, ({ at, message: cut }) =>
      this.#driver.write((tx) => definitions.writeFailure(tx, scope, definitionId, at, cut)),
    );
  }

  modules(orgId: string, projectId: string, spaceId: string): Cached<LarkModules> {
    return this.#modules.get(`${orgId}/${projectId}/${spaceId}`);
  }

  putModule(scope: SpaceScope, module: ModuleDraft): Promise<boolean> {
    return this.#write(async (tx, note) => {
      const stored = await modules.putModule(tx, scope, module);
      if (stored) note('modules', spaceKey(scope));
      return stored;
    });
  }

  deleteModule(scope: SpaceScope, module: string): Promise<boolean> {
    return this.#write(async (tx, note) => {
      const deleted = await modules.deleteModule(tx, scope, module);
      if (deleted) note('modules', spaceKey(scope));
      return deleted;
    });
  }

  personas(orgId: string, projectId: string, spaceId: string): Cached<Personas> {
    if (!this.#freshness.grantsHold()) throw apiError('persona_unconfirmed');
    return this.#personas.get(`${orgId}/${projectId}/${spaceId}`);
  }

  putPersonas(scope: SpaceScope, drafts: readonly PersonaDraft[]): Promise<PersonaStorage> {
    return this.#write(async (tx, note) => {
      const { outcome, wasOpen } = await personas.putPersonas(tx, scope, drafts);
      if (outcome === 'space_unknown') return outcome;
      note('personas', spaceKey(scope));
      if (wasOpen) note('project', projectKey(scope));
      return outcome;
    }, 'revokes');
  }

  deletePersona(scope: SpaceScope, persona: string): Promise<boolean> {
    return this.#write(async (tx, note) => {
      const { wasDeleted, isOpen } = await personas.deletePersona(tx, scope, persona);
      if (!wasDeleted) return false;
      note('personas', spaceKey(scope));
      if (isOpen) note('project', projectKey(scope));
      return true;
    }, 'revokes');
  }

  apps(orgId: string, projectId: string, spaceId: string): Cached<Apps> {
    return this.#apps.get(`${orgId}/${projectId}/${spaceId}`);
  }

  app(scope: SpaceScope, app: string): Cached<AppRecord> {
    return this.#app.get(appKey(scope, app));
  }

  putApps(scope: SpaceScope, drafts: readonly AppDraft[], action?: 'copy' | 'revert'): Promise<AppStorage> {
    return this.#write(async (tx, note) => {
      const outcome = await apps.putApps(tx, scope, drafts, action);
      if (outcome !== 'space_unknown') for (const { app } of drafts) note('app', appKey(scope, app));
      return outcome;
    });
  }

  deleteApp(scope: SpaceScope, app: string, userId: string): Promise<boolean> {
    return this.#write(async (tx, note) => {
      const deleted = await apps.deleteApp(tx, scope, app, userId);
      if (deleted) note('app', appKey(scope, app));
      return deleted;
    });
  }

  appHistory(scope: SpaceScope, app: string): Promise<readonly AppRevision[]> {
    return apps.listAppRevisions(this.#driver, scope, app);
  }

  rewrap(onProgress: (progress: RewrapProgress) => void): Promise<RewrapReport> {
    return rewrap(this.#driver, this.#ring, onProgress);
  }
}
