/** What the pool and its workers say to each other. Long lists go in parts, so that neither side copies much at a time. */
import type { Limits } from '../budget.ts';
import type { KindName } from '../tasks.ts';
import type { Cloned, WiredError } from './wire.ts';

export type ToWorker =
  | { readonly type: 'part'; readonly name: string; readonly items: readonly Cloned[] }
  | {
      readonly type: 'run';
      readonly kind: KindName;
      readonly program: unknown;
      readonly values: ReadonlyMap<string, Cloned>;
      readonly limits: Limits;
    }
  | { readonly type: 'more' };

export type FromWorker =
  | { readonly type: 'started' }
  /** A part of a list that is the result; the rest comes when asked for. */
  | { readonly type: 'part'; readonly items: readonly Cloned[] }
  | { readonly type: 'done'; readonly value: Cloned; readonly prints: readonly string[]; readonly heapBytes: number }
  | { readonly type: 'failed'; readonly error: WiredError; readonly heapBytes: number };

/** Elements of a list in one message. */
export const PART = 1000;
