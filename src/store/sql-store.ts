/**
 * The store over SQL: decides which write invalidates which cache. Statements are in records/,
 * differences between databases in the drivers, consistency of the caches in the freshness.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { apiError } from '../errors.ts';
import type { AppDraft, AppRecord, AppRevision, Apps } from '../model/app.ts';
import type { AuditedChange, AuditFilter, ChangeAuthor } from '../model/audit.ts';
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
import { appendChanges, type Effect } from './change-feed.ts';
import * as apps from './records/apps.ts';
import * as audit from './records/audit.ts';
import * as definitions from './records/definitions.ts';
import * as entries from './records/entries.ts';
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
  AuditPage,
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
import { appKey, endpointKey, projectKey, type StoreCore, spaceKey } from './store-core.ts';

/** The records are already written, so the error must not deny it. */
function unconfirmed(cause: unknown): never {
  throw apiError('change_unconfirmed').causedBy(cause);
}

/** Health checks give up later than this, so they receive the reason. */
const PING_MS = 2_000;

type Note = (topic: ChangeTopic, key: string) => void;
type AddRecord = (change: AuditedChange) => void;

const nameOf = ({ uri, method, version }: DefinitionAddress): string => `${method} ${uri} ${version}`;
const refOf = ({ type, alias, database }: Pick<EntryDraft, 'type' | 'alias' | 'database'>): string => `${type}/${alias ?? database}`;

export class SqlStore implements Store {
  readonly #core: StoreCore;
  readonly #driver: Driver;
  readonly #ring: KeyRing;
  readonly #author: ChangeAuthor | undefined;

  constructor(core: StoreCore, author?: ChangeAuthor) {
    this.#core = core;
    this.#driver = core.driver;
    this.#ring = core.ring;
    this.#author = author;
  }

  as(author: ChangeAuthor): Store {
    return new SqlStore(this.#core, author);
  }

  listAudit(filter: AuditFilter, page: Page): Promise<AuditPage> {
    return audit.listAudit(this.#driver, filter, page, this.#core.auditDays);
  }

  refresh(): void | Promise<void> {
    return this.#core.freshness.refresh();
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
    this.#core.feed.listen(listener);
  }

  async close(): Promise<void> {
    await this.#core.failures.close();
    await this.#core.freshness.close();
    await this.#driver.close();
  }

  /**
   * Writes records and appends the changes and their audit records in one transaction. Resolves
   * when no instance serves the old state any more.
   */
  async #write<T>(work: (tx: Sql, note: Note, record: AddRecord) => Promise<T>, effect: Effect = 'changes'): Promise<T> {
    const { freshness, auditDays } = this.#core;
    const { value, seq } = await this.#driver.write(async (tx) => {
      const changes: Change[] = [];
      const audited: AuditedChange[] = [];
      const outcome = await work(
        tx,
        (topic, key) => changes.push({ topic, key }),
        (change) => audited.push(change),
      );
      if (changes.length === 0) return { value: outcome, seq: 0 };
      if (this.#author !== undefined && auditDays > 0 && audited.length > 0) await audit.appendAudit(tx, this.#author, audited, auditDays);
      const last = await appendChanges(tx, changes);
      await this.#driver.announce(tx);
      return { value: outcome, seq: last };
    });
    if (seq > 0) await freshness.settle(seq, effect).catch(unconfirmed);
    return value;
  }

  organization(orgId: string): Cached<Organization> {
    return this.#core.orgs.get(orgId);
  }

  listOrganizations(): Promise<readonly Organization[]> {
    return orgs.listOrganizations(this.#driver);
  }

  createOrganization(org: Organization): Promise<OrgCreation> {
    return this.#write(async (tx, note, record) => {
      const outcome = await orgs.insertOrganization(tx, org);
      if (outcome.kind !== 'created') return outcome;
      note('org', org.orgId);
      const { orgId, abbreviation } = org;
      record({ action: 'org.create', object: `org_id=${orgId} abbreviation=${abbreviation}`, status: 201, scope: { orgId } });
      return outcome;
    });
  }

  changeOrganization(orgId: string, draft: OrgDraft): Promise<Renaming> {
    return this.#write(async (tx, note, record) => {
      const outcome = await orgs.changeOrganization(tx, orgId, draft);
      if (outcome !== 'changed') return outcome;
      note('org', orgId);
      // The cached project contains its organization.
      note('project', '*');
      const changed = Object.keys(draft);
      if (changed.length > 0) record({ action: 'org.change', object: `org_id=${orgId}`, changed, status: 200, scope: { orgId } });
      return outcome;
    });
  }

  deleteOrganization(orgId: string): Promise<OrgRemoval> {
    return this.#write(async (tx, note, record) => {
      const outcome = await orgs.deleteOrganization(tx, orgId);
      if (outcome !== 'removed') return outcome;
      note('org', orgId);
      record({ action: 'org.delete', object: `org_id=${orgId}`, status: 200, scope: { orgId } });
      return outcome;
    });
  }

  projectContext(orgId: string, projectId: string): Cached<ProjectContext> {
    return this.#core.projects.get(`${orgId}/${projectId}`);
  }

  listProjects(scope: OrgScope): Promise<readonly ProjectSummary[]> {
    return projects.listProjects(this.#driver, scope);
  }

  createProject(project: Project, spaces: readonly Space[], drafts: readonly EntryDraft[]): Promise<ProjectCreation> {
    return this.#write(async (tx, note, record) => {
      const outcome = await projects.insertProject(tx, this.#ring, project, spaces, drafts);
      if (outcome.kind !== 'created') return outcome;
      note('project', projectKey(project));
      const { orgId, projectId, abbreviation } = project;
      const object = `project_id=${projectId} abbreviation=${abbreviation}`;
      record({ action: 'project.create', object, status: 201, scope: { orgId, projectId } });
      return outcome;
    });
  }

  changeProject(scope: ProjectScope, draft: ProjectDraft): Promise<Renaming> {
    return this.#write(async (tx, note, record) => {
      const outcome = await projects.changeProject(tx, scope, draft);
      if (outcome !== 'changed') return outcome;
      note('project', projectKey(scope));
      const changed = Object.keys(draft);
      if (changed.length > 0) record({ action: 'project.change', object: `project_id=${scope.projectId}`, changed, status: 200, scope });
      return outcome;
    });
  }

  deleteProject(scope: ProjectScope): Promise<boolean> {
    return this.#write(async (tx, note, record) => {
      const deleted = await projects.deleteProject(tx, scope);
      if (!deleted) return false;
      note('project', projectKey(scope));
      // Clears whole topics: deleting a project is rare.
      note('token', '*');
      note('endpoint', '*');
      note('modules', '*');
      note('personas', '*');
      note('app', '*');
      record({ action: 'project.delete', object: `project_id=${scope.projectId}`, status: 200, scope });
      return true;
    }, 'revokes');
  }

  addEntry(scope: ProjectScope, draft: EntryDraft): Promise<EntryAddition> {
    return this.#write(async (tx, note, record) => {
      if (!(await projects.projectExists(tx, scope))) return 'project_unknown';
      if (!(await entries.addEntry(tx, this.#ring, scope, draft))) return 'exists';
      note('project', projectKey(scope));
      record({ action: 'database.create', object: refOf(draft), status: 201, scope });
      return 'added';
    });
  }

  changeEntry(
    scope: ProjectScope,
    draft: Omit<EntryDraft, 'password'> & { readonly password: string | null },
    changed?: readonly string[],
  ): Promise<boolean> {
    return this.#write(async (tx, note, record) => {
      if (!(await entries.changeEntry(tx, this.#ring, scope, draft))) return false;
      note('project', projectKey(scope));
      if (changed?.length !== 0) record({ action: 'database.change', object: refOf(draft), changed, status: 200, scope });
      return true;
    });
  }

  removeEntry(scope: ProjectScope, type: string, alias: string, space?: string): Promise<EntryRemoval> {
    return this.#write(async (tx, note, record) => {
      const removed = await entries.removeEntry(tx, scope, type, alias, space);
      if (removed !== 'removed') return removed;
      note('project', projectKey(scope));
      record({ action: 'database.delete', object: `${type}/${alias}${space === undefined ? '' : ` (${space})`}`, status: 200, scope });
      return removed;
    });
  }

  tokenByHash(hash: string): Cached<PowerToken> {
    if (!this.#core.freshness.grantsHold()) throw apiError('token_unconfirmed');
    return this.#core.tokens.get(hash);
  }

  listTokens(scope: ProjectScope, page: Page): Promise<readonly PowerToken[]> {
    return tokens.listTokens(this.#driver, scope, page);
  }

  createToken(token: PowerToken): Promise<TokenCreation> {
    return this.#write(async (tx, note, record) => {
      const outcome = await tokens.insertToken(tx, token);
      if (outcome !== 'created') return outcome;
      note('token', token.hash);
      const { tokenId, name, orgId, projectId, spaceId } = token;
      record({ action: 'token.create', object: `token_id=${tokenId} name=${name}`, status: 201, scope: { orgId, projectId, spaceId } });
      return outcome;
    });
  }

  deleteToken(scope: ProjectScope, tokenId: string): Promise<boolean> {
    return this.#write(async (tx, note, record) => {
      const hash = await tokens.deleteToken(tx, scope, tokenId);
      if (hash === undefined) return false;
      note('token', hash);
      record({ action: 'token.delete', object: `token_id=${tokenId}`, status: 200, scope });
      return true;
    }, 'revokes');
  }

  endpoint(orgId: string, projectId: string, spaceId: string, uri: string): Cached<Endpoint> {
    return this.#core.endpoints.get(`${orgId}/${projectId}/${spaceId}/${shapeOf(uri)}`);
  }

  patterns(orgId: string, projectId: string, spaceId: string): Cached<readonly string[]> {
    return this.#core.patterns.get(`${orgId}/${projectId}/${spaceId}`);
  }

  async definition(scope: SpaceScope, definitionId: string): Promise<Definition | undefined> {
    await this.#core.failures.flush();
    return definitions.findDefinition(this.#driver, this.#ring, scope, definitionId);
  }

  async listDefinitions(scope: SpaceScope, method?: DefinitionMethod): Promise<readonly DefinitionSummary[]> {
    await this.#core.failures.flush();
    return definitions.listDefinitions(this.#driver, scope, method);
  }

  insertDefinitions(
    scope: SpaceScope,
    drafts: readonly DefinitionDraft[],
    missing: MissingRollback,
    arriving: readonly ArrivingModule[] = [],
  ): Promise<DefinitionInsertion> {
    return this.#write(async (tx, note, record) => {
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
      const names = [...drafts.map(nameOf), ...arriving.map(({ module }) => `module ${module}`)].join(', ');
      const object = action === 'copy' ? `${names} to space ${scope.spaceId}` : names;
      record({ action: `definition.${action}`, object, status: action === 'copy' ? 200 : 201, scope });
      return outcome;
    });
  }

  updateDefinition(scope: SpaceScope, draft: DefinitionDraft): Promise<DefinitionChange> {
    return this.#write(async (tx, note, record) => {
      const outcome = await definitions.updateDefinition(tx, this.#ring, scope, draft);
      if (outcome.kind !== 'changed') return outcome;
      note('endpoint', endpointKey(scope, draft.uri));
      await history.addRevisions(tx, scope, [{ ...draft, action: 'update', definitionId: outcome.definitionId }]);
      record({ action: 'definition.update', object: nameOf(draft), status: 200, scope });
      return outcome;
    });
  }

  deleteDefinition(scope: SpaceScope, address: DefinitionAddress, userId?: string): Promise<DefinitionChange> {
    return this.#write(async (tx, note, record) => {
      const before = await definitions.readEndpoint(tx, this.#ring, scope, shapeOf(address.uri));
      const outcome = await definitions.deleteDefinition(tx, scope, address);
      if (outcome.kind !== 'changed') return outcome;
      note('endpoint', endpointKey(scope, address.uri));
      const deleted = before?.versions.get(address.method)?.find(({ version }) => version === address.version);
      if (deleted !== undefined)
        await history.addRevisions(tx, scope, [{ ...deleted, action: 'delete', userId: userId ?? deleted.userId }]);
      record({ action: 'definition.delete', object: nameOf(address), status: 200, scope });
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
    this.#core.failures.add(definitionId, message, ({ at, message: cut }) =>
      this.#driver.write((tx) => definitions.writeFailure(tx, scope, definitionId, at, cut)),
    );
  }

  modules(orgId: string, projectId: string, spaceId: string): Cached<LarkModules> {
    return this.#core.modules.get(`${orgId}/${projectId}/${spaceId}`);
  }

  putModule(scope: SpaceScope, module: ModuleDraft): Promise<boolean> {
    return this.#write(async (tx, note, record) => {
      const stored = await modules.putModule(tx, scope, module);
      if (!stored) return false;
      note('modules', spaceKey(scope));
      record({ action: 'module.put', object: module.module, status: 201, scope });
      return true;
    });
  }

  deleteModule(scope: SpaceScope, module: string): Promise<boolean> {
    return this.#write(async (tx, note, record) => {
      const deleted = await modules.deleteModule(tx, scope, module);
      if (!deleted) return false;
      note('modules', spaceKey(scope));
      record({ action: 'module.delete', object: module, status: 200, scope });
      return true;
    });
  }

  personas(orgId: string, projectId: string, spaceId: string): Cached<Personas> {
    if (!this.#core.freshness.grantsHold()) throw apiError('persona_unconfirmed');
    return this.#core.personas.get(`${orgId}/${projectId}/${spaceId}`);
  }

  putPersonas(scope: SpaceScope, drafts: readonly PersonaDraft[], action: 'put' | 'copy' = 'put'): Promise<PersonaStorage> {
    return this.#write(async (tx, note, record) => {
      const { outcome, wasOpen } = await personas.putPersonas(tx, scope, drafts);
      if (outcome === 'space_unknown') return outcome;
      note('personas', spaceKey(scope));
      if (wasOpen) note('project', projectKey(scope));
      const object = drafts.map(({ persona }) => persona).join(' ');
      record({ action: `persona.${action}`, object, status: action === 'put' && outcome === 'created' ? 201 : 200, scope });
      return outcome;
    }, 'revokes');
  }

  deletePersona(scope: SpaceScope, persona: string): Promise<boolean> {
    return this.#write(async (tx, note, record) => {
      const { wasDeleted, isOpen } = await personas.deletePersona(tx, scope, persona);
      if (!wasDeleted) return false;
      note('personas', spaceKey(scope));
      if (isOpen) note('project', projectKey(scope));
      record({ action: 'persona.delete', object: persona, status: 200, scope });
      return true;
    }, 'revokes');
  }

  apps(orgId: string, projectId: string, spaceId: string): Cached<Apps> {
    return this.#core.apps.get(`${orgId}/${projectId}/${spaceId}`);
  }

  app(scope: SpaceScope, app: string): Cached<AppRecord> {
    return this.#core.app.get(appKey(scope, app));
  }

  putApps(scope: SpaceScope, drafts: readonly AppDraft[], action?: 'copy' | 'revert'): Promise<AppStorage> {
    return this.#write(async (tx, note, record) => {
      const outcome = await apps.putApps(tx, scope, drafts, action);
      if (outcome === 'space_unknown') return outcome;
      for (const { app } of drafts) note('app', appKey(scope, app));
      const object = drafts.map(({ app }) => app).join(' ');
      const status = action !== 'copy' && outcome === 'created' ? 201 : 200;
      record({ action: `app.${action ?? 'put'}`, object, status, scope });
      return outcome;
    });
  }

  deleteApp(scope: SpaceScope, app: string, userId: string): Promise<boolean> {
    return this.#write(async (tx, note, record) => {
      const deleted = await apps.deleteApp(tx, scope, app, userId);
      if (!deleted) return false;
      note('app', appKey(scope, app));
      record({ action: 'app.delete', object: app, status: 200, scope });
      return true;
    });
  }

  appHistory(scope: SpaceScope, app: string): Promise<readonly AppRevision[]> {
    return apps.listAppRevisions(this.#driver, scope, app);
  }

  rewrap(onProgress: (progress: RewrapProgress) => void): Promise<RewrapReport> {
    return rewrap(this.#driver, this.#ring, onProgress);
  }
}
