/**
 * Organizations in the management API: create, get, list, change, delete. Knows nothing of HTTP. Permissions are checked before, except what a Power Token may reach.
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

/** Postal codes are text with leading zeros; some clients send a number. */
function readPinCode(fields: BodyFields): string | null {
  const value = fields.value('pin_code');
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : fields.optionalText('pin_code');
}

/** Whom to write to: the fields that may be left out. */
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

/** A token belongs to one organization and cannot act for another, nor for the whole service. */
function refuseToken(caller: Caller): void {
  if (caller.tokenId !== undefined) throw apiError('token_scope');
}

/** `reserved` are the first path segments that the service answers itself. */
export async function createOrg(store: Store, caller: Caller, body: PlainValue, reserved: ReadonlySet<string>): Promise<ManageAnswer> {
  refuseToken(caller);
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

/** The fields that are given and that are no longer what they were. */
export function differing<T extends object>(before: T, given: { readonly [K in keyof T]?: T[K] | null }): Partial<T> {
  const pairs = Object.entries(given).filter(([name, value]) => value !== null && value !== before[name as keyof T]);
  return Object.fromEntries(pairs) as Partial<T>;
}

/** What is deleted or changed must be named by its id; it is never taken from the context. */
export function namedOrg(orgId: string | undefined): string {
  if (orgId === undefined) throw apiError('missing_parameter', 'org_id');
  const id = parseUlid(orgId);
  if (id === undefined) throw apiError('bad_parameter', 'org_id', 'it is not a ULID');
  return id;
}

/** A name that must not be empty, where one is given. */
export const notEmpty: TextRule = (text) => (text.trim() === '' ? 'must not be empty' : undefined);

/** Only what is sent is changed. A new abbreviation is a new path, at once: the old one is 403. */
export async function changeOrg(
  store: Store,
  caller: Caller,
  orgId: string | undefined,
  body: PlainValue,
  reserved: ReadonlySet<string>,
): Promise<ManageAnswer> {
  refuseToken(caller);
  const id = namedOrg(orgId);
  const fields = BodyFields.of(body);
  const given = {
    name: fields.optionalText('name', notEmpty),
    abbreviation: fields.optionalText('abbreviation', abbreviationRule),
    ...readContact(fields),
  };
  fields.finish();
  if (given.abbreviation !== null && reserved.has(given.abbreviation)) throw apiError('abbreviation_reserved', given.abbreviation);
  const before = await store.organization(id);
  if (before === undefined) throw apiError('org_unknown');
  const draft = differing<Organization>(before, given as Partial<Organization>);
  const outcome = await store.changeOrganization(id, draft);
  if (outcome === 'unknown') throw apiError('org_unknown');
  if (outcome === 'abbreviation_taken') throw apiError('abbreviation_taken', given.abbreviation ?? '');
  const answer = done(200, 'The organization was changed.', { org_id: id, abbreviation: draft.abbreviation ?? before.abbreviation });
  return { ...answer, changed: Object.keys(draft) };
}

export async function deleteOrg(store: Store, caller: Caller, orgId: string | undefined): Promise<ManageAnswer> {
  refuseToken(caller);
  const id = namedOrg(orgId);
  const outcome = await store.deleteOrganization(id);
  if (outcome === 'unknown') throw apiError('org_unknown');
  if (outcome === 'has_projects') throw apiError('org_not_empty');
  return done(200, 'The organization was deleted.', { org_id: id });
}

export async function getOrg(store: Store, caller: Caller, orgId: string | undefined): Promise<ManageAnswer> {
  const id = namedOrg(orgId);
  if (id !== caller.orgId) refuseToken(caller);
  const org = await store.organization(id);
  if (org === undefined) throw apiError('org_unknown');
  return document(describe(org));
}

export async function listOrgs(store: Store, caller: Caller): Promise<ManageAnswer> {
  refuseToken(caller);
  return document((await store.listOrganizations()).map(describe));
}
