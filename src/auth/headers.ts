/**
 * Reads the headers by which the gateway identifies the caller, in one pass over the list as it came. A repeated header is an error: a gateway
 * that appends instead of replacing would give every client any role it likes.
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
  serverKey: string | undefined;
  powerToken: string | undefined;
  gatewaySecret: string | undefined;
  /** The caller they describe, as an endpoint with this demand sees it; computed once for all requests that share the headers. */
  known: { readonly demand: object; readonly caller: Caller } | undefined;
  /** Of the Power Token, computed once as well. */
  tokenHash: string | undefined;
}

type Field = Exclude<keyof ContextHeaders, 'known' | 'tokenHash'>;

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
      ['serverKey', 'X-Server-Key'],
      ['powerToken', 'X-Power-Token'],
      ['gatewaySecret', 'X-Gateway-Secret'],
    ] as const
  ).map((item) => [item[1].toLowerCase(), item]),
);

/** All of them begin with `x`. */
const FIRST_LETTER = 0x78;

/** Some servers treat these as hyphens. A gateway that removes `x-user-roles` but lets `x_user_roles` through would let anyone be anybody. */
const LIKE_HYPHENS = /[^a-z0-9-]/g;

function refuseAlias(name: string): void {
  const meant = NAMES.get(name.replace(LIKE_HYPHENS, '-'));
  if (meant !== undefined) throw apiError('header_alias', name, meant[1]);
}

/** `raw`: lower-case names and values, alternating. */
export function readHeaders(raw: readonly string[]): ContextHeaders {
  const found = new ContextHeaders();
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string;
    if (name.charCodeAt(0) !== FIRST_LETTER) continue;
    const known = NAMES.get(name);
    if (known === undefined) {
      refuseAlias(name);
      continue;
    }
    if (found[known[0]] !== undefined) throw apiError('header_twice', known[1]);
    found[known[0]] = raw[i + 1] as string;
  }
  return found;
}

export const HEADER_NAMES: Readonly<Record<'orgId' | 'projectId' | 'spaceId' | 'userId' | 'roles', string>> = {
  orgId: 'X-Org-Id',
  projectId: 'X-Project-Id',
  spaceId: 'X-Space-Id',
  userId: 'X-User-Id',
  roles: 'X-User-Roles',
};
