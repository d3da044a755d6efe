/**
 * The management API of apps: create, replace, check, read, list, delete, history and revert. Must
 * not import HTTP.
 */
import { apiError, REASONS } from '../errors.ts';
import type { AppDraft, AppRecord, AppRevision, AppSummary, Apps } from '../model/app.ts';
import type { SpaceCaller } from '../model/caller.ts';
import type { SpaceScope } from '../model/project.ts';
import type { AppStorage, Store } from '../store/store.ts';
import { parseJson, writeJson } from '../util/json/json.ts';
import { plainDocument } from '../util/json/plain-document.ts';
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';
import type { SpaceParts } from './check/space.ts';
import { type AppText, inspectApp, validateApp } from './validate.ts';

export interface AppAnswer {
  readonly status: number;
  readonly body: PlainValue;
  /** Object of the audit record. */
  readonly object: string;
}

/** Roles that may change apps and see all of them. */
export const APP_AUTHORS: readonly string[] = ['admin', 'power'];

const MAX_DEPTH = 64;

export function isAuthor({ roles }: Pick<SpaceCaller, 'roles'>): boolean {
  return APP_AUTHORS.some((role) => roles.has(role));
}

export function mayOpen({ roles }: Pick<SpaceCaller, 'roles'>, { permission }: AppSummary): boolean {
  return permission.some((role) => roles.has(role));
}

export async function putApp(caller: SpaceCaller, parts: SpaceParts, sent: AppText): Promise<AppAnswer> {
  const { document, warnings } = await validateApp(sent, parts);
  const { app, title, permission, value } = document;
  const source = sent.type === 'yaml' ? sent.text : null;
  const outcome = await parts.store.putApps(caller, [
    { app, title, permission, document: writeJson(value), source, userId: caller.userId },
  ]);
  return stored(outcome, app, warnings);
}

function stored(outcome: AppStorage, app: string, warnings: readonly string[]): AppAnswer {
  if (outcome === 'space_unknown') throw apiError('space_unknown');
  const status = outcome === 'created' ? 201 : 200;
  const message = `The app ${app} was ${outcome === 'created' ? 'stored' : 'replaced'} and is live.`;
  return { status, body: plainDocument({ code: status, status: REASONS[status], message, app, warnings }), object: app };
}

export async function checkApp(parts: SpaceParts, sent: AppText): Promise<PlainValue> {
  const { problems, warnings } = await inspectApp(sent, parts);
  return plainDocument({ valid: problems.length === 0, problems, warnings });
}

export async function appsOf(store: Store, { orgId, projectId, spaceId }: SpaceScope): Promise<Apps> {
  return (await store.apps(orgId, projectId, spaceId)) ?? new Map();
}

export async function findApp(store: Store, scope: SpaceScope, app: string): Promise<AppRecord> {
  const record = await store.app(scope, app);
  if (record === undefined) throw apiError('app_unknown', app);
  return record;
}

/** Returns an app that the caller may open. */
export async function openApp(store: Store, caller: SpaceCaller, app: string): Promise<AppRecord> {
  const record = await findApp(store, caller, app);
  if (!mayOpen(caller, record)) throw apiError('app_permission', app);
  return record;
}

/** Returns an app that the caller may read: one that it may open, and any for authors. */
export async function readableApp(store: Store, caller: SpaceCaller, app: string): Promise<AppRecord> {
  return isAuthor(caller) ? findApp(store, caller, app) : openApp(store, caller, app);
}

export function documentOf({ document }: Pick<AppRecord, 'document'>): PlainMap {
  return parseJson(Buffer.from(document), { maxDepth: MAX_DEPTH }) as PlainMap;
}

/** Returns the document with its author and time. */
export function describeApp(record: AppRecord): PlainMap {
  return new Map<string, PlainValue>([...documentOf(record), ['updated_at', record.updatedAt], ['user_id', record.userId]]);
}

export async function listApps(store: Store, caller: SpaceCaller): Promise<readonly AppSummary[]> {
  const apps = [...(await appsOf(store, caller)).values()];
  return isAuthor(caller) ? apps : apps.filter((app) => mayOpen(caller, app));
}

export function describeList(apps: readonly AppSummary[]): PlainValue {
  return plainDocument(apps.map(({ app, title, updatedAt }) => ({ app, title, updated_at: updatedAt })));
}

export async function deleteApp(store: Store, caller: SpaceCaller, app: string): Promise<AppAnswer> {
  if (!(await store.deleteApp(caller, app, caller.userId))) throw apiError('app_unknown', app);
  return { status: 200, body: plainDocument({ code: 200, status: REASONS[200], message: `The app ${app} was deleted.` }), object: app };
}

async function revisionsOf(store: Store, scope: SpaceScope, app: string): Promise<readonly AppRevision[]> {
  const revisions = await store.appHistory(scope, app);
  if (revisions.length === 0) throw apiError('app_unknown', app);
  return revisions;
}

export async function appHistory(store: Store, scope: SpaceScope, app: string): Promise<PlainValue> {
  return (await revisionsOf(store, scope, app)).map(describeRevision);
}

export async function appRevision(store: Store, scope: SpaceScope, app: string, revisionId: string): Promise<PlainMap> {
  const revision = await findRevision(store, scope, app, revisionId);
  return describeRevision(revision).set('document', documentOf(revision));
}

async function findRevision(store: Store, scope: SpaceScope, app: string, revisionId: string): Promise<AppRevision> {
  const revision = (await revisionsOf(store, scope, app)).find((one) => one.revisionId === revisionId.toUpperCase());
  if (revision === undefined) throw apiError('app_revision_unknown', revisionId);
  return revision;
}

function describeRevision({ revisionId, action, userId, at }: AppRevision): PlainMap {
  return new Map<string, PlainValue>([
    ['revision_id', revisionId],
    ['action', action],
    ['user_id', userId],
    ['at', at],
  ]);
}

/** Stores the document of a revision again, if the space still has what it needs. */
export async function revertApp(caller: SpaceCaller, parts: SpaceParts, app: string, revisionId: string): Promise<AppAnswer> {
  const revision = await findRevision(parts.store, caller, app, revisionId);
  const { document, warnings } = await validateApp(textOf(revision), parts);
  const { title, permission } = document;
  const draft: AppDraft = { app, title, permission, document: revision.document, source: revision.source, userId: caller.userId };
  return stored(await parts.store.putApps(caller, [draft], 'revert'), app, warnings);
}

/** The text that was sent. Its problems have the places that its author knows. */
export function textOf({ source, document }: Pick<AppRecord, 'source' | 'document'>): AppText {
  return source === null ? { text: document, type: 'json' } : { text: source, type: 'yaml' };
}
