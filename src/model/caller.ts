/**
 * The caller, as the gateway's headers or a Power Token describe it. Knows nothing of headers, nor whether the ids exist.
 */
import type { Claims } from './claims.ts';

export interface Caller {
  readonly userId: string;
  readonly roles: ReadonlySet<string>;
  /** The request came with a valid server key. */
  readonly serverKey: boolean;
  /** Absent where the endpoint needs no such id and none was sent. */
  readonly orgId?: string;
  readonly projectId?: string;
  readonly spaceId?: string;
  /** Present for a Power Token, which reaches its own organization and project only. */
  readonly tokenId?: string;
  readonly keyType?: string;
  /** Absent when none were sent. */
  readonly claims?: Claims;
  /** As whom the caller asks to act. */
  readonly personaAsked?: string;
  /** As whom its token acts, and no other. */
  readonly personaBound?: string;
  /** As whom the caller acts, where that was found out; absent for one who may do everything, or nothing. */
  readonly persona?: string;
}

/** A caller within an organization, a project, a space: an endpoint's parameter type says what it requires. */
export type OrgCaller = Caller & { readonly orgId: string };
export type ProjectCaller = OrgCaller & { readonly projectId: string };
export type SpaceCaller = ProjectCaller & { readonly spaceId: string };
