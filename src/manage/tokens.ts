/**
 * Power Tokens in the management API: create, list, delete. The token itself appears once, in the answer that creates it.
 * Knows nothing of HTTP, nor of how a token is used.
 */
import { apiError } from '../errors.ts';
import type { ProjectCaller, SpaceCaller } from '../model/caller.ts';
import { type Claims, InvalidClaims, readClaims } from '../model/claims.ts';
import type { Personas } from '../model/persona.ts';
import { hashToken, KEY_TYPES, newToken, type PowerToken } from '../model/power-token.ts';
import { newUlid, parseUlid } from '../model/ulid.ts';
import type { UserIds } from '../model/user-id.ts';
import type { Store } from '../store/store.ts';
import { writeJson } from '../util/json/json.ts';
import type { PlainValue } from '../util/text/decimal.ts';
import { document, done, type ManageAnswer } from './answer.ts';
import { BodyFields, shown } from './fields.ts';

const MOST_ROLES = 64;
const LONGEST_ROLE = 128;
const STANDARD_PAGE = 100;

/** RFC 3339 in its usual spelling, which is also the one that `Date.parse` promises to read. */
const RFC_3339 = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

function parseMoment(text: string): number | undefined {
  const day = RFC_3339.exec(text)?.[1];
  if (day === undefined) return undefined;
  const moment = Date.parse(text);
  // The parser reads 30 February as 1 March. A day that does not come back as it was written does not exist.
  const exists = !Number.isNaN(Date.parse(day)) && new Date(Date.parse(day)).toISOString().startsWith(day);
  return Number.isNaN(moment) || !exists ? undefined : moment;
}

function roleProblem(roles: readonly string[]): string | undefined {
  if (roles.length === 0) return 'must have at least one role';
  if (roles.length > MOST_ROLES) return `must not have more than ${MOST_ROLES} roles`;
  if (roles.some((role) => role === '' || role.length > LONGEST_ROLE)) return `must have roles of 1 to ${LONGEST_ROLE} characters`;
  return roles.some((role) => /[,\u0000-\u001f]/.test(role)) ? 'must not have a comma or a control character in a role' : undefined;
}

/** A list of names, or one text with commas, as the header has it. */
function readRoles(fields: BodyFields): ReadonlySet<string> {
  const value = fields.value('roles');
  const listed: readonly unknown[] = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
  const names = listed.filter((name) => typeof name === 'string').map((name) => name.trim());
  if (value === undefined) fields.malformed('roles', 'is missing');
  else if ((typeof value !== 'string' && !Array.isArray(value)) || names.length !== listed.length)
    fields.malformed('roles', 'must be a list of strings or a comma-separated string');
  else {
    const why = roleProblem(names);
    if (why !== undefined) fields.refused('roles', why);
  }
  return new Set(names);
}

/** As much as the header could carry, and no deeper. */
function readTokenClaims(fields: BodyFields): Claims | null {
  const value = fields.value('claims');
  if (value === undefined) return null;
  if (!(value instanceof Map)) {
    fields.malformed('claims', 'must be an object');
    return null;
  }
  try {
    return readClaims(writeJson(value));
  } catch (error) {
    if (!(error instanceof InvalidClaims)) throw error;
    fields.refused('claims', `cannot be taken: ${error.message}`);
    return null;
  }
}

async function personasOf(store: Store, { orgId, projectId, spaceId }: SpaceCaller): Promise<Personas> {
  return (await store.personas(orgId, projectId, spaceId)) ?? new Map();
}

function readExpiry(fields: BodyFields, now: number): string | null {
  return fields.optionalText('expires_at', (text) => {
    const moment = parseMoment(text);
    if (moment === undefined) return 'is not a time as RFC 3339 writes it, such as 2030-01-31T12:00:00Z';
    return moment <= now ? 'is in the past' : undefined;
  });
}

function describe(token: PowerToken): object {
  return {
    token_id: token.tokenId,
    name: token.name,
    description: token.description,
    key_type: token.keyType,
    roles: [...token.roles],
    user_id: token.userId,
    feature_id: token.featureId,
    org_id: token.orgId,
    project_id: token.projectId,
    space_id: token.spaceId,
    created_at: token.createdAt,
    expires_at: token.expiresAt,
    persona: token.persona,
    claims: token.claims,
  };
}

export async function createToken(store: Store, caller: SpaceCaller, body: PlainValue, userIds: UserIds = 'ulid'): Promise<ManageAnswer> {
  const fields = BodyFields.of(body);
  const now = Date.now();
  const secret = newToken();
  const keyType = fields.choice('key_type', KEY_TYPES);
  const expiresAt = readExpiry(fields, now);
  const token: PowerToken = {
    orgId: caller.orgId,
    projectId: caller.projectId,
    spaceId: caller.spaceId,
    tokenId: newUlid(),
    hash: hashToken(secret),
    name: fields.text('name', undefined, 200),
    description: fields.optionalText('description') ?? '',
    keyType: keyType ?? 'r--',
    roles: readRoles(fields),
    userId: fields.optionalUserId('user_id', userIds) ?? caller.userId,
    featureId: fields.optionalUlid('feature_id'),
    persona: fields.optionalText('persona'),
    claims: readTokenClaims(fields),
    createdAt: new Date(now).toISOString(),
    expiresAt,
    expiresAtMs: expiresAt === null ? Number.POSITIVE_INFINITY : (parseMoment(expiresAt) ?? 0),
  };
  if (token.persona !== null && !(await personasOf(store, caller)).has(token.persona))
    fields.refused('persona', `${shown(token.persona)} is no persona of this space`);
  fields.finish();
  const outcome = await store.createToken(token);
  if (outcome === 'name_taken') throw apiError('token_name_taken', token.name);
  if (outcome === 'project_unknown') throw await unknownPlace(store, caller);
  return done(201, 'The token was created; it is shown this once and cannot be recovered.', {
    ...describe(token),
    power_token: secret,
  });
}

async function unknownPlace(store: Store, { orgId, projectId }: SpaceCaller) {
  if ((await store.organization(orgId)) === undefined) return apiError('org_unknown');
  return (await store.projectContext(orgId, projectId)) === undefined ? apiError('project_unknown') : apiError('space_unknown');
}

function readPageNumber(name: string, text: string | undefined, standard: number, least: number, most: number): number {
  if (text === undefined) return standard;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw apiError('paging_invalid', name, `it must be a whole number between ${least} and ${most}`);
}

export async function listTokens(
  store: Store,
  caller: ProjectCaller,
  paging: { readonly pg: string | undefined; readonly ps: string | undefined },
  maxPageSize: number,
): Promise<ManageAnswer> {
  const limit = readPageNumber('ps', paging.ps, Math.min(STANDARD_PAGE, maxPageSize), 1, maxPageSize);
  const page = readPageNumber('pg', paging.pg, 0, 0, 999_999_999);
  return document((await store.listTokens(caller, { offset: page * limit, limit })).map(describe));
}

export async function deleteToken(store: Store, caller: ProjectCaller, tokenId: string | undefined): Promise<ManageAnswer> {
  if (tokenId === undefined) throw apiError('missing_parameter', 'token_id');
  const id = parseUlid(tokenId);
  if (id === undefined || !(await store.deleteToken(caller, id))) throw apiError('token_id_unknown', tokenId);
  return done(200, 'The token was deleted; it is refused from now on.');
}
