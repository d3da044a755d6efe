/**
 * Dicts and sets: insertion-ordered tables over a JavaScript Map. A dict of a host's row keeps the
 * host's Map until a program reads it.
 */
import { fail } from './failure.ts';
import { CompoundKey, compoundText, type Key, simpleKey } from './hash.ts';
import { readable } from './text/utf8.ts';
import { LarkObject, type LarkValue } from './value.ts';

abstract class Table<Entry> extends LarkObject {
  protected entries: Map<Key, Entry>;
  #compounds: Map<string, CompoundKey> | undefined = undefined;
  frozen = false;
  iterating = 0;

  constructor(entries: Map<Key, Entry>) {
    super();
    this.entries = entries;
  }

  checkMutable(verb: 'insert into' | 'delete from' | 'clear'): void {
    if (this.frozen) fail(`cannot ${verb} frozen hash table`);
    if (this.iterating > 0) fail(`cannot ${verb} hash table during iteration`);
  }

  /** Key of the value in this table; `undefined` for a compound value that is not in it. */
  protected find(value: LarkValue): Key | undefined {
    const simple = simpleKey(value);
    if (simple !== undefined) return simple;
    return this.#compounds?.get(compoundText(value)) ?? (this.#compounds === undefined ? void compoundText(value) : undefined);
  }

  protected make(value: LarkValue): Key {
    const simple = simpleKey(value);
    if (simple !== undefined) return simple;
    const text = compoundText(value);
    this.#compounds ??= new Map();
    const known = this.#compounds.get(text);
    if (known !== undefined) return known;
    const key = new CompoundKey(text);
    this.#compounds.set(text, key);
    return key;
  }

  protected forget(key: Key): void {
    if (key instanceof CompoundKey) this.#compounds?.delete(key.text);
  }
}

/** Entries of a dict that was not read yet; never written to. */
const NO_ENTRIES = new Map<Key, LarkValue>();

export class LarkDict extends Table<LarkValue> {
  /** Original values of keys that are not their own Map key. */
  #originals: Map<Key, LarkValue> | undefined = undefined;
  /** The host's map, until the program first reads it. */
  #untouched: ReadonlyMap<string, unknown> | undefined;
  readonly #read: ((value: unknown) => LarkValue) | undefined;

  constructor(untouched?: ReadonlyMap<string, unknown>, read?: (value: unknown) => LarkValue) {
    super(untouched === undefined ? new Map() : NO_ENTRIES);
    this.#untouched = untouched;
    this.#read = read;
  }

  get type(): string {
    return 'dict';
  }

  /** The host's own map if the program never read it. */
  get untouched(): ReadonlyMap<string, unknown> | undefined {
    return this.#untouched;
  }

  get size(): number {
    return this.#untouched === undefined ? this.entries.size : this.#untouched.size;
  }

  #touch(): void {
    const untouched = this.#untouched;
    const read = this.#read;
    if (untouched === undefined || read === undefined) return;
    this.#untouched = undefined;
    this.entries = new Map();
    for (const [key, value] of untouched) this.entries.set(readable(key), read(value));
  }

  /** Scalars of the host need no conversion; a compound value is converted once. */
  #peek(untouched: ReadonlyMap<string, unknown>, key: LarkValue): LarkValue | undefined {
    if (typeof key === 'string') {
      const value = untouched.get(key);
      if (typeof value === 'string') return readable(value);
      if (typeof value === 'boolean' || value === undefined || value === null) return value;
      if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    }
    this.#touch();
    return this.get(key);
  }

  get(key: LarkValue): LarkValue | undefined {
    if (this.#untouched !== undefined) return this.#peek(this.#untouched, key);
    if (typeof key === 'string' || typeof key === 'number') return this.entries.get(key);
    const stored = this.find(key);
    return stored === undefined ? undefined : this.entries.get(stored);
  }

  has(key: LarkValue): boolean {
    return this.get(key) !== undefined;
  }

  /** Returns whether the key is new. */
  set(key: LarkValue, value: LarkValue): void {
    if (this.#untouched !== undefined) this.#touch();
    if (this.frozen || this.iterating > 0) this.checkMutable('insert into');
    if (typeof key === 'string' || typeof key === 'number') {
      this.entries.set(key, value);
      return;
    }
    const made = this.make(key);
    if (made !== key && !this.entries.has(made)) {
      this.#originals ??= new Map();
      this.#originals.set(made, key);
    }
    this.entries.set(made, value);
  }

  delete(key: LarkValue): LarkValue | undefined {
    this.#touch();
    const stored = this.find(key);
    this.checkMutable('delete from');
    if (stored === undefined) return undefined;
    const value = this.entries.get(stored);
    if (value === undefined) return undefined;
    this.entries.delete(stored);
    this.#originals?.delete(stored);
    this.forget(stored);
    return value;
  }

  clear(): void {
    this.#touch();
    this.checkMutable('clear');
    this.entries = new Map();
    this.#originals = undefined;
  }

  #original(key: Key): LarkValue {
    const original = this.#originals?.get(key);
    if (original !== undefined) return original;
    return key instanceof CompoundKey ? null : key;
  }

  *keys(): Generator<LarkValue> {
    this.#touch();
    for (const key of this.entries.keys()) yield this.#original(key);
  }

  keyList(): LarkValue[] {
    this.#touch();
    const keys: LarkValue[] = [];
    for (const key of this.entries.keys()) keys.push(this.#originals === undefined ? (key as LarkValue) : this.#original(key));
    return keys;
  }

  values(): IterableIterator<LarkValue> {
    this.#touch();
    return this.entries.values();
  }

  *pairs(): Generator<[LarkValue, LarkValue]> {
    this.#touch();
    for (const [key, value] of this.entries) yield [this.#original(key), value];
  }
}

/**
 * A dict whose keys can also be read as attributes, such as the input of a step. Predeclared by the
 * host.
 */
export class LarkRecord extends LarkDict {
  /** The host's name for it. */
  name = '';
}

export class LarkSet extends Table<LarkValue> {
  constructor() {
    super(new Map());
  }

  get type(): string {
    return 'set';
  }

  get size(): number {
    return this.entries.size;
  }

  has(value: LarkValue): boolean {
    const key = this.find(value);
    return key !== undefined && this.entries.has(key);
  }

  /**
   * Adding an element that is already present is not a change, except that a frozen set always
   * rejects it.
   */
  add(value: LarkValue): void {
    const key = this.make(value);
    this.checkMutable('insert into');
    if (!this.entries.has(key)) this.entries.set(key, value);
  }

  delete(value: LarkValue): boolean {
    const key = this.find(value);
    this.checkMutable('delete from');
    if (key === undefined || !this.entries.delete(key)) return false;
    this.forget(key);
    return true;
  }

  clear(): void {
    if (this.entries.size > 0 || this.iterating > 0) this.checkMutable('clear');
    this.entries = new Map();
  }

  values(): IterableIterator<LarkValue> {
    return this.entries.values();
  }
}

export function setOf(values: Iterable<LarkValue>): LarkSet {
  const set = new LarkSet();
  for (const value of values) set.add(value);
  return set;
}
