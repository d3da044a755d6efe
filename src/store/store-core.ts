/**
 * The parts that all views of a store share: the database, the caches of records, and which change
 * drops what from them.
 */
import type { AppRecord, Apps } from '../model/app.ts';
import { type Endpoint, shapeOf } from '../model/definition.ts';
import type { LarkModules } from '../model/lark-module.ts';
import type { Organization } from '../model/org.ts';
import type { Personas } from '../model/persona.ts';
import type { PowerToken } from '../model/power-token.ts';
import type { ProjectContext, ProjectScope, SpaceScope } from '../model/project.ts';
import { RecordCache } from './cache.ts';
import type { ChangeFeed, Freshness } from './change-feed.ts';
import * as apps from './records/apps.ts';
import * as definitions from './records/definitions.ts';
import { FailureNotes } from './records/failure-notes.ts';
import * as modules from './records/modules.ts';
import * as orgs from './records/orgs.ts';
import * as personas from './records/personas.ts';
import * as projects from './records/projects.ts';
import * as tokens from './records/tokens.ts';
import type { KeyRing } from './secrets.ts';
import type { Driver } from './sql-driver.ts';
import type { ChangeTopic } from './store.ts';

/** Maximum number of cached records by topic. */
const MAX_CACHED: Readonly<Record<ChangeTopic, number>> = {
  org: 10_000,
  project: 5_000,
  token: 50_000,
  endpoint: 50_000,
  modules: 5_000,
  personas: 5_000,
  app: 200,
};

/** Cache keys begin with the tenant's ids, so they cannot find a record of another tenant. */
export const projectKey = ({ orgId, projectId }: ProjectScope) => `${orgId}/${projectId}`;
export const spaceKey = ({ orgId, projectId, spaceId }: SpaceScope) => `${orgId}/${projectId}/${spaceId}`;
export const appKey = (scope: SpaceScope, app: string) => `${spaceKey(scope)}/${app}`;
export const endpointKey = (scope: SpaceScope, uri: string) => `${spaceKey(scope)}/${shapeOf(uri)}`;

/** Splits a key into its scope and the rest. Ids contain no slash. */
function splitKey(key: string): SpaceScope & { readonly rest: string } {
  const [orgId = '', projectId = '', spaceId = '', ...rest] = key.split('/');
  return { orgId, projectId, spaceId, rest: rest.join('/') };
}

export interface StoreParts {
  readonly driver: Driver;
  readonly ring: KeyRing;
  readonly feed: ChangeFeed;
  readonly freshness: Freshness;
  readonly onProblem: (what: string, cause: unknown) => void;
  /** Days for which audit records are kept; 0 writes none. */
  readonly auditDays: number;
}

export interface StoreCore extends StoreParts {
  readonly failures: FailureNotes;
  readonly orgs: RecordCache<Organization>;
  readonly projects: RecordCache<ProjectContext>;
  readonly tokens: RecordCache<PowerToken>;
  readonly endpoints: RecordCache<Endpoint>;
  readonly patterns: RecordCache<readonly string[]>;
  readonly modules: RecordCache<LarkModules>;
  readonly personas: RecordCache<Personas>;
  readonly apps: RecordCache<Apps>;
  readonly app: RecordCache<AppRecord>;
}

export function makeCore(parts: StoreParts): StoreCore {
  const { driver, ring, feed } = parts;
  const core: StoreCore = {
    ...parts,
    failures: new FailureNotes(parts.onProblem),
    orgs: new RecordCache(MAX_CACHED.org, (key) => orgs.findOrganization(driver, key)),
    projects: new RecordCache(MAX_CACHED.project, (key) => projects.readProjectContext(driver, ring, splitKey(key))),
    tokens: new RecordCache(MAX_CACHED.token, (key) => tokens.findToken(driver, key)),
    endpoints: new RecordCache(MAX_CACHED.endpoint, (key) => {
      const { rest: uri, ...scope } = splitKey(key);
      return definitions.readEndpoint(driver, ring, scope, uri);
    }),
    patterns: new RecordCache(MAX_CACHED.modules, (key) => definitions.readPatterns(driver, splitKey(key))),
    modules: new RecordCache(MAX_CACHED.modules, (key) => modules.readModules(driver, splitKey(key))),
    personas: new RecordCache(MAX_CACHED.personas, (key) => personas.readPersonas(driver, splitKey(key))),
    apps: new RecordCache(MAX_CACHED.personas, (key) => apps.readApps(driver, splitKey(key))),
    app: new RecordCache(MAX_CACHED.app, (key) => {
      const { rest: app, ...scope } = splitKey(key);
      return apps.readApp(driver, scope, app);
    }),
  };
  const caches: Readonly<Record<ChangeTopic, RecordCache<object>>> = {
    org: core.orgs,
    project: core.projects,
    token: core.tokens,
    endpoint: core.endpoints,
    modules: core.modules,
    personas: core.personas,
    app: core.app,
  };
  feed.listen(({ topic, key }) => {
    if (key === '*') caches[topic].clear();
    else caches[topic].drop(key);
    if (topic === 'endpoint') dropPatterns(core.patterns, key);
    if (topic === 'app') dropApps(core.apps, key);
  });
  return core;
}

function dropPatterns(patterns: RecordCache<readonly string[]>, key: string): void {
  if (key === '*') patterns.clear();
  else if (key.includes('{')) patterns.drop(spaceKey(splitKey(key)));
}

function dropApps(apps: RecordCache<Apps>, key: string): void {
  if (key === '*') apps.clear();
  else apps.drop(spaceKey(splitKey(key)));
}
