/**
 * Tries a database: the registered one as it is, or an entry before it is registered. Says to the operator what went wrong, with the address and the
 * reason and without secrets. Knows nothing of HTTP.
 */
import { DbFailure, type Probe } from '../engines/contract/engine.ts';
import { apiError } from '../errors.ts';
import type { OrgCaller } from '../model/caller.ts';
import type { Entry } from '../model/entry.ts';
import { findEntry, inSpace, type ProjectContext, registryKey, SPACE_NAMES } from '../model/project.ts';
import { newUlid } from '../model/ulid.ts';
import type { Store } from '../store/store.ts';
import type { PlainValue } from '../util/text/decimal.ts';
import { withoutQuotes } from '../util/text/redact-error.ts';
import { document, type ManageAnswer } from './answer.ts';
import { type EntryBody, readEntry } from './entry-body.ts';
import { checkedEntry, type DatabaseRules, requireProject, scopeOf, typeNamed } from './projects.ts';

export interface TrialRules extends DatabaseRules {
  probe(entry: Entry): Promise<Probe>;
}

/** The entry that has this type and name in the caller's space, or in dev when there is none. */
export async function tryRegistered(
  store: Store,
  caller: OrgCaller,
  projectId: string | undefined,
  typeName: string | undefined,
  database: string | undefined,
  rules: TrialRules,
): Promise<ManageAnswer> {
  if (database === undefined) throw apiError('missing_parameter', 'name');
  const type = typeNamed(typeName, rules.engines);
  const context = await requireProject(store, scopeOf(caller, projectId));
  return tried(findEntry(inSpace(context, caller.spaceId), type, database), rules);
}

/** An entry as a body gives it; without a password, or with `***`, that of the registered one. */
export async function tryEntry(
  store: Store,
  caller: OrgCaller,
  projectId: string | undefined,
  body: PlainValue,
  rules: TrialRules,
): Promise<ManageAnswer> {
  const { scope, entry, context } = await checkedEntry(store, caller, projectId, body, rules, readEntry);
  const isKept = entry.password === null || entry.password === '***';
  const password = isKept ? registered(context, entry).password : (entry.password ?? '');
  return tried({ ...entry, password, id: newUlid(), projectId: scope.projectId }, rules);
}

/** The registered entry that a body means: of the same type, alias and spaces. */
function registered(context: ProjectContext, { type, database, alias = database, spaces = SPACE_NAMES }: EntryBody): Entry {
  const entry = context.entries.get(registryKey(type, alias, spaces));
  if (entry === undefined) throw apiError('database_unknown', type, alias);
  return entry;
}

async function tried(entry: Entry, { probe, engines }: TrialRules): Promise<ManageAnswer> {
  try {
    const { version, ms } = await probe(entry);
    const engine = engines.find(entry.type)?.label ?? entry.type;
    return document({ ok: true, engine, version, ms: Math.round(ms), db_type: entry.type, db_name: entry.database });
  } catch (error) {
    if (!(error instanceof DbFailure)) throw error;
    throw apiError('database_test_failed', error.outage ?? error.kind, withoutQuotes(error.message)).causedBy(error);
  }
}
