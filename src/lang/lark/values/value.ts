/**
 * The values of the language. Ints are JavaScript numbers within ±2^53 and bigints beyond; None, booleans and strings are
 * JavaScript's own; everything else is one of these classes. A program never reaches a JavaScript property of any of them.
 */
import type { Decimal } from '../../../util/text/decimal.ts';
import type { FunctionCode } from './code.ts';
import { fail } from './failure.ts';
import type { Thread } from './thread.ts';

export type LarkValue = null | boolean | number | bigint | string | LarkObject;

export abstract class LarkObject {
  /** What `type(x)` says. */
  abstract readonly type: string;
}

export class LarkFloat extends LarkObject {
  readonly value: number;

  constructor(value: number) {
    super();
    this.value = value;
  }

  get type(): string {
    return 'float';
  }
}

/** A float that came in as exact digits and keeps them while it is only passed on. */
export class ExactFloat extends LarkFloat {
  readonly decimal: Decimal;

  constructor(decimal: Decimal) {
    super(decimal.toNumber());
    this.decimal = decimal;
  }
}

export class LarkBytes extends LarkObject {
  readonly data: Uint8Array;

  constructor(data: Uint8Array) {
    super();
    this.data = data;
  }

  get type(): string {
    return 'bytes';
  }
}

export class LarkTuple extends LarkObject {
  readonly items: readonly LarkValue[];

  constructor(items: readonly LarkValue[]) {
    super();
    this.items = items;
  }

  get type(): string {
    return 'tuple';
  }
}

export const EMPTY_TUPLE = new LarkTuple([]);

export class LarkList extends LarkObject {
  items: LarkValue[];
  frozen = false;
  /** How many loops run over it: it must not change meanwhile. */
  iterating = 0;

  constructor(items: LarkValue[]) {
    super();
    this.items = items;
  }

  get type(): string {
    return 'list';
  }

  checkMutable(verb: string): void {
    if (this.frozen) fail(`cannot ${verb} frozen list`);
    if (this.iterating > 0) fail(`cannot ${verb} list during iteration`);
  }
}

export class LarkRange extends LarkObject {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly length: number;

  constructor(start: number, stop: number, step: number) {
    super();
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.length = Math.max(0, Math.ceil((stop - start) / step));
  }

  get type(): string {
    return 'range';
  }
}

/** A named set of members: a builtin module, or what a loaded module exports. */
export class ModuleValue extends LarkObject {
  readonly name: string;
  readonly members: ReadonlyMap<string, LarkValue>;

  constructor(name: string, members: ReadonlyMap<string, LarkValue>) {
    super();
    this.name = name;
    this.members = members;
  }

  get type(): string {
    return 'module';
  }
}

export type NamedArgument = readonly (readonly [name: string, value: LarkValue])[];
export type BuiltinBody = (thread: Thread, args: readonly LarkValue[], named: NamedArgument, self: LarkValue) => LarkValue;

export class LarkBuiltin extends LarkObject {
  readonly name: string;
  readonly body: BuiltinBody;
  /** The receiver of a bound method; undefined for a function. */
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

/** A variable shared between a function and those inside of it. */
export class Cell {
  value: LarkValue | undefined;

  constructor(value: LarkValue | undefined) {
    this.value = value;
  }
}

/** Slot 0 of every frame holds the slots of the file; the file's own frame is those slots. */
export type FrameSlot = LarkValue | Cell | Frame | undefined;
export interface Frame extends Array<FrameSlot> {}

export class LarkFunction extends LarkObject {
  readonly code: FunctionCode;
  readonly globals: Frame;
  /** Of the optional parameters, in order. */
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

export type Side = 'left' | 'right';

/** A value with behaviour of its own, such as a struct or a time: what it does not override it does not have. */
export abstract class Extension extends LarkObject {
  text(_write: (value: LarkValue) => string): string {
    return `<${this.type}>`;
  }

  truth(): boolean {
    return true;
  }

  attribute(_name: string): LarkValue | undefined {
    return undefined;
  }

  attributeNames(): readonly string[] {
    return [];
  }

  setAttribute(name: string, _value: LarkValue): void {
    fail(`can't assign to .${name} field of ${this.type}`);
  }

  missingAttribute(name: string): string {
    return `${this.type} has no .${name} field or method`;
  }

  /** A text that is the same for equal values. */
  hashKey(_keyOf: (value: LarkValue) => string): string {
    return fail(`unhashable: ${this.type}`);
  }

  equals(other: Extension, _equal: (a: LarkValue, b: LarkValue) => boolean): boolean {
    return this === other;
  }

  /** Negative, zero or positive; undefined where there is no order. */
  order(_other: Extension): number | undefined {
    return undefined;
  }

  binary(_op: string, _other: LarkValue, _side: Side): LarkValue | undefined {
    return undefined;
  }

  iterate(): Iterator<LarkValue> | undefined {
    return undefined;
  }

  call(_thread: Thread, _args: readonly LarkValue[], _named: NamedArgument): LarkValue | undefined {
    return undefined;
  }

  children(): Iterable<LarkValue> {
    return [];
  }

  freeze(): void {}
}

export function typeOf(value: LarkValue): string {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return 'int';
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    default:
      return value === null ? 'NoneType' : value.type;
  }
}
