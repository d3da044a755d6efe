/** The services and the author that every operation on definitions receives. */
import type { Connections } from '../../engines/pool/connections.ts';
import type { SpaceCaller } from '../../model/caller.ts';
import type { ProjectContext } from '../../model/project.ts';
import type { UserIds } from '../../model/user-id.ts';
import type { Store } from '../../store/store.ts';
import type { EndpointResolver } from '../call/endpoint-resolver.ts';

export interface Management {
  readonly store: Store;
  readonly resolver: EndpointResolver;
  readonly connections: Connections;
  /** Throws if connections to the host are not allowed. */
  checkHost(host: string): Promise<void>;
  readonly userIds: UserIds;
}

/** Authenticated author; the ids of organization, project and space belong together. */
export interface Author {
  readonly caller: SpaceCaller;
  readonly context: ProjectContext;
  /** Value of the header, if sent. */
  readonly featureId: string | undefined;
}
