/** `struct(…)`: a value with named fields. Structs of different constructors are never equal. */

import { Extension, type Side } from './extension.ts';
import { fail } from './failure.ts';
import { LarkBuiltin } from './function.ts';
import { chargeSort } from './iterate.ts';
import type { Thread } from './thread.ts';
import { LarkObject, type LarkValue } from './value.ts';

export class LarkStruct extends Extension {
  readonly #brand: LarkValue;
  readonly fields: ReadonlyMap<string, LarkValue>;

  constructor(brand: LarkValue, fields: ReadonlyMap<string, LarkValue>) {
    super();
    this.#brand = brand;
    this.fields = fields;
  }

  get type(): string {
    return 'struct';
  }

  #name(thread: Thread): string {
    if (typeof this.#brand === 'string') return this.#brand;
    return this.#brand instanceof Extension ? this.#brand.text(() => '', thread) : 'struct';
  }

  override text(write: (value: LarkValue) => string, thread: Thread): string {
    chargeSort(thread, this.fields.size);
    const fields = [...this.fields].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => `${name} = ${write(value)}`);
    return `${this.#name(thread)}(${fields.join(', ')})`;
  }

  override attribute(name: string): LarkValue | undefined {
    return this.fields.get(name);
  }

  override attributeNames(): readonly string[] {
    return [...this.fields.keys()];
  }

  override missingAttribute(name: string, thread: Thread): string {
    const type = this.#brand instanceof LarkObject ? `${this.#name(thread)} struct` : 'struct';
    return `${type} has no .${name} attribute`;
  }

  override hashKey(keyOf: (value: LarkValue) => string, thread: Thread): string {
    chargeSort(thread, this.fields.size);
    const names = [...this.fields.keys()].sort();
    return `struct ${this.#name(thread)} ${names.map((name) => `${name}=${keyOf(this.fields.get(name) ?? null)}`).join(',')}`;
  }

  override equals(other: Extension, equal: (a: LarkValue, b: LarkValue) => boolean): boolean {
    if (!(other instanceof LarkStruct) || other.#brand !== this.#brand || other.fields.size !== this.fields.size) return false;
    for (const [name, value] of this.fields) {
      const theirs = other.fields.get(name);
      if (theirs === undefined || !equal(value, theirs)) return false;
    }
    return true;
  }

  /** The sum has the fields of both; the right operand takes precedence. */
  override binary(op: string, other: LarkValue, side: Side, thread: Thread): LarkValue | undefined {
    if (op !== '+' || side !== 'left' || !(other instanceof LarkStruct)) return undefined;
    if (other.#brand !== this.#brand) {
      fail(`cannot add structs of different constructors: ${this.#name(thread)} + ${other.#name(thread)}`);
    }
    chargeStruct(thread, this.fields.size + other.fields.size);
    return new LarkStruct(this.#brand, new Map([...this.fields, ...other.fields]));
  }

  override children(): Iterable<LarkValue> {
    return this.fields.values();
  }
}

/** Charges a struct with this many fields. */
function chargeStruct(thread: Thread, fields: number): void {
  thread.charge((fields + 1) * 48);
  thread.spend(fields);
}

export const STRUCT = new LarkBuiltin('struct', (thread, args, named) => {
  if (args.length > 0) fail('struct: unexpected positional arguments');
  chargeStruct(thread, named.length);
  return new LarkStruct('struct', new Map(named));
});
