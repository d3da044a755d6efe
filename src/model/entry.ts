/**
 * A registered database: where it is, how to log in, and how many connections it may have. The password is in plain text, so an Entry never
 * leaves the process. The store keeps it encrypted.
 */
import type { DeclaredKey } from './relation.ts';

/** The short name of a database engine. The registry knows which engines there are. */
export type DbType = string;

export interface Host {
  readonly host: string;
  readonly port: number;
}

export type TlsMode = 'disable' | 'prefer' | 'require' | 'verify-full';

export interface Entry {
  /** Stable for one set of values. A changed entry has another id, and its old connections drain away. */
  readonly id: string;
  /** Whose entry it is; absent for the database of a definition. */
  readonly projectId?: string;
  readonly type: DbType;
  readonly database: string;
  /** What paths, references and metadata call it; the database's own name when nothing else is said. */
  readonly alias?: string;
  /** The names of the spaces that it is for; all of them when nothing else is said. */
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
  /** How long one statement may run. */
  readonly queryTimeoutSecs: number;
  /** How tables belong together where the database does not say so itself (views, tables without foreign keys). */
  readonly relations?: readonly DeclaredKey[];
  /** Nothing is written through it: refused before it is sent, and by the session where the engine can. */
  readonly readOnly?: boolean;
}

/** Whose turns of the event loop, and whose memory, work on the database takes. */
export function ownerOf({ projectId, id }: Entry): string {
  return projectId ?? id;
}
