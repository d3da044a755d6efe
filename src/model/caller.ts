/** The caller of a request, as headers or a Power Token identify it. The ids may not exist. */
import type { Claims } from './claims.ts';

export interface Caller {
  readonly userId: string;
  readonly roles: ReadonlySet<string>;
  /** `true` if the request has a valid server key. */
  readonly serverKey: boolean;
  /** Absent if not sent and not required by the endpoint. */
  readonly orgId?: string;
  readonly projectId?: string;
  readonly spaceId?: string;
  /** Present for a Power Token, which is limited to its own organization and project. */
  readonly tokenId?: string;
  readonly keyType?: string;
  readonly claims?: Claims;
  /** Persona that the request names. */
  readonly personaAsked?: string;
  /** Persona that the token is bound to. */
  readonly personaBound?: string;
  /** Effective persona. Absent if not determined yet, and for callers with all rights or none. */
  readonly persona?: string;
}

/** Callers with the ids that an endpoint requires. */
export type OrgCaller = Caller & { readonly orgId: string };
export type ProjectCaller = OrgCaller & { readonly projectId: string };
export type SpaceCaller = ProjectCaller & { readonly spaceId: string };
