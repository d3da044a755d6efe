/** Audit records in SQL. They are appended and forgotten, never changed. */
import { hostname } from 'node:os';
import type { AuditedChange, AuditFilter, AuditRecord, ChangeAuthor } from '../../model/audit.ts';
import { newUlid } from '../../model/ulid.ts';
import type { Sql, SqlValue } from '../sql-driver.ts';
import type { AuditPage, Page } from '../store.ts';

interface AuditRow {
  readonly audit_id: string;
  readonly at: string;
  readonly action: string;
  readonly object: string;
  readonly changed: string | null;
  readonly status: number;
  readonly user_id: string;
  readonly token_id: string | null;
  readonly roles: string;
  readonly org_id: string | null;
  readonly project_id: string | null;
  readonly space_id: string | null;
  readonly request_id: string;
  readonly instance: string;
}

const COLUMNS =
  'audit_id, at, action, object, changed, status, user_id, token_id, roles, org_id, project_id, space_id, request_id, instance';
const DAY_MS = 86_400_000;
/** A copy of many definitions names them all. */
const MAX_OBJECT_LENGTH = 4_000;

const INSTANCE = `${hostname()}:${process.pid}`;

function toRecord(row: AuditRow): AuditRecord {
  return {
    auditId: row.audit_id,
    at: row.at,
    action: row.action,
    object: row.object,
    changed: row.changed === null ? null : (JSON.parse(row.changed) as string[]),
    status: row.status,
    userId: row.user_id,
    tokenId: row.token_id,
    roles: JSON.parse(row.roles) as string[],
    orgId: row.org_id,
    projectId: row.project_id,
    spaceId: row.space_id,
    requestId: row.request_id,
    instance: row.instance,
  };
}

/** Appends the records of changes, and deletes records older than `keptDays`. */
export async function appendAudit(tx: Sql, author: ChangeAuthor, changes: readonly AuditedChange[], keptDays: number): Promise<void> {
  const now = Date.now();
  for (const { action, object, changed, status, scope } of changes)
    await tx.all(`INSERT INTO audit (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
      newUlid(),
      new Date(now).toISOString(),
      action,
      object.slice(0, MAX_OBJECT_LENGTH).replaceAll('\0', '\ufffd'),
      changed === undefined ? null : JSON.stringify(changed),
      status,
      author.userId,
      author.tokenId ?? null,
      JSON.stringify([...author.roles]),
      scope.orgId ?? author.orgId ?? null,
      scope.projectId ?? author.projectId ?? null,
      scope.spaceId ?? author.spaceId ?? null,
      author.requestId,
      INSTANCE,
    ]);
  await tx.all('DELETE FROM audit WHERE at < ?', [new Date(now - keptDays * DAY_MS).toISOString()]);
}

/** Conditions by filter. `object` is compared byte by byte, which LIKE does not do everywhere. */
const CONDITIONS: Readonly<Record<keyof AuditFilter, string>> = {
  orgId: 'org_id = ?',
  projectId: 'project_id = ?',
  from: 'at >= ?',
  to: 'at < ?',
  userId: 'user_id = ?',
  action: 'action = ?',
  object: "replace(object, ?, '') <> object",
};

const EVERY_ACTION = /^([a-z]+\.)\*$/;

function where(filter: AuditFilter, keptDays: number): { readonly text: string; readonly values: readonly SqlValue[] } {
  const conditions = ['at >= ?'];
  const values: SqlValue[] = [new Date(Date.now() - keptDays * DAY_MS).toISOString()];
  for (const [name, value] of Object.entries(filter) as [keyof AuditFilter, string | undefined][]) {
    if (value === undefined) continue;
    const noun = name === 'action' ? EVERY_ACTION.exec(value)?.[1] : undefined;
    conditions.push(noun === undefined ? CONDITIONS[name] : `substr(action, 1, ${noun.length}) = ?`);
    values.push(noun ?? value);
  }
  return { text: conditions.join(' AND '), values };
}

/** Records, newest first, and their number without paging. */
export async function listAudit(sql: Sql, filter: AuditFilter, { offset, limit }: Page, keptDays: number): Promise<AuditPage> {
  const { text, values } = where(filter, keptDays);
  const [counted] = await sql.all<{ n: number | string }>(`SELECT count(*) AS n FROM audit WHERE ${text}`, values);
  const rows = await sql.all<AuditRow>(`SELECT ${COLUMNS} FROM audit WHERE ${text} ORDER BY at DESC, audit_id DESC LIMIT ? OFFSET ?`, [
    ...values,
    limit,
    offset,
  ]);
  return { records: rows.map(toRecord), total: Number(counted?.n ?? 0) };
}
