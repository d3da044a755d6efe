/** Registered databases in SQL, with their passwords encrypted. */
import { apiError } from '../../errors.ts';
import { type DbType, type Entry, type Host, isSameLogin, type TlsMode } from '../../model/entry.ts';
import { entryKey, type ProjectScope, registryKey, SPACE_NAMES, type UnreadableEntry } from '../../model/project.ts';
import type { DeclaredKey } from '../../model/relation.ts';
import { newUlid } from '../../model/ulid.ts';
import type { KeyRing } from '../secrets.ts';
import { SecretError } from '../secrets.ts';
import type { Sql, SqlValue } from '../sql-driver.ts';
import type { EntryDraft, EntryRemoval } from '../store.ts';

interface EntryRow {
  readonly entry_id: string;
  readonly db_type: DbType;
  readonly db_name: string;
  readonly alias: string;
  readonly spaces: string;
  readonly hosts: string;
  readonly username: string;
  readonly password: string;
  readonly tls: TlsMode;
  readonly ca: string | null;
  readonly connect_timeout_secs: number;
  readonly idle_timeout_secs: number;
  readonly max_open_connections: number;
  readonly max_idle_connections: number;
  readonly timeout_secs: number;
  readonly relations: string | null;
  readonly position: number;
  readonly read_only: number;
}

const COLUMNS = `entry_id, db_type, db_name, alias, spaces, hosts, username, password, tls, ca, connect_timeout_secs, idle_timeout_secs,
  max_open_connections, max_idle_connections, timeout_secs, relations, position, read_only`;
const INSERT_ROWS = 100;
const OWNED = 'org_id = ? AND project_id = ?';
const NAMED = `${OWNED} AND db_type = ? AND alias = ?`;

/**
 * Every change of an entry gives it a new id, so an encrypted password belongs to one state of one
 * entry.
 */
export function entrySecretOwner(scope: ProjectScope, entryId: string): readonly string[] {
  return [scope.orgId, scope.projectId, entryId, 'entry.password'];
}

function toEntry(row: EntryRow, scope: ProjectScope, password: string): Entry {
  const entry = {
    id: row.entry_id,
    projectId: scope.projectId,
    type: row.db_type,
    database: row.db_name,
    alias: row.alias,
    spaces: row.spaces.split(','),
    hosts: JSON.parse(row.hosts) as Host[],
    username: row.username,
    password,
    tls: row.tls,
    connectTimeoutSecs: row.connect_timeout_secs,
    idleTimeoutSecs: row.idle_timeout_secs,
    maxOpenConnections: row.max_open_connections,
    maxIdleConnections: row.max_idle_connections,
    queryTimeoutSecs: row.timeout_secs,
  };
  return {
    ...entry,
    ...(row.ca === null ? {} : { ca: row.ca }),
    ...(row.relations === null ? {} : { relations: JSON.parse(row.relations) as DeclaredKey[] }),
    ...(row.read_only === 0 ? {} : { readOnly: true }),
  };
}

export interface EntrySet {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly unreadable: ReadonlyMap<string, UnreadableEntry>;
}

/**
 * All entries of a project. An entry whose password cannot be decrypted is set aside and affects no
 * other.
 */
export async function readEntries(sql: Sql, ring: KeyRing, scope: ProjectScope): Promise<EntrySet> {
  const rows = await sql.all<EntryRow>(`SELECT ${COLUMNS} FROM entries WHERE ${OWNED} ORDER BY position`, [scope.orgId, scope.projectId]);
  const entries = new Map<string, Entry>();
  const unreadable = new Map<string, UnreadableEntry>();
  for (const row of rows) {
    const key = registryKey(row.db_type, row.alias, row.spaces.split(','));
    try {
      entries.set(key, toEntry(row, scope, ring.open(row.password, entrySecretOwner(scope, row.entry_id))));
    } catch (error) {
      if (!(error instanceof SecretError)) throw error;
      unreadable.set(key, {
        id: row.entry_id,
        type: row.db_type,
        alias: row.alias,
        spaces: row.spaces.split(','),
        reason: error.message,
      });
    }
  }
  return { entries, unreadable };
}

/** Spaces in a fixed order, so that equal sets are equal strings. */
function spacesText({ spaces }: Pick<EntryDraft, 'spaces'>): string {
  return SPACE_NAMES.filter((name) => spaces === undefined || spaces.includes(name)).join(',');
}

function insertValues(ring: KeyRing, scope: ProjectScope, draft: EntryDraft, position: number): readonly SqlValue[] {
  const id = newUlid();
  return [
    scope.orgId,
    scope.projectId,
    id,
    draft.type,
    draft.database,
    draft.alias ?? draft.database,
    spacesText(draft),
    JSON.stringify(draft.hosts),
    draft.username,
    ring.seal(draft.password, entrySecretOwner(scope, id)),
    draft.tls,
    draft.ca ?? null,
    draft.connectTimeoutSecs,
    draft.idleTimeoutSecs,
    draft.maxOpenConnections,
    draft.maxIdleConnections,
    draft.queryTimeoutSecs,
    draft.relations === undefined ? null : JSON.stringify(draft.relations),
    position,
    draft.readOnly === true ? 1 : 0,
  ];
}

/**
 * Inserts many rows per statement, since a project may have a thousand databases. None of them may
 * exist yet.
 */
export async function insertEntries(
  tx: Sql,
  ring: KeyRing,
  scope: ProjectScope,
  drafts: readonly EntryDraft[],
  firstPosition: number,
): Promise<void> {
  for (let start = 0; start < drafts.length; start += INSERT_ROWS) {
    const rows = drafts.slice(start, start + INSERT_ROWS).map((draft, i) => insertValues(ring, scope, draft, firstPosition + start + i));
    const places = rows.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ');
    await tx.all(`INSERT INTO entries (org_id, project_id, ${COLUMNS}) VALUES ${places}`, rows.flat());
  }
}

/** Finds entries of a type and alias in any spaces. */
function findRows(tx: Sql, scope: ProjectScope, type: string, alias: string): Promise<readonly EntryRow[]> {
  return tx.all<EntryRow>(`SELECT ${COLUMNS} FROM entries WHERE ${NAMED}`, [scope.orgId, scope.projectId, type, alias]);
}

/** `true` if both have a space in common. */
function overlap(row: EntryRow, spaces: string): boolean {
  const taken = row.spaces.split(',');
  return spaces.split(',').some((name) => taken.includes(name));
}

/** Returns `false` if one of the spaces already has a database of that type and alias. */
export async function addEntry(tx: Sql, ring: KeyRing, scope: ProjectScope, draft: EntryDraft): Promise<boolean> {
  const rows = await findRows(tx, scope, draft.type, draft.alias ?? draft.database);
  if (rows.some((row) => overlap(row, spacesText(draft)))) return false;
  const [last] = await tx.all<{ position: number }>(`SELECT coalesce(max(position), -1) AS position FROM entries WHERE ${OWNED}`, [
    scope.orgId,
    scope.projectId,
  ]);
  await insertEntries(tx, ring, scope, [draft], (last?.position ?? -1) + 1);
  return true;
}

/** A password stays with its hosts and user: elsewhere, the new server would receive it. */
function keptPassword(ring: KeyRing, scope: ProjectScope, row: EntryRow, draft: Pick<EntryDraft, 'hosts' | 'username'>): string {
  const registered = { username: row.username, hosts: JSON.parse(row.hosts) as Host[] };
  if (!isSameLogin(registered, draft)) throw apiError('password_required', row.db_type, row.alias);
  return openStored(ring, scope, row);
}

/** A password that is kept must be readable. A new one repairs the entry. */
function openStored(ring: KeyRing, scope: ProjectScope, row: EntryRow): string {
  try {
    return ring.open(row.password, entrySecretOwner(scope, row.entry_id));
  } catch (error) {
    if (error instanceof SecretError) throw apiError('record_unreadable', entryKey(row.db_type, row.alias), row.entry_id);
    throw error;
  }
}

export async function changeEntry(
  tx: Sql,
  ring: KeyRing,
  scope: ProjectScope,
  draft: Omit<EntryDraft, 'password'> & { readonly password: string | null },
): Promise<boolean> {
  const rows = await findRows(tx, scope, draft.type, draft.alias ?? draft.database);
  const old = rows.find((row) => row.spaces === spacesText(draft));
  if (old === undefined) return false;
  const password = draft.password ?? keptPassword(ring, scope, old, draft);
  await deleteRow(tx, old);
  await insertEntries(tx, ring, scope, [{ ...draft, password }], old.position);
  return true;
}

async function deleteRow(tx: Sql, { entry_id }: EntryRow): Promise<void> {
  await tx.all('DELETE FROM entries WHERE entry_id = ?', [entry_id]);
}

/** Removes the entry of a type and alias, limited to a space if there are several. */
export async function removeEntry(
  tx: Sql,
  scope: ProjectScope,
  type: string,
  alias: string,
  space: string | undefined,
): Promise<EntryRemoval> {
  const named = await findRows(tx, scope, type, alias);
  const meant = space === undefined ? named : named.filter((row) => row.spaces.split(',').includes(space));
  const [only, other] = meant;
  if (only === undefined) return 'unknown';
  if (other !== undefined) return 'ambiguous';
  await deleteRow(tx, only);
  return 'removed';
}
