/**
 * Authenticates a request by headers or Power Token. Missing ids are rejected here, unknown ids
 * where they are looked up. Context headers beside a token are ignored.
 */
import { isUtf8 } from 'node:buffer';
import { apiError } from '../errors.ts';
import type { Caller } from '../model/caller.ts';
import { type Claims, InvalidClaims, readClaims } from '../model/claims.ts';
import { hashToken, isExpired, type PowerToken } from '../model/power-token.ts';
import { parseUlid } from '../model/ulid.ts';
import { parseUserId, type UserIds } from '../model/user-id.ts';
import type { Store } from '../store/store.ts';
import { BoundedMap } from '../util/bounded-map.ts';
import { memo } from '../util/memo.ts';
import { detached } from '../util/text/detached.ts';
import { type ContextHeaders, HEADER_NAMES } from './headers.ts';
import { SecretSet } from './secrets.ts';

type RequiredId = 'orgId' | 'projectId' | 'spaceId' | 'roles';

export interface Demand {
  readonly needs: readonly RequiredId[];
  /** Error for a missing user id: only the Auto API reports it like any other missing header. */
  readonly userMissing: 'missing_user' | 'missing_header';
  /**
   * `required`: the server key, or a token with the role admin. `checked`: optional, but must be
   * valid.
   */
  readonly serverKey: 'required' | 'checked' | 'ignored';
}

const ALL: readonly RequiredId[] = ['orgId', 'projectId', 'spaceId', 'roles'];

/** Requirements of each kind of endpoint. */
export const DEMANDS = {
  auto: { needs: ALL, userMissing: 'missing_header', serverKey: 'ignored' },
  custom: { needs: ALL, userMissing: 'missing_user', serverKey: 'ignored' },
  definitions: { needs: ALL, userMissing: 'missing_user', serverKey: 'checked' },
  modules: { needs: ALL, userMissing: 'missing_user', serverKey: 'ignored' },
  apps: { needs: ALL, userMissing: 'missing_user', serverKey: 'ignored' },
  personas: { needs: ALL, userMissing: 'missing_user', serverKey: 'ignored' },
  validate: { needs: ['orgId', 'projectId', 'roles'], userMissing: 'missing_user', serverKey: 'ignored' },
  describe: { needs: ALL, userMissing: 'missing_user', serverKey: 'ignored' },
  metadata: { needs: ['orgId', 'projectId', 'roles'], userMissing: 'missing_user', serverKey: 'ignored' },
  systemMetadata: { needs: ALL, userMissing: 'missing_user', serverKey: 'required' },
  system: { needs: [], userMissing: 'missing_user', serverKey: 'required' },
  systemOrg: { needs: ['orgId'], userMissing: 'missing_user', serverKey: 'required' },
  tokens: { needs: ALL, userMissing: 'missing_user', serverKey: 'required' },
} as const satisfies Record<string, Demand>;

/** Letter of `key_type` that permits a method. */
const LETTERS: Readonly<Record<string, string>> = { GET: 'r', HEAD: 'r', QUERY: 'r', POST: 'w', PUT: 'w', PATCH: 'w', DELETE: 'd' };

const MAX_ROLES = 64;
const MAX_ROLE_LENGTH = 128;
const MAX_ROLE_LISTS = 10_000;

export class Authenticator {
  readonly #store: Store;
  readonly #serverKeys: SecretSet;
  readonly #gatewaySecret: SecretSet | undefined;
  /** Parsed role lists, which repeat from request to request. */
  readonly #roles = new BoundedMap<string, ReadonlySet<string>>(MAX_ROLE_LISTS);

  readonly #userIds: UserIds;

  constructor(store: Store, serverKeys: readonly string[], gatewaySecret: string | undefined, userIds: UserIds) {
    this.#store = store;
    this.#userIds = userIds;
    this.#serverKeys = new SecretSet(serverKeys);
    this.#gatewaySecret = gatewaySecret === undefined ? undefined : new SecretSet([gatewaySecret]);
  }

  /** The first check of every request: only the gateway knows the secret. */
  checkGateway(headers: ContextHeaders): void {
    if (this.#gatewaySecret === undefined) return;
    if (headers.gatewaySecret === undefined || !this.#gatewaySecret.has(headers.gatewaySecret)) throw apiError('gateway_secret');
  }

  isServerKey(candidate: string): boolean {
    return this.#serverKeys.has(candidate);
  }

  /** Synchronous unless the token must be read from the store. */
  identify(headers: ContextHeaders, pwt: string | undefined, method: string, demand: Demand): Caller | Promise<Caller> {
    const token = tokenOf(headers, pwt);
    if (token !== undefined) return this.#byToken(headers, token, method, demand);
    if (headers.known?.demand !== demand) headers.known = { demand, caller: this.#byHeaders(headers, demand) };
    return headers.known.caller;
  }

  #byHeaders(headers: ContextHeaders, demand: Demand): Caller {
    if (!headers.userId)
      throw demand.userMissing === 'missing_user' ? apiError('missing_user') : apiError('missing_header', HEADER_NAMES.userId);
    for (const need of demand.needs)
      if (!headers[need] && !(need === 'roles' && headers.roles !== undefined)) throw apiError('missing_header', HEADER_NAMES[need]);
    const serverKey = this.#checkServerKey(headers.serverKey, demand);
    const caller: { -readonly [K in keyof Caller]: Caller[K] } = {
      userId: userId(headers.userId, this.#userIds),
      roles: this.#parseRoles(headers.roles ?? ''),
      serverKey,
    };
    if (headers.orgId) caller.orgId = ulid(headers.orgId, HEADER_NAMES.orgId);
    if (headers.projectId) caller.projectId = ulid(headers.projectId, HEADER_NAMES.projectId);
    if (headers.spaceId) caller.spaceId = ulid(headers.spaceId, HEADER_NAMES.spaceId);
    if (headers.claims !== undefined) caller.claims = parseClaims(headers.claims, HEADER_NAMES.claims);
    return withPersona(caller, headers);
  }

  #checkServerKey(sent: string | undefined, demand: Demand): boolean {
    if (demand.serverKey === 'ignored') return false;
    if (sent === undefined && demand.serverKey === 'checked') return false;
    if (sent === undefined || !this.#serverKeys.has(sent)) throw apiError('server_key');
    return true;
  }

  #byToken(headers: ContextHeaders, token: string, method: string, demand: Demand): Caller | Promise<Caller> {
    headers.tokenHash ??= hashToken(token);
    const lookup = this.#store.tokenByHash(headers.tokenHash);
    return lookup instanceof Promise
      ? lookup.then((found) => tokenCaller(found, method, demand, headers))
      : tokenCaller(lookup, method, demand, headers);
  }

  #parseRoles(text: string): ReadonlySet<string> {
    const known = this.#roles.get(text);
    if (known !== undefined) return known;
    const own = detached(text);
    const roles = new Set(
      own
        .split(',')
        .map((role) => role.trim())
        .filter((role) => role !== ''),
    );
    if (roles.size > MAX_ROLES || [...roles].some((role) => role.length > MAX_ROLE_LENGTH)) throw apiError('bad_roles');
    this.#roles.set(own, roles);
    return roles;
  }
}

/** The Power Token of a request; `undefined` if it has none. */
function tokenOf({ bearerToken, powerToken }: ContextHeaders, pwt: string | undefined): string | undefined {
  if (bearerToken !== undefined) {
    if (powerToken || pwt !== undefined) throw apiError('token_twice');
    return bearerToken;
  }
  if (powerToken === undefined && pwt === undefined) return undefined;
  if (!powerToken || !pwt) throw apiError('token_incomplete');
  // Both values are the caller's own, so a timing attack learns nothing.
  if (powerToken !== pwt) throw apiError('token_mismatch');
  return powerToken;
}

function tokenCaller(token: PowerToken | undefined, method: string, demand: Demand, headers: ContextHeaders): Caller {
  if (token === undefined || isExpired(token, Date.now())) throw apiError('token_unknown');
  if (!token.keyType.includes(LETTERS[method] ?? '?')) throw apiError('token_method', token.keyType, method);
  if (demand.serverKey === 'required') checkAdmin(token, method);
  return withPersona(callerOf(token), headers);
}

/** Adds the persona that the request names, and the claims to see it with. */
function withPersona(caller: Caller, { persona, personaClaims }: ContextHeaders): Caller {
  if (!personaClaims) return persona === undefined ? caller : { ...caller, personaAsked: persona };
  if (persona === undefined || !caller.roles.has('admin') || caller.personaBound !== undefined) throw apiError('persona_claims');
  return { ...caller, personaAsked: persona, claims: parseClaims(personaClaims, HEADER_NAMES.personaClaims) };
}

/**
 * A token bound to a persona has read-only access to the management API; otherwise it could lift
 * its own restriction.
 */
function checkAdmin({ roles, persona }: PowerToken, method: string): void {
  if (!roles.has('admin')) throw apiError('token_not_admin');
  if (persona !== null && method !== 'GET') throw apiError('token_bound', persona);
}

/** All requests of a token share one caller, so that values derived from it are reused. */
const callerOf = memo(({ userId, roles, orgId, projectId, spaceId, tokenId, keyType, claims, persona }: PowerToken): Caller => {
  const caller = { userId, roles, serverKey: false, orgId, projectId, spaceId, tokenId, keyType };
  return { ...caller, ...(claims === null ? {} : { claims }), ...(persona === null ? {} : { personaBound: persona }) };
});

/** Node decodes headers as Latin-1; the claims are UTF-8. */
function parseClaims(header: string, name: string): Claims {
  const bytes = Buffer.from(header, 'latin1');
  try {
    if (!isUtf8(bytes)) throw new InvalidClaims('it is not UTF-8');
    return readClaims(bytes.toString('utf8'));
  } catch (error) {
    throw error instanceof InvalidClaims ? apiError('claims_invalid', name, error.message) : error;
  }
}

function userId(text: string, accepted: UserIds): string {
  const id = parseUserId(text, accepted);
  if (id === undefined) throw apiError('header_not_user_id');
  return id;
}

function ulid(text: string, header: string): string {
  const id = parseUlid(text);
  if (id === undefined) throw apiError('header_not_ulid', header);
  return id;
}
