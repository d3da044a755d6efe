/**
 * Tests the connection to a registered database, or to an entry before it is registered. Errors
 * name address and reason, but no secrets. Independent of HTTP.
 */
import { DbFailure, type Probe } from '../engines/contract/engine.ts';
import { apiError } from '../errors.ts';
import type { OrgCaller } from '../model/caller.ts';
import { type Entry, isSameLogin } from '../model/entry.ts';
import { findEntry, inSpace, type ProjectContext, registryKey, SPACE_NAMES } from '../model/project.ts';
import { newUlid } from '../model/ulid.ts';
import type { Store } from '../store/store.ts';
import type { PlainValue } from '../util/text/decimal.ts';
import { withoutQuotes } from '../util/text/redact-error.ts';
import { document, type ManageAnswer } from './answer.ts';
import { type EntryBody, readEntry } from './entry-body.ts';
import { type DatabaseRules, readCheckedEntry, requireProject, requireType, scopeOf } from './projects.ts';

export interface TrialRules extends DatabaseRules {
  probe(entry: Entry): Promise<Probe>;
}

/** Tests the entry with this type and name in the caller's space (without one, dev). */
export async function tryRegistered(
  store: Store,
  caller: OrgCaller,
  projectId: string | undefined,
  typeName: string | undefined,
  database: string | undefined,
  rules: TrialRules,
): Promise<ManageAnswer> {
  if (database === undefined) throw apiError('missing_parameter', 'name');
  const type = requireType(typeName, rules.engines);
  const context = await requireProject(store, scopeOf(caller, projectId));
  return probeEntry(findEntry(inSpace(context, caller.spaceId), type, database), rules);
}

/**
 * Tests the entry of a body. A missing password, or `***`, means the password of the registered
 * entry, provided that hosts and user are the registered ones.
 */
export async function tryEntry(
  store: Store,
  caller: OrgCaller,
  projectId: string | undefined,
  body: PlainValue,
  rules: TrialRules,
): Promise<ManageAnswer> {
  const { scope, entry, context } = await readCheckedEntry(store, caller, projectId, body, rules, readEntry);
  const isMasked = entry.password === null || entry.password === '***';
  const password = isMasked ? storedPassword(context, entry) : (entry.password ?? '');
  return probeEntry({ ...entry, password, id: newUlid(), projectId: scope.projectId }, rules);
}

/** The password of the registered entry, which nothing but its own server and user receives. */
function storedPassword(context: ProjectContext, body: EntryBody): string {
  const { type, database, alias = database, spaces = SPACE_NAMES } = body;
  const entry = context.entries.get(registryKey(type, alias, spaces));
  if (entry === undefined || !isSameLogin(entry, body)) throw apiError('password_required', type, alias);
  return entry.password;
}

async function probeEntry(entry: Entry, { probe, engines }: TrialRules): Promise<ManageAnswer> {
  try {
    const { version, ms } = await probe(entry);
    const engine = engines.find(entry.type)?.label ?? entry.type;
    return document({ ok: true, engine, version, ms: Math.round(ms), db_type: entry.type, db_name: entry.database });
  } catch (error) {
    if (!(error instanceof DbFailure)) throw error;
    throw apiError('database_test_failed', error.outage ?? error.kind, withoutQuotes(error.message)).causedBy(error);
  }
}
