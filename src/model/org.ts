/** An organization: the outermost tenant. Independent of storage. */
export interface OrgScope {
  readonly orgId: string;
}

export interface Organization extends OrgScope {
  readonly name: string;
  /** Name in paths, unique in the service. */
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

/** Name of an organization or project in paths. */
export const ABBREVIATION = /^[a-z][a-z0-9-]{0,62}$/;
