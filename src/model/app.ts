/** An app as it is stored: a page that a space shows to callers with certain roles. */

export const APP_NAME = /^[a-z][a-z0-9_-]{0,62}$/;

/** Fields that decide who may open an app, and how lists show it. */
export interface AppSummary {
  readonly app: string;
  readonly title: string;
  /** Roles that may open the app. */
  readonly permission: readonly string[];
  readonly userId: string;
  readonly updatedAt: string;
  /** Changes with the content of the app. */
  readonly revision: string;
}

export interface AppRecord extends AppSummary {
  /** JSON. */
  readonly document: string;
  /** The YAML that was sent; `null` if the document was sent as JSON. */
  readonly source: string | null;
}

/** An app before it is stored. */
export type AppDraft = Omit<AppRecord, 'updatedAt' | 'revision'>;

/** The apps of a space, ordered by name. Immutable: a change replaces the map. */
export type Apps = ReadonlyMap<string, AppSummary>;

export type AppAction = 'create' | 'replace' | 'copy' | 'revert' | 'delete';

/** An app as it was stored or deleted. */
export interface AppRevision {
  readonly revisionId: string;
  readonly app: string;
  readonly action: AppAction;
  readonly userId: string;
  readonly at: string;
  readonly document: string;
  readonly source: string | null;
}
