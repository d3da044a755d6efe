/**
 * Reads the headers by which the gateway identifies the caller. A repeated header is an error:
 * behind a gateway that appends instead of replacing, clients could choose their own roles.
 */
import { apiError } from '../errors.ts';
import type { Caller } from '../model/caller.ts';

export class ContextHeaders {
  orgId: string | undefined;
  projectId: string | undefined;
  spaceId: string | undefined;
  featureId: string | undefined;
  userId: string | undefined;
  roles: string | undefined;
  claims: string | undefined;
  persona: string | undefined;
  personaClaims: string | undefined;
  serverKey: string | undefined;
  powerToken: string | undefined;
  /** Power Token in the header Authorization. */
  bearerToken: string | undefined;
  gatewaySecret: string | undefined;
  /**
   * Authenticated caller for endpoints with this demand, shared by all requests with the same
   * headers.
   */
  known: { readonly demand: object; readonly caller: Caller } | undefined;
  /** Hash of the Power Token. */
  tokenHash: string | undefined;
}

type Field = Exclude<keyof ContextHeaders, 'known' | 'tokenHash' | 'bearerToken'>;

const NAMES: ReadonlyMap<string, readonly [Field, string]> = new Map(
  (
    [
      ['orgId', 'X-Org-Id'],
      ['projectId', 'X-Project-Id'],
      ['spaceId', 'X-Space-Id'],
      ['featureId', 'X-Feature-Id'],
      ['userId', 'X-User-Id'],
      ['roles', 'X-User-Roles'],
      ['claims', 'X-User-Claims'],
      ['persona', 'X-Persona'],
      ['personaClaims', 'X-Persona-Claims'],
      ['serverKey', 'X-Server-Key'],
      ['powerToken', 'X-Power-Token'],
      ['gatewaySecret', 'X-Gateway-Secret'],
    ] as const
  ).map((item) => [item[1].toLowerCase(), item]),
);

/** Every name starts with `x`. */
const FIRST_LETTER = 0x78;

/** Other credentials in this header are for the gateway and are ignored. */
const BEARER = /^bearer +(mr_.*)$/i;

/**
 * Some servers treat these characters as hyphens. A gateway that strips `x-user-roles` but passes
 * `x_user_roles` would let clients impersonate anyone.
 */
const LIKE_HYPHENS = /[^a-z0-9-]/g;

function rejectAlias(name: string): void {
  const header = NAMES.get(name.replace(LIKE_HYPHENS, '-'));
  if (header !== undefined) throw apiError('header_alias', name, header[1]);
}

/** `raw`: lower-case names and values, alternating. */
export function readHeaders(raw: readonly string[]): ContextHeaders {
  const headers = new ContextHeaders();
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string;
    if (name === 'authorization') readBearer(headers, raw[i + 1] as string);
    if (name.charCodeAt(0) !== FIRST_LETTER) continue;
    const known = NAMES.get(name);
    if (known === undefined) {
      rejectAlias(name);
      continue;
    }
    if (headers[known[0]] !== undefined) throw apiError('header_twice', known[1]);
    headers[known[0]] = raw[i + 1] as string;
  }
  return headers;
}

function readBearer(headers: ContextHeaders, value: string): void {
  const token = BEARER.exec(value)?.[1];
  if (token === undefined) return;
  if (headers.bearerToken !== undefined) throw apiError('header_twice', 'Authorization');
  headers.bearerToken = token;
}

export const HEADER_NAMES = {
  orgId: 'X-Org-Id',
  projectId: 'X-Project-Id',
  spaceId: 'X-Space-Id',
  userId: 'X-User-Id',
  roles: 'X-User-Roles',
  claims: 'X-User-Claims',
  personaClaims: 'X-Persona-Claims',
} as const;
