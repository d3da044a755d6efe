/**
 * Manages organizations. Independent of HTTP. Permissions are checked before, except for the limits
 * of Power Tokens.
 */
import { apiError } from '../errors.ts';
import type { Caller } from '../model/caller.ts';
import { ABBREVIATION, type Organization } from '../model/org.ts';
import { newUlid, parseUlid } from '../model/ulid.ts';
import type { Store } from '../store/store.ts';
import type { PlainValue } from '../util/text/decimal.ts';
import { document, done, type ManageAnswer } from './answer.ts';
import { BodyFields, matching, type TextRule } from './fields.ts';

export const abbreviationRule: TextRule = matching(
  ABBREVIATION,
  'must begin with a lower-case letter and have at most 63 lower-case letters, digits and hyphens',
);

const emailRule = matching(/^[^\s@]+@[^\s@]+$/, 'is not an e-mail address');

function describe(org: Organization): object {
  return {
    org_id: org.orgId,
    name: org.name,
    abbreviation: org.abbreviation,
    admin_email: org.adminEmail,
    admin_name: org.adminName,
    address: org.address,
    state: org.state,
    country: org.country,
    pin_code: org.pinCode,
    created_at: org.createdAt,
    created_by: org.createdBy,
  };
}

/** Postal codes are strings with leading zeros, but some clients send numbers. */
function readPinCode(fields: BodyFields): string | null {
  const value = fields.value('pin_code');
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : fields.optionalText('pin_code');
}

/** Reads the optional contact fields. */
function readContact(fields: BodyFields): Pick<Organization, 'adminEmail' | 'adminName' | 'address' | 'state' | 'country' | 'pinCode'> {
  return {
    adminEmail: fields.optionalText('admin_email', emailRule),
    adminName: fields.optionalText('admin_name'),
    address: fields.optionalText('address'),
    state: fields.optionalText('state'),
    country: fields.optionalText('country'),
    pinCode: readPinCode(fields),
  };
}

/** Rejects Power Tokens: each belongs to one organization and cannot manage others. */
function rejectToken(caller: Caller): void {
  if (caller.tokenId !== undefined) throw apiError('token_scope');
}

/** `reserved` contains the first path segments of the service's own routes. */
export async function createOrg(store: Store, caller: Caller, body: PlainValue, reserved: ReadonlySet<string>): Promise<ManageAnswer> {
  rejectToken(caller);
  const fields = BodyFields.of(body);
  const org: Organization = {
    orgId: fields.optionalUlid('org_id') ?? newUlid(),
    name: fields.text('name'),
    abbreviation: fields.text('abbreviation', abbreviationRule),
    ...readContact(fields),
    createdAt: new Date().toISOString(),
    createdBy: caller.userId,
  };
  fields.finish();
  if (reserved.has(org.abbreviation)) throw apiError('abbreviation_reserved', org.abbreviation);
  const outcome = await store.createOrganization(org);
  if (outcome.kind === 'exists') return done(208, 'The organization exists already; nothing was changed.', { org_id: outcome.org.orgId });
  return done(201, 'The organization was created.', { org_id: org.orgId, abbreviation: org.abbreviation });
}

/** Returns the sent fields whose values differ from the stored ones. */
export function differing<T extends object>(before: T, sent: { readonly [K in keyof T]?: T[K] | null }): Partial<T> {
  const pairs = Object.entries(sent).filter(([name, value]) => value !== null && value !== before[name as keyof T]);
  return Object.fromEntries(pairs) as Partial<T>;
}

/**
 * Parses the id of the organization to change or delete, which never defaults to that of the
 * context.
 */
export function requireOrgId(orgId: string | undefined): string {
  if (orgId === undefined) throw apiError('missing_parameter', 'org_id');
  const id = parseUlid(orgId);
  if (id === undefined) throw apiError('bad_parameter', 'org_id', 'it is not a ULID');
  return id;
}

export const notEmpty: TextRule = (text) => (text.trim() === '' ? 'must not be empty' : undefined);

/**
 * Changes the sent fields only. A new abbreviation takes effect at once: the old path responds 403.
 */
export async function changeOrg(
  store: Store,
  caller: Caller,
  orgId: string | undefined,
  body: PlainValue,
  reserved: ReadonlySet<string>,
): Promise<ManageAnswer> {
  rejectToken(caller);
  const id = requireOrgId(orgId);
  const fields = BodyFields.of(body);
  const sent = {
    name: fields.optionalText('name', notEmpty),
    abbreviation: fields.optionalText('abbreviation', abbreviationRule),
    ...readContact(fields),
  };
  fields.finish();
  if (sent.abbreviation !== null && reserved.has(sent.abbreviation)) throw apiError('abbreviation_reserved', sent.abbreviation);
  const before = await store.organization(id);
  if (before === undefined) throw apiError('org_unknown');
  const draft = differing<Organization>(before, sent as Partial<Organization>);
  const outcome = await store.changeOrganization(id, draft);
  if (outcome === 'unknown') throw apiError('org_unknown');
  if (outcome === 'abbreviation_taken') throw apiError('abbreviation_taken', sent.abbreviation ?? '');
  const answer = done(200, 'The organization was changed.', { org_id: id, abbreviation: draft.abbreviation ?? before.abbreviation });
  return { ...answer, changed: Object.keys(draft) };
}

export async function deleteOrg(store: Store, caller: Caller, orgId: string | undefined): Promise<ManageAnswer> {
  rejectToken(caller);
  const id = requireOrgId(orgId);
  const outcome = await store.deleteOrganization(id);
  if (outcome === 'unknown') throw apiError('org_unknown');
  if (outcome === 'has_projects') throw apiError('org_not_empty');
  return done(200, 'The organization was deleted.', { org_id: id });
}

export async function getOrg(store: Store, caller: Caller, orgId: string | undefined): Promise<ManageAnswer> {
  const id = requireOrgId(orgId);
  if (id !== caller.orgId) rejectToken(caller);
  const org = await store.organization(id);
  if (org === undefined) throw apiError('org_unknown');
  return document(describe(org));
}

export async function listOrgs(store: Store, caller: Caller): Promise<ManageAnswer> {
  rejectToken(caller);
  return document((await store.listOrganizations()).map(describe));
}
