/** Lists the audit records that a caller may see. Independent of HTTP. */
import { apiError } from '../errors.ts';
import type { AuditFilter, AuditRecord } from '../model/audit.ts';
import type { Caller } from '../model/caller.ts';
import type { Store } from '../store/store.ts';
import { type Paging, parseTimestamp, readPage } from './parameters.ts';

/** Query of a list as it was sent. */
export interface AuditQuery extends Paging {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly userId: string | undefined;
  readonly action: string | undefined;
  readonly object: string | undefined;
}

export interface AuditList {
  readonly records: readonly object[];
  readonly total: number;
}

/** A token sees its own project. The server key sees all, narrowed by the ids of the context. */
export async function listAudit(store: Store, { orgId, projectId }: Caller, query: AuditQuery, maxPageSize: number): Promise<AuditList> {
  const filter: AuditFilter = {
    orgId,
    projectId,
    from: readTime('from', query.from),
    to: readTime('to', query.to),
    userId: query.userId || undefined,
    action: query.action || undefined,
    object: query.object || undefined,
  };
  const { records, total } = await store.listAudit(filter, readPage(query, maxPageSize));
  return { records: records.map(describe), total };
}

/** Records have milliseconds, so a bound between two of them is rounded up. */
function readTime(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const timestamp = parseTimestamp(text);
  if (timestamp === undefined) throw apiError('bad_parameter', name, 'it must be an RFC 3339 timestamp such as 2030-01-31T12:00:00Z');
  const isBetween = /\.\d{3}\d*[1-9]/.test(text);
  return new Date(timestamp + (isBetween ? 1 : 0)).toISOString();
}

function describe(record: AuditRecord): object {
  return {
    audit_id: record.auditId,
    at: record.at,
    action: record.action,
    object: record.object,
    changed: record.changed,
    status: record.status,
    user_id: record.userId,
    token_id: record.tokenId,
    roles: record.roles,
    org_id: record.orgId,
    project_id: record.projectId,
    space_id: record.spaceId,
    request_id: record.requestId,
    instance: record.instance,
  };
}
