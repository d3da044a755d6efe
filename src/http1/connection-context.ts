/**
 * The interfaces between a connection, the listener that accepted it, and the handlers of requests.
 */
import type { Lease } from '../util/bytes/buffer-pool.ts';
import type { MaybePromise } from '../util/concurrency/maybe-promise.ts';
import type { BodyBudget } from './body-budget.ts';
import type { DateHeader } from './date-header.ts';
import type { DiscardQueue } from './discard-queue.ts';
import type { HeaderNames } from './head/header-names.ts';
import type { RequestHead } from './head/request-head.ts';
import type { HttpReply } from './reply.ts';
import type { RejectReason } from './request-rejected.ts';

export interface RequestHandlers {
  request(head: RequestHead, body: Buffer | Lease, reply: HttpReply): void;
  /** Answers a request that never reaches `request`. The connection closes afterwards. */
  rejected(head: RequestHead, reason: RejectReason, reply: HttpReply): void;
  /**
   * Called before a body is read that did not arrive with its head. Returns `undefined` to read the
   * body, or a function that answers the request without it.
   */
  precheck?(head: RequestHead, reply: HttpReply): MaybePromise<(() => void) | undefined>;
  /** `true` if this request is served even when the service is full. */
  isExempt?(head: RequestHead): boolean;
  /** Called for each connection that is over a limit. */
  overloaded?(limit: ConnectionLimit): void;
}

export type ConnectionLimit = 'connections' | 'descriptors';

export interface ListenerLimits {
  readonly maxBodyBytes: number;
  /** Limit for the bodies of all connections together. */
  readonly maxBodiesBytes: number;
  readonly maxConnections: number;
  /** How long a client may read nothing of its response, or send nothing of an announced body. */
  readonly stallSecs: number;
}

/** Everything that the connections of one listener share. `C` is the class of the connections. */
export interface ConnectionContext<C = unknown> extends Required<Omit<RequestHandlers, 'overloaded'>> {
  readonly maxBodyBytes: number;
  readonly stallMs: number;
  readonly bodies: BodyBudget;
  readonly discards: DiscardQueue;
  readonly names: HeaderNames;
  readonly date: DateHeader;
  /** The port is closed: every response is the last one of its connection. */
  isClosing: boolean;
  /** Rejects the slowest body of another connection. Returns `false` if no body is slow. */
  evictSlowBody(requester: C): boolean;
  closed(connection: C): void;
}
