/**
 * Who calls, as the gateway's headers or a Power Token say it. Knows nothing of headers, and not whether the ids exist.
 */
export interface Caller {
  readonly userId: string;
  readonly roles: ReadonlySet<string>;
  /** The request came with a valid server key. */
  readonly serverKey: boolean;
  /** Absent where the endpoint needs no such id and none was sent. */
  readonly orgId?: string;
  readonly projectId?: string;
  readonly spaceId?: string;
  /** Present when a Power Token speaks: it reaches its own organization and project only. */
  readonly tokenId?: string;
  readonly keyType?: string;
}

/** A caller within an organization, a project, a space: what an endpoint demands, it says by its parameter's type. */
export type OrgCaller = Caller & { readonly orgId: string };
export type ProjectCaller = OrgCaller & { readonly projectId: string };
export type SpaceCaller = ProjectCaller & { readonly spaceId: string };
