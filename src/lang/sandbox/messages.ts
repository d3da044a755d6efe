/** What the pool and its workers say to each other. Large values go in pieces; the last piece of each comes with what ends them. */
import type { Limits } from '../budget.ts';
import type { KindName } from '../tasks.ts';
import type { Piece } from './flat.ts';
import type { WiredError } from './wire.ts';

export type ToWorker =
  | { readonly type: 'part'; readonly name: string; readonly piece: Piece }
  | {
      readonly type: 'run';
      readonly kind: KindName;
      readonly program: unknown;
      /** By name, the last piece of each value. */
      readonly values: ReadonlyMap<string, Piece>;
      readonly limits: Limits;
    }
  | { readonly type: 'more' };

export type FromWorker =
  | { readonly type: 'started' }
  /** A piece of the result; the rest comes when asked for. */
  | { readonly type: 'part'; readonly piece: Piece }
  | { readonly type: 'done'; readonly piece: Piece; readonly prints: readonly string[]; readonly heapBytes: number }
  | { readonly type: 'failed'; readonly error: WiredError; readonly heapBytes: number };
