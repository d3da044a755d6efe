/**
 * A registered database: hosts, credentials, limits. The password is in plain text, so an Entry
 * never leaves the process; the store encrypts it.
 */
import type { DeclaredKey } from './relation.ts';

/** Short name of a database engine, as in the registry. */
export type DbType = string;

export interface Host {
  readonly host: string;
  readonly port: number;
}

export type TlsMode = 'disable' | 'prefer' | 'require' | 'verify-full';

export interface Entry {
  /**
   * Identifies one set of values. A changed entry gets a new id, and the connections of the old one
   * drain.
   */
  readonly id: string;
  /** Absent for the database of a definition. */
  readonly projectId?: string;
  readonly type: DbType;
  readonly database: string;
  /** Name in paths, references and metadata; by default the name of the database. */
  readonly alias?: string;
  /** Names of the spaces that may use it; by default all. */
  readonly spaces?: readonly string[];
  readonly hosts: readonly Host[];
  readonly username: string;
  readonly password: string;
  readonly tls: TlsMode;
  readonly ca?: string;
  readonly connectTimeoutSecs: number;
  readonly idleTimeoutSecs: number;
  readonly maxOpenConnections: number;
  readonly maxIdleConnections: number;
  /** Time limit of a statement. */
  readonly queryTimeoutSecs: number;
  /** Declared relations between tables without foreign keys, and of views. */
  readonly relations?: readonly DeclaredKey[];
  /** Rejects writes before they are sent, and in the session if the engine supports that. */
  readonly readOnly?: boolean;
}

/** `true` if both log in to the same hosts as the same user. */
export function isSameLogin(one: Pick<Entry, 'hosts' | 'username'>, other: Pick<Entry, 'hosts' | 'username'>): boolean {
  return one.username === other.username && JSON.stringify(one.hosts) === JSON.stringify(other.hosts);
}

/** Tenant that event-loop time and memory of work on the database are charged to. */
export function tenantOf({ projectId, id }: Entry): string {
  return projectId ?? id;
}
