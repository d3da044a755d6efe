/** The line that a change of the set-up leaves for the auditor: who did what to which object, and what is different now. */
import type { Caller } from '../model/caller.ts';
import type { Exchange } from './exchange.ts';
import type { Services } from './route.ts';

/** What was done, and to what. */
export interface Audited {
  readonly action: string;
  readonly status: number;
  /** In words that name it to people: ids, abbreviations, uri and version. */
  readonly object: string;
  /** Names of fields, never their values. */
  readonly changed?: readonly string[] | undefined;
}

export function audit({ observer }: Services, { requestId }: Exchange, caller: Caller, done: Audited): void {
  const { userId, orgId, projectId, spaceId, tokenId } = caller;
  observer.emit({ kind: 'audit', requestId, ...done, userId, orgId, projectId, spaceId, tokenId });
}
