/** What a connection needs from the server behind it: the handlers of requests, and the limits that all connections share. */
import type { Lease } from '../util/bytes/buffer-pool.ts';
import type { MaybePromise } from '../util/concurrency/maybe-promise.ts';
import type { BodyBudget } from './body-budget.ts';
import type { HttpConnection } from './connection.ts';
import type { DiscardQueue } from './discard-queue.ts';
import type { RequestHead } from './head.ts';
import type { Refusal } from './refusal.ts';
import type { HttpReply } from './reply.ts';

export interface Handlers {
  request(head: RequestHead, body: Buffer | Lease, reply: HttpReply): void;
  refused(head: RequestHead, refusal: Refusal, reply: HttpReply): void;
  /** Asked before a body is read. Returns how to answer without it; undefined when the body may come. */
  screen?(head: RequestHead, reply: HttpReply): MaybePromise<(() => void) | undefined>;
  /** Is this request served even when the service is full? */
  isVital?(head: RequestHead): boolean;
  /** Called for each connection over the limit, with the reason. */
  overloaded?(reason: ConnectionOverload): void;
}

export type ConnectionOverload = 'connections' | 'descriptors';

export interface ConnectionLimits {
  readonly maxBodyBytes: number;
  /** The limit of all bodies together. */
  readonly maxBodiesBytes: number;
  readonly maxConnections: number;
  /** How long a client may take nothing of its answer, or send nothing of an announced body. */
  readonly stallSecs: number;
}

export interface Listener extends Required<Omit<Handlers, 'overloaded'>> {
  readonly maxBodyBytes: number;
  readonly stallSweeps: number;
  readonly bodies: BodyBudget;
  readonly forgetting: DiscardQueue;
  /** Nobody listens any more: every answer is the last one of its connection. */
  isLeaving: boolean;
  /** Ends the slowest body of another connection. Returns false when there is none. */
  makeRoom(connection: HttpConnection): boolean;
  closed(connection: HttpConnection): void;
}
