/**
 * The audit line of a change: the caller, the action, the object and the fields that were changed.
 */
import type { Caller } from '../model/caller.ts';
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

export function audit({ observer }: Services, { requestId }: Exchange, caller: Caller, done: Audited): void {
  const { userId, orgId, projectId, spaceId, tokenId } = caller;
  observer.emit({ kind: 'audit', requestId, ...done, userId, orgId, projectId, spaceId, tokenId });
}
