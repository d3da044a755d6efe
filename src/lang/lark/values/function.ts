/** Functions as values: builtins, and compiled functions with their code, cells and frames. */
import type { Source } from '../../source.ts';
import type { Thread } from './thread.ts';
import { LarkObject, type LarkValue } from './value.ts';

export type NamedArgument = readonly (readonly [name: string, value: LarkValue])[];
export type BuiltinBody = (thread: Thread, args: readonly LarkValue[], named: NamedArgument, self: LarkValue) => LarkValue;

export class LarkBuiltin extends LarkObject {
  readonly name: string;
  readonly body: BuiltinBody;
  /** Receiver of a bound method; `undefined` for a function. */
  readonly self: LarkValue | undefined;

  constructor(name: string, body: BuiltinBody, self?: LarkValue) {
    super();
    this.name = name;
    this.body = body;
    this.self = self;
  }

  get type(): string {
    return 'builtin_function_or_method';
  }
}

/** A variable shared between a function and its inner functions. */
export class Cell {
  value: LarkValue | undefined;

  constructor(value: LarkValue | undefined) {
    this.value = value;
  }
}

/**
 * Slot 0 of every frame holds the slots of the file. The frame of top-level code is those slots.
 */
export type FrameSlot = LarkValue | Cell | Frame | undefined;
export interface Frame extends Array<FrameSlot> {}

export type Evaluate = (frame: Frame, thread: Thread) => LarkValue;
export type Test = (frame: Frame, thread: Thread) => boolean;

/** How a statement ended early, other than by `return`. */
export class Jump {
  readonly kind: 'break' | 'continue';

  constructor(kind: 'break' | 'continue') {
    this.kind = kind;
  }
}

export const BREAK = new Jump('break');
export const CONTINUE = new Jump('continue');

/** `undefined` for a statement that ran to its end. */
export type Execute = (frame: Frame, thread: Thread) => LarkValue | Jump | undefined;

export interface CodeParameter {
  readonly name: string;
  readonly slot: number;
  /** Index into the function's defaults; -1 if required. */
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
  /** Number of positional arguments that fill the frame without further work; -1 if never. */
  readonly simple: number;
  readonly size: number;
  /** Slots of locals that are stored in cells. */
  readonly cellSlots: readonly number[];
  /** The first slot of the cells captured from enclosing functions. */
  readonly freeSlot: number;
  readonly recursion: boolean;
  body: Execute;
  /** `true` if the function is running: a second call would be recursion. */
  active: boolean;
}

export class LarkFunction extends LarkObject {
  readonly code: FunctionCode;
  readonly globals: Frame;
  /** Defaults of the optional parameters, in order. */
  readonly defaults: readonly (LarkValue | undefined)[];
  readonly cells: readonly Cell[];
  frozen = false;

  constructor(code: FunctionCode, globals: Frame, defaults: readonly (LarkValue | undefined)[], cells: readonly Cell[]) {
    super();
    this.code = code;
    this.globals = globals;
    this.defaults = defaults;
    this.cells = cells;
  }

  get type(): string {
    return 'function';
  }
}
