/** Apps in SQL, and the history of their documents. */
import type { AppAction, AppDraft, AppRecord, AppRevision, AppSummary, Apps } from '../../model/app.ts';
import type { SpaceScope } from '../../model/project.ts';
import { newUlid } from '../../model/ulid.ts';
import type { Sql } from '../sql-driver.ts';
import type { AppStorage } from '../store.ts';
import { spaceExists } from './projects.ts';

interface SummaryRow {
  readonly app: string;
  readonly title: string;
  readonly permission: string;
  readonly user_id: string;
  readonly updated_at: string;
  readonly revision: string;
}

interface AppRow extends SummaryRow {
  readonly document: string;
  readonly source: string | null;
}

interface RevisionRow {
  readonly revision_id: string;
  readonly app: string;
  readonly action: AppAction;
  readonly user_id: string;
  readonly at: string;
  readonly document: string;
  readonly source: string | null;
}

const SUMMARY = 'app, title, permission, user_id, updated_at, revision';
const COLUMNS = `${SUMMARY}, document, source`;
const REVISION = 'revision_id, app, action, user_id, at, document, source';
const OWNED = 'org_id = ? AND project_id = ? AND space_id = ?';
const KEPT_MS = 90 * 86_400_000;

const idsOf = ({ orgId, projectId, spaceId }: SpaceScope) => [orgId, projectId, spaceId] as const;

function toSummary(row: SummaryRow): AppSummary {
  return {
    app: row.app,
    title: row.title,
    permission: JSON.parse(row.permission) as string[],
    userId: row.user_id,
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}

export async function readApps(sql: Sql, scope: SpaceScope): Promise<Apps> {
  const rows = await sql.all<SummaryRow>(`SELECT ${SUMMARY} FROM apps WHERE ${OWNED} ORDER BY app`, idsOf(scope));
  const order = (a: SummaryRow, b: SummaryRow): number => (a.app < b.app ? -1 : 1);
  return new Map(rows.toSorted(order).map((row) => [row.app, toSummary(row)]));
}

export async function readApp(sql: Sql, scope: SpaceScope, app: string): Promise<AppRecord | undefined> {
  const [row] = await sql.all<AppRow>(`SELECT ${COLUMNS} FROM apps WHERE ${OWNED} AND app = ?`, [...idsOf(scope), app]);
  return row && { ...toSummary(row), document: row.document, source: row.source };
}

/** Stores all apps. `action` is that of the history; without it, each is created or replaced. */
export async function putApps(
  tx: Sql,
  scope: SpaceScope,
  drafts: readonly AppDraft[],
  action: 'copy' | 'revert' | undefined,
): Promise<AppStorage> {
  if (!(await spaceExists(tx, scope))) return 'space_unknown';
  const before = await readApps(tx, scope);
  const now = new Date();
  for (const draft of drafts) {
    const { app, title, permission, document, source, userId } = draft;
    await tx.all(
      `INSERT INTO apps (org_id, project_id, space_id, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (space_id, app) DO UPDATE
       SET title = excluded.title, permission = excluded.permission, document = excluded.document, source = excluded.source,
           user_id = excluded.user_id, updated_at = excluded.updated_at, revision = excluded.revision`,
      [...idsOf(scope), app, title, JSON.stringify(permission), userId, now.toISOString(), newUlid(), document, source],
    );
    await addRevision(tx, scope, { ...draft, action: action ?? (before.has(app) ? 'replace' : 'create') }, now);
  }
  await removeForgotten(tx, scope, now);
  return drafts.some(({ app }) => before.has(app)) ? 'replaced' : 'created';
}

export async function deleteApp(tx: Sql, scope: SpaceScope, app: string, userId: string): Promise<boolean> {
  const record = await readApp(tx, scope, app);
  if (record === undefined) return false;
  await tx.all(`DELETE FROM apps WHERE ${OWNED} AND app = ?`, [...idsOf(scope), app]);
  const now = new Date();
  await addRevision(tx, scope, { ...record, userId, action: 'delete' }, now);
  await removeForgotten(tx, scope, now);
  return true;
}

type NewRevision = Omit<AppRevision, 'revisionId' | 'at'>;

async function addRevision(tx: Sql, scope: SpaceScope, { app, action, userId, document, source }: NewRevision, now: Date): Promise<void> {
  await tx.all(`INSERT INTO app_history (org_id, project_id, space_id, ${REVISION}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
    ...idsOf(scope),
    newUlid(),
    app,
    action,
    userId,
    now.toISOString(),
    document,
    source,
  ]);
}

/** Removes what is older than a deletion that has been kept long enough. */
async function removeForgotten(tx: Sql, scope: SpaceScope, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_MS).toISOString();
  const old = await tx.all<{ app: string; at: string }>(
    "SELECT app, max(at) AS at FROM app_history WHERE space_id = ? AND action = 'delete' AND at < ? GROUP BY app",
    [scope.spaceId, before],
  );
  for (const { app, at } of old) await tx.all(`DELETE FROM app_history WHERE ${OWNED} AND app = ? AND at <= ?`, [...idsOf(scope), app, at]);
}

function toRevision(row: RevisionRow): AppRevision {
  return {
    revisionId: row.revision_id,
    app: row.app,
    action: row.action,
    userId: row.user_id,
    at: row.at,
    document: row.document,
    source: row.source,
  };
}

/** Revisions, newest first. */
export async function listAppRevisions(sql: Sql, scope: SpaceScope, app: string): Promise<readonly AppRevision[]> {
  const rows = await sql.all<RevisionRow>(
    `SELECT ${REVISION} FROM app_history WHERE ${OWNED} AND app = ? ORDER BY at DESC, revision_id DESC`,
    [...idsOf(scope), app],
  );
  return rows.map(toRevision);
}
