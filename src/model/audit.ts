/** Audit records: who changed what, when, and by which request. Values are never part of them. */
import type { SpaceScope } from './project.ts';

/** The caller that makes changes, and its request. */
export interface ChangeAuthor extends Partial<SpaceScope> {
  readonly userId: string;
  readonly tokenId?: string | undefined;
  readonly roles: ReadonlySet<string>;
  readonly requestId: string;
}

/** A change as the store describes it. Ids of its scope override those of the author. */
export interface AuditedChange {
  /** For example `definition.deploy`. */
  readonly action: string;
  /** Ids and names of the changed record. */
  readonly object: string;
  /** Names of the changed fields. */
  readonly changed?: readonly string[] | undefined;
  /** Status of the response. */
  readonly status: number;
  readonly scope: Partial<SpaceScope>;
}

export interface AuditRecord {
  readonly auditId: string;
  readonly at: string;
  readonly action: string;
  readonly object: string;
  readonly changed: readonly string[] | null;
  readonly status: number;
  readonly userId: string;
  readonly tokenId: string | null;
  readonly roles: readonly string[];
  readonly orgId: string | null;
  readonly projectId: string | null;
  readonly spaceId: string | null;
  readonly requestId: string;
  readonly instance: string;
}

/** Absent fields do not restrict. */
export interface AuditFilter {
  readonly orgId?: string | undefined;
  readonly projectId?: string | undefined;
  /** ISO timestamps: from inclusive, to exclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly userId?: string | undefined;
  /** An action, or all of a noun: `definition.*`. */
  readonly action?: string | undefined;
  /** A text in the object. */
  readonly object?: string | undefined;
}
