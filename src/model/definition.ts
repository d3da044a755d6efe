/**
 * A stored version of a Custom API definition, and the order of versions. Does not parse documents.
 */
export const DEFINITION_METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type DefinitionMethod = (typeof DEFINITION_METHODS)[number];

/** Tables and Lark modules that a definition uses. */
export interface DefinitionUses {
  readonly tables: readonly string[];
  readonly modules: readonly string[];
}

/** Parts of a document that lists show, so that they need not parse it. */
export interface DefinitionHead {
  readonly permission: readonly string[];
  readonly summary: string | null;
  /** For example `pg/shop`. */
  readonly database: string;
}

/** The fields of a definition in a list. */
export interface DefinitionSummary {
  readonly definitionId: string;
  readonly uri: string;
  readonly method: DefinitionMethod;
  /** As the author wrote it: `1.10` stays `1.10`. */
  readonly version: string;
  readonly featureId: string;
  readonly userId: string;
  readonly rollbackVersion: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastFailureAt: string | null;
  readonly lastFailureMessage: string | null;
  readonly uses: DefinitionUses;
  /** `undefined` if an older version of the service deployed the definition. */
  readonly head: DefinitionHead | undefined;
  /** Changes with the content of the definition. Compiled code is cached by it. */
  readonly revision: string;
}

export interface Definition extends DefinitionSummary {
  /** YAML source, with the database password masked. */
  readonly document: string;
  /** Database password in plain text; `null` if the document has none. Never leaves the process. */
  readonly password: string | null;
  /** Reason why the stored password cannot be decrypted. Such a definition cannot be called. */
  readonly unreadable: string | null;
}

/** A definition before it is stored. The store adds ids and times. */
export interface DefinitionDraft {
  readonly uri: string;
  readonly method: DefinitionMethod;
  readonly version: string;
  readonly featureId: string;
  readonly userId: string;
  readonly rollbackVersion: string | null;
  readonly document: string;
  readonly password: string | null;
  readonly uses?: DefinitionUses;
  readonly head?: DefinitionHead;
}

/** Removes the names in braces: `orders/{id}` and `orders/{nr}` are one endpoint. */
export function shapeOf(uri: string): string {
  return uri.includes('{') ? uri.replace(/\{[^/}]*\}/g, '{}') : uri;
}

/** All deployed versions of a uri in a space. */
export interface Endpoint {
  /** Uri without the names in braces, which differ between versions. */
  readonly uri: string;
  /** Versions by method, the highest first. */
  readonly versions: ReadonlyMap<DefinitionMethod, readonly Definition[]>;
}

const VERSION = /^(\d{1,16})(?:\.(\d{1,16}))?(?:\.(\d{1,16}))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;
const MAX_VERSION_LENGTH = 128;

/** Prefixes digits with their count, so that string order is numeric order. */
function sortableNumber(digits: string): string {
  const plain = digits.replace(/^0+(?=.)/, '');
  return `${String(plain.length).padStart(3, '0')}${plain}`;
}

/** Sort key of a pre-release identifier: numbers sort before words. */
function sortableIdentifier(identifier: string): string {
  return /^\d+$/.test(identifier) ? `0${sortableNumber(identifier)}` : `1${identifier}`;
}

/**
 * Returns a string whose order by character code is the order of semver. Missing numbers are 0.
 * Identifiers are joined by a blank, which sorts before all their characters. `undefined` if the
 * text is not a version.
 */
export function versionSortKey(version: string): string | undefined {
  if (version.length > MAX_VERSION_LENGTH) return undefined;
  const match = VERSION.exec(version);
  if (match === null) return undefined;
  const numbers = [match[1] ?? '0', match[2] ?? '0', match[3] ?? '0'].map(sortableNumber).join('.');
  const prerelease = match[4];
  return prerelease === undefined ? `${numbers}~` : `${numbers}-${prerelease.split('.').map(sortableIdentifier).join(' ')}`;
}

export function compareVersions(left: string, right: string): number {
  const a = versionSortKey(left) ?? '';
  const b = versionSortKey(right) ?? '';
  return a < b ? -1 : a > b ? 1 : 0;
}
