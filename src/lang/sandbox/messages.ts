/**
 * Messages between the pool and its workers. The last piece of a large value travels with the
 * message that completes it.
 */
import type { RunLimits } from '../budget.ts';
import type { KindName } from '../tasks.ts';
import type { FlatPiece } from './flat.ts';
import type { WiredError } from './wire.ts';

export type ToWorker =
  | { readonly type: 'part'; readonly name: string; readonly piece: FlatPiece }
  | {
      readonly type: 'run';
      readonly kind: KindName;
      readonly program: unknown;
      /** Last piece of each value, by name. */
      readonly values: ReadonlyMap<string, FlatPiece>;
      readonly limits: RunLimits;
    }
  | { readonly type: 'more' };

export type FromWorker =
  | { readonly type: 'started' }
  /** A piece of the result. The pool requests the next one with `more`. */
  | { readonly type: 'part'; readonly piece: FlatPiece }
  | { readonly type: 'done'; readonly piece: FlatPiece; readonly prints: readonly string[]; readonly heapBytes: number }
  | { readonly type: 'failed'; readonly error: WiredError; readonly heapBytes: number };
