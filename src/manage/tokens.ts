/**
 * Manages Power Tokens: create, list, delete. Only the response of the creation contains the token
 * itself.
 */
import { apiError } from '../errors.ts';
import type { ProjectCaller, SpaceCaller } from '../model/caller.ts';
import { type Claims, InvalidClaims, readClaims } from '../model/claims.ts';
import type { Personas } from '../model/persona.ts';
import { hashToken, KEY_TYPES, newToken, type PowerToken } from '../model/power-token.ts';
import type { SpaceScope } from '../model/project.ts';
import { newUlid, parseUlid } from '../model/ulid.ts';
import type { UserIds } from '../model/user-id.ts';
import type { Store } from '../store/store.ts';
import { writeJson } from '../util/json/json.ts';
import type { PlainValue } from '../util/text/decimal.ts';
import { document, done, type ManageAnswer } from './answer.ts';
import { BodyFields, quoted } from './fields.ts';
import { type Paging, parseTimestamp, readPage } from './parameters.ts';

const MAX_ROLES = 64;
const MAX_ROLE_LENGTH = 128;

function roleProblem(roles: readonly string[]): string | undefined {
  if (roles.length === 0) return 'must have at least one role';
  if (roles.length > MAX_ROLES) return `must not have more than ${MAX_ROLES} roles`;
  if (roles.some((role) => role === '' || role.length > MAX_ROLE_LENGTH)) return `must have roles of 1 to ${MAX_ROLE_LENGTH} characters`;
  return roles.some((role) => /[,\u0000-\u001f]/.test(role)) ? 'must not have a comma or a control character in a role' : undefined;
}

/** Reads a list of names, or a comma-separated string like that of the header. */
function readRoles(fields: BodyFields): ReadonlySet<string> {
  const value = fields.value('roles');
  const listed: readonly unknown[] = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
  const names = listed.filter((name) => typeof name === 'string').map((name) => name.trim());
  if (value === undefined) fields.malformed('roles', 'is missing');
  else if ((typeof value !== 'string' && !Array.isArray(value)) || names.length !== listed.length)
    fields.malformed('roles', 'must be a list of strings or a comma-separated string');
  else {
    const problem = roleProblem(names);
    if (problem !== undefined) fields.refused('roles', problem);
  }
  return new Set(names);
}

/** Applies the limits of the header to the claims of a token. */
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
    fields.refused('claims', `are invalid: ${error.message}`);
    return null;
  }
}

async function personasOf(store: Store, { orgId, projectId, spaceId }: SpaceScope): Promise<Personas> {
  return (await store.personas(orgId, projectId, spaceId)) ?? new Map();
}

function readExpiry(fields: BodyFields, now: number): string | null {
  return fields.optionalText('expires_at', (text) => {
    const timestamp = parseTimestamp(text);
    if (timestamp === undefined) return 'is not an RFC 3339 timestamp such as 2030-01-31T12:00:00Z';
    return timestamp <= now ? 'is in the past' : undefined;
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

/** The space of a body or of the caller; `undefined` if the project has none of that id. */
async function spaceOf(store: Store, { orgId, projectId, spaceId }: SpaceCaller, asked: string | null): Promise<string | undefined> {
  if (asked === null) return spaceId;
  const id = parseUlid(asked) ?? '';
  return (await store.projectContext(orgId, projectId))?.spaces.has(id) === true ? id : undefined;
}

export async function createToken(store: Store, caller: SpaceCaller, body: PlainValue, userIds: UserIds = 'ulid'): Promise<ManageAnswer> {
  const fields = BodyFields.of(body);
  const now = Date.now();
  const asked = fields.optionalText('space_id');
  const spaceId = await spaceOf(store, caller, asked);
  const secret = newToken();
  const keyType = fields.choice('key_type', KEY_TYPES);
  const expiresAt = readExpiry(fields, now);
  const token: PowerToken = {
    orgId: caller.orgId,
    projectId: caller.projectId,
    spaceId: spaceId ?? caller.spaceId,
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
    expiresAtMs: expiresAt === null ? Number.POSITIVE_INFINITY : (parseTimestamp(expiresAt) ?? 0),
  };
  if (token.persona !== null && spaceId !== undefined && !(await personasOf(store, token)).has(token.persona))
    fields.refused('persona', `${quoted(token.persona)} is not a persona of the token's space`);
  fields.finish();
  if (spaceId === undefined) throw apiError('token_space_unknown', asked ?? '');
  const outcome = await store.createToken(token);
  if (outcome === 'name_taken') throw apiError('token_name_taken', token.name);
  if (outcome === 'project_unknown') throw await unknownPlace(store, caller);
  return done(201, 'The token was created; it is quoted this once and cannot be recovered.', {
    ...describe(token),
    power_token: secret,
  });
}

async function unknownPlace(store: Store, { orgId, projectId }: SpaceCaller) {
  if ((await store.organization(orgId)) === undefined) return apiError('org_unknown');
  return (await store.projectContext(orgId, projectId)) === undefined ? apiError('project_unknown') : apiError('space_unknown');
}

export async function listTokens(store: Store, caller: ProjectCaller, paging: Paging, maxPageSize: number): Promise<ManageAnswer> {
  return document((await store.listTokens(caller, readPage(paging, maxPageSize))).map(describe));
}

export async function deleteToken(store: Store, caller: ProjectCaller, tokenId: string | undefined): Promise<ManageAnswer> {
  if (tokenId === undefined) throw apiError('missing_parameter', 'token_id');
  const id = parseUlid(tokenId);
  if (id === undefined || !(await store.deleteToken(caller, id))) throw apiError('token_id_unknown', tokenId);
  return done(200, 'The token was deleted; it is rejected from now on.');
}
