/**
 * A stored version of a Custom API definition, and the order of versions. Knows nothing of what the document says.
 */
export const DEFINITION_METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type DefinitionMethod = (typeof DEFINITION_METHODS)[number];

/** Tables and Lark modules that the steps of a definition name. */
export interface DefinitionUses {
  readonly tables: readonly string[];
  readonly modules: readonly string[];
}

/** The fields of a definition in a list. */
export interface DefinitionSummary {
  readonly definitionId: string;
  readonly uri: string;
  readonly method: DefinitionMethod;
  /** As written: `1.10` stays `1.10`. */
  readonly version: string;
  readonly featureId: string;
  readonly userId: string;
  readonly rollbackVersion: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastFailureAt: string | null;
  readonly lastFailureMessage: string | null;
  readonly uses: DefinitionUses;
  /** Differs between any two contents of this definition_id. Compiled code is cached by it. */
  readonly revision: string;
}

export interface Definition extends DefinitionSummary {
  /** The YAML text as it was sent, without the database password. */
  readonly document: string;
  /** The database password in plain text, or null when the document has none. It never leaves the process. */
  readonly password: string | null;
  /** Why the stored password cannot be read (a lost key, a damaged record); such a definition cannot be called. */
  readonly unreadable: string | null;
}

/** What the caller decides about a definition. The store adds ids and times. */
export interface DefinitionDraft {
  readonly uri: string;
  readonly method: DefinitionMethod;
  readonly version: string;
  readonly featureId: string;
  readonly userId: string;
  readonly rollbackVersion: string | null;
  readonly document: string;
  readonly password: string | null;
  /** Nothing when it is not said. */
  readonly uses?: DefinitionUses;
}

/** A uri without the names in its braces: `orders/{id}` and `orders/{nr}` are one endpoint. */
export function shapeOf(uri: string): string {
  return uri.includes('{') ? uri.replace(/\{[^/}]*\}/g, '{}') : uri;
}

/** All deployed versions of one uri in one space, from which a call chooses. */
export interface Endpoint {
  /** Its shape; the versions have their own names in the braces. */
  readonly uri: string;
  /** By method, the highest version first. */
  readonly versions: ReadonlyMap<DefinitionMethod, readonly Definition[]>;
}

const VERSION = /^(\d{1,16})(?:\.(\d{1,16}))?(?:\.(\d{1,16}))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;
const LONGEST_VERSION = 128;

/** Digits behind their count, so that comparing characters compares numbers. */
function sortableNumber(digits: string): string {
  const plain = digits.replace(/^0+(?=.)/, '');
  return `${String(plain.length).padStart(3, '0')}${plain}`;
}

/** Identifiers of a pre-release: numbers come before words, and a blank, which sorts before every character of both, ends each. */
function sortableIdentifier(identifier: string): string {
  return /^\d+$/.test(identifier) ? `0${sortableNumber(identifier)}` : `1${identifier}`;
}

/**
 * A text whose order by character codes is semver's order (missing numbers are 0, a pre-release comes before its release); undefined when the
 * text is not a version.
 */
export function versionSortKey(version: string): string | undefined {
  if (version.length > LONGEST_VERSION) return undefined;
  const match = VERSION.exec(version);
  if (match === null) return undefined;
  const numbers = [match[1] ?? '0', match[2] ?? '0', match[3] ?? '0'].map(sortableNumber).join('.');
  const prerelease = match[4];
  return prerelease === undefined ? `${numbers}~` : `${numbers}-${prerelease.split('.').map(sortableIdentifier).join(' ')}`;
}

/** Compares two versions: negative, zero or positive. */
export function compareVersions(left: string, right: string): number {
  const a = versionSortKey(left) ?? '';
  const b = versionSortKey(right) ?? '';
  return a < b ? -1 : a > b ? 1 : 0;
}
