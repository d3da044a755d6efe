/**
 * The audit of a change: a record in the store, in the transaction of the change, and a log line
 * with the caller, the action, the object and the fields that were changed.
 */
import type { Caller } from '../model/caller.ts';
import type { Store } from '../store/store.ts';
import type { Exchange } from './exchange.ts';
import type { Services } from './route.ts';

export interface Audited {
  readonly action: string;
  readonly status: number;
  /** Ids, abbreviations, or uri and version. */
  readonly object: string;
  /** Names of fields without their values. */
  readonly changed?: readonly string[] | undefined;
}

/** The store for changes that the caller of a request makes. */
export function storeFor({ store }: Pick<Services, 'store'>, { requestId }: Exchange, caller: Caller): Store {
  return store.as({ ...caller, requestId });
}

export function audit({ observer }: Services, { requestId }: Exchange, caller: Caller, done: Audited): void {
  const { userId, orgId, projectId, spaceId, tokenId } = caller;
  observer.emit({ kind: 'audit', requestId, ...done, userId, orgId, projectId, spaceId, tokenId });
}
