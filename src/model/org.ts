/**
 * An organization: the outermost tenant. Knows nothing of where it is kept.
 */
export interface OrgScope {
  readonly orgId: string;
}

export interface Organization extends OrgScope {
  readonly name: string;
  /** Its name in paths, unique in the service. */
  readonly abbreviation: string;
  readonly adminEmail: string | null;
  readonly adminName: string | null;
  readonly address: string | null;
  readonly state: string | null;
  readonly country: string | null;
  readonly pinCode: string | null;
  readonly createdAt: string;
  readonly createdBy: string;
}

/** What organizations and projects may be called in paths. */
export const ABBREVIATION = /^[a-z][a-z0-9-]{0,62}$/;
