/** What a compiled function is made of: its body as closures, and how its arguments find their slots. */
import type { Source } from '../../source.ts';
import type { Thread } from './thread.ts';
import type { Frame, LarkValue } from './value.ts';

export type Evaluate = (frame: Frame, thread: Thread) => LarkValue;
export type Test = (frame: Frame, thread: Thread) => boolean;

/** How a statement ended when not by running to its end; anything else is the value of a `return`. */
export class Jump {
  readonly kind: 'break' | 'continue';

  constructor(kind: 'break' | 'continue') {
    this.kind = kind;
  }
}

export const BREAK = new Jump('break');
export const CONTINUE = new Jump('continue');

/** Undefined for a statement that ran to its end. */
export type Execute = (frame: Frame, thread: Thread) => LarkValue | Jump | undefined;

export interface CodeParameter {
  readonly name: string;
  readonly slot: number;
  /** Among the defaults of the function; -1 for a required one. */
  readonly fallback: number;
}

export interface FunctionCode {
  readonly name: string;
  readonly source: Source;
  readonly positional: readonly CodeParameter[];
  readonly keywordOnly: readonly CodeParameter[];
  /** Slots of `*args` and `**kwargs`; -1 without. */
  readonly starSlot: number;
  readonly starStarSlot: number;
  /** How many plain arguments fill the frame with nothing else to do; -1 where that never is. */
  readonly simple: number;
  readonly size: number;
  /** Slots of locals that live in cells. */
  readonly cellSlots: readonly number[];
  /** The first slot of the cells that come from the enclosing functions. */
  readonly freeSlot: number;
  readonly recursion: boolean;
  body: Execute;
  /** Running now: a second call would be recursion. */
  active: boolean;
}
