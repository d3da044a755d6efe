/**
 * The events that a service reports to its operator. None has room for a token, a key, a password
 * or a query parameter.
 */
import type { WorkMeter } from '../util/concurrency/work-meter.ts';

/**
 * The same object for all requests of a caller, as far as possible: its part of a log line is made
 * once.
 */
export interface LoggedCaller {
  readonly orgId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly userId: string;
}

export interface RequestEvent {
  readonly kind: 'request';
  readonly requestId: string;
  readonly method: string;
  /** Template of the route, never the URL. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  readonly caller: LoggedCaller | undefined;
  readonly error?: string | undefined;
  /** Reason why a database failed. */
  readonly reason?: string | undefined;
  readonly work: WorkMeter;
  /** Size of the response body. */
  readonly bytes: number;
}

export interface AuditEvent {
  readonly kind: 'audit';
  readonly requestId: string;
  readonly action: string;
  readonly object: string;
  /** Names of the fields that were changed. */
  readonly changed?: readonly string[] | undefined;
  readonly userId: string;
  readonly orgId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly spaceId?: string | undefined;
  readonly tokenId?: string | undefined;
  readonly status: number;
}

export type Event =
  | RequestEvent
  | AuditEvent
  | { readonly kind: 'failure'; readonly requestId: string; readonly error: unknown }
  | {
      readonly kind: 'rolled_back';
      readonly requestId: string;
      readonly projectId: string;
      readonly uri: string;
      readonly from: string;
      readonly to: string;
      readonly reason: unknown;
    }
  | { readonly kind: 'notice'; readonly message: string }
  | { readonly kind: 'trouble'; readonly message: string; readonly error?: unknown };

/** The limit that a client met. */
export type Overload = 'connections' | 'descriptors' | 'bodies';
