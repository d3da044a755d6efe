/**
 * A project, its spaces and its registered databases, and the picture of all of them that a request uses.
 * Knows nothing of where they are kept.
 */
import { apiError } from '../errors.ts';
import type { DbType, Entry } from './entry.ts';
import type { Organization, OrgScope } from './org.ts';

export interface ProjectScope extends OrgScope {
  readonly projectId: string;
}

export interface SpaceScope extends ProjectScope {
  readonly spaceId: string;
}

export interface Project extends ProjectScope {
  readonly name: string;
  /** Its name in paths, unique in its organization. */
  readonly abbreviation: string;
  readonly description: string;
  readonly createdAt: string;
}

export const SPACE_NAMES = ['dev', 'staging', 'prod'] as const;
export type SpaceName = (typeof SPACE_NAMES)[number];

export interface Space {
  readonly spaceId: string;
  readonly name: SpaceName;
  /** It has personas, so that not everyone may do everything. */
  readonly isGuarded?: boolean;
}

/** An entry whose stored password cannot be decrypted (a lost key, a damaged record). Only requests to this entry fail. */
export interface UnreadableEntry {
  readonly id: string;
  readonly reason: string;
}

/** Everything that a request needs to know about its project: one immutable picture, replaced as a whole on a change. */
export interface ProjectContext {
  readonly org: Organization;
  readonly project: Project;
  readonly spaces: ReadonlyMap<string, Space>;
  /** Registered databases by `entryKey`, in order of registration. */
  readonly entries: ReadonlyMap<string, Entry>;
  readonly unreadable: ReadonlyMap<string, UnreadableEntry>;
}

export function entryKey(type: DbType, database: string): string {
  return `${type}/${database}`;
}

/** Finds the registered database of that type and name, or throws the error that says why not. */
export function findEntry(context: ProjectContext, type: DbType, database: string): Entry {
  const key = entryKey(type, database);
  const entry = context.entries.get(key);
  if (entry !== undefined) return entry;
  const unreadable = context.unreadable.get(key);
  if (unreadable !== undefined) throw apiError('record_unreadable', `${type}/${database}`, unreadable.id);
  throw apiError('database_unknown', type, database);
}
