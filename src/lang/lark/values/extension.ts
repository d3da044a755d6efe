/** Base class of values with behaviour of their own, such as structs and times. */
import { fail } from './failure.ts';
import type { NamedArgument } from './function.ts';
import type { Thread } from './thread.ts';
import { LarkObject, type LarkValue } from './value.ts';

export type Side = 'left' | 'right';

/**
 * A value with behaviour of its own, such as a struct or a time. The defaults support no operation.
 */
export abstract class Extension extends LarkObject {
  text(_write: (value: LarkValue) => string, _thread: Thread): string {
    return `<${this.type}>`;
  }

  truth(): boolean {
    return true;
  }

  attribute(_name: string, _thread: Thread): LarkValue | undefined {
    return undefined;
  }

  attributeNames(): readonly string[] {
    return [];
  }

  setAttribute(name: string, _value: LarkValue): void {
    fail(`can't assign to .${name} field of ${this.type}`);
  }

  missingAttribute(name: string, _thread: Thread): string {
    return `${this.type} has no .${name} field or method`;
  }

  /** Canonical string: the same for equal values. */
  hashKey(_keyOf: (value: LarkValue) => string, _thread: Thread): string {
    return fail(`unhashable: ${this.type}`);
  }

  equals(other: Extension, _equal: (a: LarkValue, b: LarkValue) => boolean): boolean {
    return this === other;
  }

  /** Negative, zero or positive; `undefined` if the values have no order. */
  order(_other: Extension): number | undefined {
    return undefined;
  }

  binary(_op: string, _other: LarkValue, _side: Side, _thread: Thread): LarkValue | undefined {
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
