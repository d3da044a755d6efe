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
  readonly type: DbType;
  readonly alias: string;
  readonly spaces: readonly string[];
  readonly reason: string;
}

/** Everything that a request needs to know about its project: one immutable picture, replaced as a whole on a change. */
export interface ProjectContext {
  readonly org: Organization;
  readonly project: Project;
  readonly spaces: ReadonlyMap<string, Space>;
  /** Registered databases in order of registration: of a space by `entryKey`, of the whole project by `registryKey`. */
  readonly entries: ReadonlyMap<string, Entry>;
  readonly unreadable: ReadonlyMap<string, UnreadableEntry>;
}

export function entryKey(type: DbType, database: string): string {
  return `${type}/${database}`;
}

/** Unique in a project, where a type and an alias may stand for one database in one space and for another one in the next. */
export function registryKey(type: DbType, alias: string, spaces: readonly string[]): string {
  return spaces.length === SPACE_NAMES.length ? entryKey(type, alias) : `${entryKey(type, alias)} (${spaces.join(',')})`;
}

const views = new WeakMap<ProjectContext, Map<string, ProjectContext>>();

/** The picture of a project as one of its spaces has it: with the databases of that space. */
export function inSpace(context: ProjectContext, spaceId: string | undefined): ProjectContext {
  const name = context.spaces.get(spaceId ?? '')?.name ?? 'dev';
  let known = views.get(context);
  if (known === undefined) {
    known = new Map();
    views.set(context, known);
  }
  let view = known.get(name);
  if (view === undefined) {
    view = viewOf(context, name);
    known.set(name, view);
  }
  return view;
}

function viewOf(context: ProjectContext, space: SpaceName): ProjectContext {
  const ofAll = (spaces: readonly string[] | undefined): boolean => spaces === undefined || spaces.includes(space);
  const entries = [...context.entries.values()].filter((entry) => ofAll(entry.spaces));
  const unreadable = [...context.unreadable.values()].filter((entry) => ofAll(entry.spaces));
  return {
    ...context,
    entries: new Map(entries.map((entry) => [entryKey(entry.type, entry.alias ?? entry.database), entry])),
    unreadable: new Map(unreadable.map((entry) => [entryKey(entry.type, entry.alias), entry])),
  };
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
