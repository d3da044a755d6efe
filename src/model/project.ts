/** A project, its spaces and its registered databases. Independent of storage. */
import { apiError } from '../errors.ts';
import { memo } from '../util/memo.ts';
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
  /** Name in paths, unique in the organization. */
  readonly abbreviation: string;
  readonly description: string;
  readonly createdAt: string;
}

export const SPACE_NAMES = ['dev', 'staging', 'prod'] as const;
export type SpaceName = (typeof SPACE_NAMES)[number];

export interface Space {
  readonly spaceId: string;
  readonly name: SpaceName;
  /** `true` if the space has personas. */
  readonly isGuarded?: boolean;
}

/** An entry whose stored password cannot be decrypted. Only requests to this entry fail. */
export interface UnreadableEntry {
  readonly id: string;
  readonly type: DbType;
  readonly alias: string;
  readonly spaces: readonly string[];
  readonly reason: string;
}

/** Everything that a request needs of its project. Immutable: a change replaces the object. */
export interface ProjectContext {
  readonly org: Organization;
  readonly project: Project;
  readonly spaces: ReadonlyMap<string, Space>;
  /**
   * Databases in order of registration, by `entryKey` in a space and by `registryKey` in the whole
   * project.
   */
  readonly entries: ReadonlyMap<string, Entry>;
  readonly unreadable: ReadonlyMap<string, UnreadableEntry>;
}

export function entryKey(type: DbType, database: string): string {
  return `${type}/${database}`;
}

/** Key that is unique in a project: an alias may mean different databases in different spaces. */
export function registryKey(type: DbType, alias: string, spaces: readonly string[]): string {
  return spaces.length === SPACE_NAMES.length ? entryKey(type, alias) : `${entryKey(type, alias)} (${spaces.join(',')})`;
}

const viewsOf = memo((_: ProjectContext) => new Map<SpaceName, ProjectContext>());

/** Returns the project with the databases of one space. */
export function inSpace(context: ProjectContext, spaceId: string | undefined): ProjectContext {
  const name = context.spaces.get(spaceId ?? '')?.name ?? 'dev';
  const views = viewsOf(context);
  const view = views.get(name) ?? viewOf(context, name);
  views.set(name, view);
  return view;
}

function viewOf(context: ProjectContext, space: SpaceName): ProjectContext {
  const isUsable = (spaces: readonly string[] | undefined): boolean => spaces === undefined || spaces.includes(space);
  const entries = [...context.entries.values()].filter((entry) => isUsable(entry.spaces));
  const unreadable = [...context.unreadable.values()].filter((entry) => isUsable(entry.spaces));
  return {
    ...context,
    entries: new Map(entries.map((entry) => [entryKey(entry.type, entry.alias ?? entry.database), entry])),
    unreadable: new Map(unreadable.map((entry) => [entryKey(entry.type, entry.alias), entry])),
  };
}

/** Returns the registered database, or throws an error with the reason. */
export function findEntry(context: ProjectContext, type: DbType, database: string): Entry {
  const key = entryKey(type, database);
  const entry = context.entries.get(key);
  if (entry !== undefined) return entry;
  const unreadable = context.unreadable.get(key);
  if (unreadable !== undefined) throw apiError('record_unreadable', `${type}/${database}`, unreadable.id);
  throw apiError('database_unknown', type, database);
}
