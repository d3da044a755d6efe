/** The history of definitions in SQL: every deployed document, without its password. */
import { type DefinitionMethod, shapeOf } from '../../model/definition.ts';
import type { SpaceScope } from '../../model/project.ts';
import { newUlid } from '../../model/ulid.ts';
import type { Sql } from '../sql-driver.ts';
import type { DefinitionAction, DefinitionRevision } from '../store.ts';

interface HistoryRow {
  readonly revision_id: string;
  readonly definition_id: string;
  readonly uri: string;
  readonly method: DefinitionMethod;
  readonly version: string;
  readonly action: DefinitionAction;
  readonly user_id: string;
  readonly at: string;
  readonly document: string;
}

const COLUMNS = 'revision_id, definition_id, uri, method, version, action, user_id, at, document';
const OWNED = 'org_id = ? AND project_id = ? AND space_id = ?';
const KEPT_MS = 90 * 86_400_000;

const owner = (scope: SpaceScope) => [scope.orgId, scope.projectId, scope.spaceId];

function toRevision(row: HistoryRow): DefinitionRevision {
  return {
    revisionId: row.revision_id,
    definitionId: row.definition_id,
    uri: row.uri,
    method: row.method,
    version: row.version,
    action: row.action,
    userId: row.user_id,
    at: row.at,
    document: row.document,
  };
}

/** Adds revisions, and removes old ones of deleted definitions. */
export async function addRevisions(
  tx: Sql,
  scope: SpaceScope,
  revisions: readonly Omit<DefinitionRevision, 'revisionId' | 'at'>[],
): Promise<void> {
  const now = Date.now();
  for (const { definitionId, uri, method, version, action, userId, document } of revisions)
    await tx.all(
      `INSERT INTO definition_history (org_id, project_id, space_id, shape, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [...owner(scope), shapeOf(uri), newUlid(), definitionId, uri, method, version, action, userId, new Date(now).toISOString(), document],
    );
  await removeForgotten(tx, scope, new Date(now - KEPT_MS).toISOString());
}

/** Checks the deletions of the space only, which have an index. */
async function removeForgotten(tx: Sql, scope: SpaceScope, before: string): Promise<void> {
  const old = "space_id = ? AND action = 'delete' AND at < ?";
  const which = [scope.spaceId, before];
  const [any] = await tx.all(`SELECT definition_id FROM definition_history WHERE ${old} LIMIT 1`, which);
  if (any === undefined) return;
  await tx.all(
    `DELETE FROM definition_history WHERE ${OWNED} AND definition_id IN (SELECT definition_id FROM definition_history WHERE ${old})`,
    [...owner(scope), ...which],
  );
}

/** Revisions, newest first. */
export async function listRevisions(
  sql: Sql,
  scope: SpaceScope,
  uri: string,
  method: DefinitionMethod,
): Promise<readonly DefinitionRevision[]> {
  const rows = await sql.all<HistoryRow>(
    `SELECT ${COLUMNS} FROM definition_history WHERE ${OWNED} AND shape = ? AND method = ? ORDER BY at DESC, revision_id DESC`,
    [...owner(scope), shapeOf(uri), method],
  );
  return rows.map(toRevision);
}

export async function findRevision(sql: Sql, scope: SpaceScope, revisionId: string): Promise<DefinitionRevision | undefined> {
  const [row] = await sql.all<HistoryRow>(`SELECT ${COLUMNS} FROM definition_history WHERE ${OWNED} AND revision_id = ?`, [
    ...owner(scope),
    revisionId,
  ]);
  return row && toRevision(row);
}
