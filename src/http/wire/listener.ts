/** What a connection wants of those behind it: the handlers of requests, and the bounds that all connections share. */
import type { Lease } from '../../util/buffer-pool.ts';
import type { MaybePromise } from '../../util/maybe-promise.ts';
import type { BodyBudget } from './body-budget.ts';
import type { HttpConnection } from './connection.ts';
import type { DiscardQueue } from './discard-queue.ts';
import type { RequestHead } from './head.ts';
import type { Refusal } from './refusal.ts';
import type { HttpReply } from './reply.ts';

export interface Handlers {
  request(head: RequestHead, body: Buffer | Lease, reply: HttpReply): void;
  refused(head: RequestHead, refusal: Refusal, reply: HttpReply): void;
  /** Asked on the head of a request whose body has yet to come. Returns how it is answered without; undefined when the body may come. */
  screen?(head: RequestHead, reply: HttpReply): MaybePromise<(() => void) | undefined>;
  /** Is this served also when there is no room? */
  isVital?(head: RequestHead): boolean;
  /** Told of each connection for which there was no room, and why. */
  overloaded?(reason: ConnectionOverload): void;
}

export type ConnectionOverload = 'connections' | 'descriptors';

export interface ConnectionLimits {
  readonly maxBodyBytes: number;
  /** Of all bodies together. */
  readonly maxBodiesBytes: number;
  readonly maxConnections: number;
  /** So long a client may take nothing of what is sent to it, or send nothing of what it has announced. */
  readonly stallSecs: number;
}

export interface Listener extends Required<Omit<Handlers, 'overloaded'>> {
  readonly maxBodyBytes: number;
  readonly stallSweeps: number;
  readonly bodies: BodyBudget;
  readonly forgetting: DiscardQueue;
  /** Ends the body of another connection that hardly comes; false when there is none. */
  makeRoom(connection: HttpConnection): boolean;
  closed(connection: HttpConnection): void;
}
