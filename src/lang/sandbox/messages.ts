/** The messages between the pool and its workers. Large values go in pieces; the last piece comes with the message that ends them. */
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
      /** By name, the last piece of each value. */
      readonly values: ReadonlyMap<string, FlatPiece>;
      readonly limits: RunLimits;
    }
  | { readonly type: 'more' };

export type FromWorker =
  | { readonly type: 'started' }
  /** A piece of the result. The rest comes on request. */
  | { readonly type: 'part'; readonly piece: FlatPiece }
  | { readonly type: 'done'; readonly piece: FlatPiece; readonly prints: readonly string[]; readonly heapBytes: number }
  | { readonly type: 'failed'; readonly error: WiredError; readonly heapBytes: number };
