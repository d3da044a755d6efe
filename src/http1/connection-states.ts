/** The states of a connection, and how each reacts to events. Pure. */
import { KEEP_ALIVE_SECS } from './reply.ts';

/**
 * - idle: between requests.
 * - head, body: a request is being received.
 * - precheck: a handler decides whether the body is read.
 * - respond: a handler works on the request.
 * - flush: the reply is complete, but the client has not received all of it.
 * - yield: other connections run before the next pipelined request does.
 * - discard: the connection is closing, and its input is dropped.
 */
export type State = 'idle' | 'head' | 'body' | 'precheck' | 'respond' | 'flush' | 'yield' | 'discard';

/** How a state reacts to the events that may happen at any time. */
interface Reactions {
  /** Bytes arrive. Buffered bytes are parsed when the connection is idle again. */
  readonly onBytes: 'parse' | 'buffer' | 'discard';
  /**
   * The client closes its side. Like most servers, this one then drops a request that is running.
   */
  readonly onEnd: 'close' | 'reset' | 'ignore';
  /** The state has lasted for `maxMs`, or for `overLimitMs` if the connection is over a limit. */
  readonly onTimeout: 'close' | 'reject';
  readonly maxMs: number;
  readonly overLimitMs: number;
}

const NO_TIMEOUT = { onTimeout: 'close', maxMs: Number.POSITIVE_INFINITY, overLimitMs: Number.POSITIVE_INFINITY } as const;

export const STATES: Readonly<Record<State, Reactions>> = {
  idle: { onBytes: 'parse', onEnd: 'close', onTimeout: 'close', maxMs: KEEP_ALIVE_SECS * 1000, overLimitMs: 2000 },
  head: { onBytes: 'parse', onEnd: 'close', onTimeout: 'reject', maxMs: 15_000, overLimitMs: 2000 },
  // The time limit of a body depends on its progress (IncomingBody).
  body: { ...NO_TIMEOUT, onBytes: 'parse', onEnd: 'close', onTimeout: 'reject' },
  precheck: { ...NO_TIMEOUT, onBytes: 'buffer', onEnd: 'reset' },
  respond: { ...NO_TIMEOUT, onBytes: 'buffer', onEnd: 'reset' },
  flush: { ...NO_TIMEOUT, onBytes: 'buffer', onEnd: 'ignore' },
  yield: { ...NO_TIMEOUT, onBytes: 'buffer', onEnd: 'ignore' },
  discard: { onBytes: 'discard', onEnd: 'close', onTimeout: 'close', maxMs: 10_000, overLimitMs: 10_000 },
};
