/** Definitions in SQL, with their database passwords encrypted. */
import {
  type Definition,
  type DefinitionDraft,
  type DefinitionHead,
  type DefinitionMethod,
  type DefinitionSummary,
  type DefinitionUses,
  type Endpoint,
  shapeOf,
  versionSortKey,
} from '../../model/definition.ts';
import type { SpaceScope } from '../../model/project.ts';
import { newUlid } from '../../model/ulid.ts';
import { type KeyRing, SecretError } from '../secrets.ts';
import type { Sql } from '../sql-driver.ts';
import type { DefinitionAddress, DefinitionChange, DefinitionInsertion, InsertedDefinition, MissingRollback } from '../store.ts';
import { spaceExists } from './projects.ts';

/** Content of the column `uses`. Older versions read and write it without the head. */
interface StoredUses extends DefinitionUses {
  readonly head?: DefinitionHead | undefined;
}

const NO_USES: StoredUses = { tables: [], modules: [] };

const usesText = ({ uses = NO_USES, head }: DefinitionDraft): string => JSON.stringify({ ...uses, head } satisfies StoredUses);

interface SummaryRow {
  readonly definition_id: string;
  readonly uri: string;
  readonly method: DefinitionMethod;
  readonly version: string;
  readonly feature_id: string;
  readonly user_id: string;
  readonly rollback_version: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly last_failure_at: string | null;
  readonly last_failure_message: string | null;
  readonly revision: string;
  readonly uses: string;
}

interface DefinitionRow extends SummaryRow {
  readonly document: string;
  readonly password: string | null;
}

const SUMMARY = `definition_id, uri, method, version, feature_id, user_id, rollback_version, created_at, updated_at,
  last_failure_at, last_failure_message, revision, uses`;
const ALL = `${SUMMARY}, document, password`;
const OWNED = 'org_id = ? AND project_id = ? AND space_id = ?';
const ADDRESSED = `${OWNED} AND shape = ? AND method = ? AND version = ?`;

const owner = (scope: SpaceScope) => [scope.orgId, scope.projectId, scope.spaceId];
const addressed = (scope: SpaceScope, { uri, method, version }: DefinitionAddress) => [...owner(scope), shapeOf(uri), method, version];
const addressKey = ({ uri, method, version }: DefinitionAddress) => JSON.stringify([shapeOf(uri), method, version]);

export function definitionSecretOwner(scope: SpaceScope, definitionId: string): readonly string[] {
  return [...owner(scope), definitionId, 'definition.password'];
}

function toSummary(row: SummaryRow): DefinitionSummary {
  const { head, ...uses } = JSON.parse(row.uses) as StoredUses;
  return {
    definitionId: row.definition_id,
    uri: row.uri,
    method: row.method,
    version: row.version,
    featureId: row.feature_id,
    userId: row.user_id,
    rollbackVersion: row.rollback_version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastFailureAt: row.last_failure_at,
    lastFailureMessage: row.last_failure_message,
    revision: row.revision,
    uses,
    head,
  };
}

function toDefinition(ring: KeyRing, scope: SpaceScope, row: DefinitionRow): Definition {
  const known = { ...toSummary(row), document: row.document };
  if (row.password === null) return { ...known, password: null, unreadable: null };
  try {
    return { ...known, password: ring.open(row.password, definitionSecretOwner(scope, row.definition_id)), unreadable: null };
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    return { ...known, password: null, unreadable: error.message };
  }
}

export async function readEndpoint(sql: Sql, ring: KeyRing, scope: SpaceScope, shape: string): Promise<Endpoint | undefined> {
  const rows = await sql.all<DefinitionRow>(
    `SELECT ${ALL} FROM definitions WHERE ${OWNED} AND shape = ? ORDER BY version_key DESC, version DESC`,
    [...owner(scope), shape],
  );
  if (rows.length === 0) return undefined;
  const versions = new Map<DefinitionMethod, Definition[]>();
  for (const row of rows) {
    const ofMethod = versions.get(row.method);
    const definition = toDefinition(ring, scope, row);
    if (ofMethod === undefined) versions.set(row.method, [definition]);
    else ofMethod.push(definition);
  }
  return { uri: shape, versions };
}

export async function readPatterns(sql: Sql, scope: SpaceScope): Promise<readonly string[]> {
  const rows = await sql.all<{ shape: string }>(`SELECT DISTINCT shape FROM definitions WHERE ${OWNED} AND shape LIKE '%{%'`, owner(scope));
  return rows.map(({ shape }) => shape);
}

export async function findDefinition(sql: Sql, ring: KeyRing, scope: SpaceScope, definitionId: string): Promise<Definition | undefined> {
  const [row] = await sql.all<DefinitionRow>(`SELECT ${ALL} FROM definitions WHERE ${OWNED} AND definition_id = ?`, [
    ...owner(scope),
    definitionId,
  ]);
  return row && toDefinition(ring, scope, row);
}

export async function listDefinitions(sql: Sql, scope: SpaceScope, method?: DefinitionMethod): Promise<readonly DefinitionSummary[]> {
  const order = 'ORDER BY uri, method, version_key, version';
  const rows =
    method === undefined
      ? await sql.all<SummaryRow>(`SELECT ${SUMMARY} FROM definitions WHERE ${OWNED} ${order}`, owner(scope))
      : await sql.all<SummaryRow>(`SELECT ${SUMMARY} FROM definitions WHERE ${OWNED} AND method = ? ${order}`, [...owner(scope), method]);
  return rows.map(toSummary);
}

async function findId(tx: Sql, scope: SpaceScope, address: DefinitionAddress): Promise<string | undefined> {
  const [row] = await tx.all<{ definition_id: string }>(
    `SELECT definition_id FROM definitions WHERE ${ADDRESSED}`,
    addressed(scope, address),
  );
  return row?.definition_id;
}

/** Checks the version that a draft falls back to. A version cannot be its own fallback. */
async function hasRollback(tx: Sql, scope: SpaceScope, draft: DefinitionDraft): Promise<boolean> {
  if (draft.rollbackVersion === null) return true;
  if (draft.rollbackVersion === draft.version) return false;
  return (await findId(tx, scope, { ...draft, version: draft.rollbackVersion })) !== undefined;
}

async function insertOne(tx: Sql, ring: KeyRing, scope: SpaceScope, draft: DefinitionDraft): Promise<InsertedDefinition> {
  const definitionId = newUlid();
  const now = new Date().toISOString();
  const sealed = draft.password === null ? null : ring.seal(draft.password, definitionSecretOwner(scope, definitionId));
  await tx.all(
    `INSERT INTO definitions (org_id, project_id, space_id, definition_id, uri, shape, method, version, version_key, feature_id, user_id,
       rollback_version, document, password, uses, revision, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...owner(scope),
      definitionId,
      draft.uri,
      shapeOf(draft.uri),
      draft.method,
      draft.version,
      sortKey(draft.version),
      draft.featureId,
      draft.userId,
      draft.rollbackVersion,
      draft.document,
      sealed,
      usesText(draft),
      newUlid(),
      now,
      now,
    ],
  );
  return { definitionId, uri: draft.uri, method: draft.method, version: draft.version };
}

/** The check of documents rejects other versions, so reaching this is a bug. */
function sortKey(version: string): string {
  const key = versionSortKey(version);
  if (key === undefined) throw new Error(`not a version: ${version}`);
  return key;
}

export async function insertDefinitions(
  tx: Sql,
  ring: KeyRing,
  scope: SpaceScope,
  drafts: readonly DefinitionDraft[],
  missing: MissingRollback,
): Promise<DefinitionInsertion> {
  if (!(await spaceExists(tx, scope))) return { kind: 'space_unknown' };
  const arriving = new Set<string>();
  for (const draft of drafts) {
    const { uri, method, version } = draft;
    if (arriving.has(addressKey(draft)) || (await findId(tx, scope, draft)) !== undefined)
      return { kind: 'exists', address: { uri, method, version } };
    arriving.add(addressKey(draft));
  }
  const ready: DefinitionDraft[] = [];
  for (const draft of drafts) {
    const { rollbackVersion } = draft;
    const known =
      (await hasRollback(tx, scope, draft)) ||
      (rollbackVersion !== draft.version && arriving.has(addressKey({ ...draft, version: rollbackVersion ?? '' })));
    if (!known && missing === 'refuse') return { kind: 'rollback_unknown', version: rollbackVersion ?? '' };
    ready.push(known ? draft : { ...draft, rollbackVersion: null });
  }
  const definitions: InsertedDefinition[] = [];
  for (const draft of ready) definitions.push(await insertOne(tx, ring, scope, draft));
  return { kind: 'inserted', definitions };
}

/** Finds the definition to change, or the reason why it must stay. */
async function changeable(tx: Sql, scope: SpaceScope, address: DefinitionAddress): Promise<DefinitionChange> {
  const definitionId = await findId(tx, scope, address);
  if (definitionId === undefined) return { kind: 'unknown' };
  const [by] = await tx.all<{ version: string }>(
    `SELECT version FROM definitions WHERE ${OWNED} AND shape = ? AND method = ? AND rollback_version = ? AND version <> ?
     ORDER BY version_key DESC LIMIT 1`,
    [...addressed(scope, address), address.version],
  );
  return by === undefined ? { kind: 'changed', definitionId } : { kind: 'referenced', by: by.version };
}

export async function updateDefinition(tx: Sql, ring: KeyRing, scope: SpaceScope, draft: DefinitionDraft): Promise<DefinitionChange> {
  const change = await changeable(tx, scope, draft);
  if (change.kind !== 'changed') return change;
  if (!(await hasRollback(tx, scope, draft))) return { kind: 'rollback_unknown', version: draft.rollbackVersion ?? '' };
  const sealed = draft.password === null ? null : ring.seal(draft.password, definitionSecretOwner(scope, change.definitionId));
  await tx.all(
    `UPDATE definitions SET uri = ?, feature_id = ?, user_id = ?, rollback_version = ?, document = ?, password = ?, uses = ?, revision = ?, updated_at = ?
     WHERE ${OWNED} AND definition_id = ?`,
    [
      draft.uri,
      draft.featureId,
      draft.userId,
      draft.rollbackVersion,
      draft.document,
      sealed,
      usesText(draft),
      newUlid(),
      new Date().toISOString(),
      ...owner(scope),
      change.definitionId,
    ],
  );
  return change;
}

export async function deleteDefinition(tx: Sql, scope: SpaceScope, address: DefinitionAddress): Promise<DefinitionChange> {
  const change = await changeable(tx, scope, address);
  if (change.kind === 'changed')
    await tx.all(`DELETE FROM definitions WHERE ${OWNED} AND definition_id = ?`, [...owner(scope), change.definitionId]);
  return change;
}

export async function writeFailure(tx: Sql, scope: SpaceScope, definitionId: string, at: string, message: string): Promise<void> {
  await tx.all(`UPDATE definitions SET last_failure_at = ?, last_failure_message = ? WHERE ${OWNED} AND definition_id = ?`, [
    at,
    message,
    ...owner(scope),
    definitionId,
  ]);
}
