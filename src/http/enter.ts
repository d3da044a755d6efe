/** Checks that handlers begin with: the caller, the project and space, the path and the role. */
import type { Demand } from '../auth/caller.ts';
import { apiError } from '../errors.ts';
import type { Caller, SpaceCaller } from '../model/caller.ts';
import { inSpace, type ProjectContext } from '../model/project.ts';
import { after, type MaybePromise } from '../util/concurrency/maybe-promise.ts';
import type { Exchange } from './exchange.ts';
import type { Services } from './route.ts';

export interface InSpace {
  readonly caller: SpaceCaller;
  readonly context: ProjectContext;
}

/** Identifies the caller, and sets it in the exchange for the log. */
export function identify({ store, authenticator }: Services, exchange: Exchange, demand: Demand): MaybePromise<Caller> {
  const identified = after(store.refresh(), () =>
    authenticator.identify(exchange.headers, exchange.parameter('pwt'), exchange.right, demand),
  );
  return after(identified, (caller) => {
    exchange.caller = caller;
    return caller;
  });
}

/**
 * Returns the caller's project with everything registered in it. The caller's space must belong to
 * it.
 */
export function projectOf(services: Services, caller: Caller): MaybePromise<ProjectContext> {
  const { orgId = '', projectId = '', spaceId } = caller;
  return after(services.store.projectContext(orgId, projectId), (context) => {
    if (context === undefined) return rejectProject(services, orgId);
    if (spaceId !== undefined && !context.spaces.has(spaceId)) throw apiError('space_unknown');
    return inSpace(context, spaceId);
  });
}

function rejectProject({ store }: Services, orgId: string): MaybePromise<never> {
  return after(store.organization(orgId), (org) => {
    throw org === undefined ? apiError('org_unknown') : apiError('project_unknown');
  });
}

/** For endpoints that require all five context headers. */
export function enterSpace(services: Services, exchange: Exchange, demand: Demand): MaybePromise<InSpace> {
  return after(identify(services, exchange, demand), (caller) =>
    after(projectOf(services, caller), (context): InSpace => ({ caller: caller as SpaceCaller, context })),
  );
}

/** Throws if a path names another organization or project than that of the caller. */
export function checkPath({ org, project }: ProjectContext, orgAbbreviation: string, projectAbbreviation: string): void {
  if (org.abbreviation !== orgAbbreviation || project.abbreviation !== projectAbbreviation) throw apiError('path_not_yours');
}

export function requireRole(caller: Caller, ...roles: readonly string[]): void {
  if (!roles.some((role) => caller.roles.has(role))) throw apiError('role_needed', roles.join(', '));
}
