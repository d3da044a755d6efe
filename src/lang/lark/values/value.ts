/**
 * Values of the language. Ints are numbers within ±2^53 and bigints beyond; None, booleans and
 * strings are JavaScript's own; all others are the classes here. A program cannot reach their
 * JavaScript properties.
 */
import type { Decimal } from '../../../util/text/decimal.ts';
import { fail } from './failure.ts';

export type LarkValue = null | boolean | number | bigint | string | LarkObject;

export abstract class LarkObject {
  /** Result of `type(x)`. */
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

/** A float from outside that keeps its exact digits until it is used in arithmetic. */
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
  /** Number of loops that iterate over the list; while it is positive, the list must not change. */
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

/** A named set of members: a builtin module, or the exports of a loaded one. */
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
