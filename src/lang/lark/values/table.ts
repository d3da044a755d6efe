/**
 * Dicts and sets: insertion-ordered tables over a JavaScript Map. A dict of a host's row keeps the
 * host's Map until a program reads it.
 */
import { fail } from './failure.ts';
import { CompoundKey, chargeAccess, compoundText, type Key, simpleKey } from './hash.ts';
import { readable } from './text/utf8.ts';
import type { Thread } from './thread.ts';
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
  protected find(thread: Thread, value: LarkValue): Key | undefined {
    const simple = this.#simple(thread, value);
    if (simple !== undefined) return simple;
    return this.#compounds?.get(this.#text(thread, value)) ?? (this.#compounds === undefined ? void this.#text(thread, value) : undefined);
  }

  protected make(thread: Thread, value: LarkValue): Key {
    const simple = this.#simple(thread, value);
    if (simple !== undefined) return simple;
    const text = this.#text(thread, value);
    this.#compounds ??= new Map();
    const known = this.#compounds.get(text);
    if (known !== undefined) return known;
    const key = new CompoundKey(text);
    this.#compounds.set(text, key);
    return key;
  }

  #simple(thread: Thread, value: LarkValue): Exclude<Key, CompoundKey> | undefined {
    const simple = simpleKey(thread, value);
    if (typeof simple === 'string' || typeof simple === 'number') chargeAccess(thread, simple, this.entries.size);
    return simple;
  }

  #text(thread: Thread, value: LarkValue): string {
    const text = compoundText(thread, value);
    chargeAccess(thread, text, this.entries.size);
    return text;
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
  readonly #read: ((thread: Thread, value: unknown) => LarkValue) | undefined;

  constructor(untouched?: ReadonlyMap<string, unknown>, read?: (thread: Thread, value: unknown) => LarkValue) {
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

  #touch(thread: Thread): void {
    const untouched = this.#untouched;
    const read = this.#read;
    if (untouched === undefined || read === undefined) return;
    thread.spend(untouched.size);
    const entries = new Map<Key, LarkValue>();
    for (const [key, value] of untouched) entries.set(readable(key), read(thread, value));
    this.#untouched = undefined;
    this.entries = entries;
  }

  /** Scalars of the host need no conversion; a compound value is converted once. */
  #peek(thread: Thread, untouched: ReadonlyMap<string, unknown>, key: LarkValue): LarkValue | undefined {
    if (typeof key === 'string') {
      chargeAccess(thread, key, untouched.size);
      const value = untouched.get(key);
      if (typeof value === 'string') {
        thread.spend(value.length >> 6);
        return readable(value);
      }
      if (typeof value === 'boolean' || value === undefined || value === null) return value;
      if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    }
    this.#touch(thread);
    return this.get(thread, key);
  }

  get(thread: Thread, key: LarkValue): LarkValue | undefined {
    if (this.#untouched !== undefined) return this.#peek(thread, this.#untouched, key);
    if (typeof key === 'string' || typeof key === 'number') {
      chargeAccess(thread, key, this.entries.size);
      return this.entries.get(key);
    }
    const stored = this.find(thread, key);
    return stored === undefined ? undefined : this.entries.get(stored);
  }

  has(thread: Thread, key: LarkValue): boolean {
    return this.get(thread, key) !== undefined;
  }

  /** Returns whether the key is new. */
  set(thread: Thread, key: LarkValue, value: LarkValue): void {
    if (this.#untouched !== undefined) this.#touch(thread);
    if (this.frozen || this.iterating > 0) this.checkMutable('insert into');
    if (typeof key === 'string' || typeof key === 'number') {
      chargeAccess(thread, key, this.entries.size);
      this.entries.set(key, value);
      return;
    }
    const made = this.make(thread, key);
    if (made !== key && !this.entries.has(made)) {
      this.#originals ??= new Map();
      this.#originals.set(made, key);
    }
    this.entries.set(made, value);
  }

  delete(thread: Thread, key: LarkValue): LarkValue | undefined {
    this.#touch(thread);
    const stored = this.find(thread, key);
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
    this.checkMutable('clear');
    this.#untouched = undefined;
    this.entries = new Map();
    this.#originals = undefined;
  }

  #original(key: Key): LarkValue {
    const original = this.#originals?.get(key);
    if (original !== undefined) return original;
    return key instanceof CompoundKey ? null : key;
  }

  *keys(thread: Thread): Generator<LarkValue> {
    this.#touch(thread);
    for (const key of this.entries.keys()) yield this.#original(key);
  }

  keyList(thread: Thread): LarkValue[] {
    this.#touch(thread);
    const keys: LarkValue[] = [];
    for (const key of this.entries.keys()) keys.push(this.#originals === undefined ? (key as LarkValue) : this.#original(key));
    return keys;
  }

  values(thread: Thread): IterableIterator<LarkValue> {
    this.#touch(thread);
    return this.entries.values();
  }

  *pairs(thread: Thread): Generator<[LarkValue, LarkValue]> {
    this.#touch(thread);
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

  has(thread: Thread, value: LarkValue): boolean {
    const key = this.find(thread, value);
    return key !== undefined && this.entries.has(key);
  }

  /**
   * Adding an element that is already present is not a change, except that a frozen set always
   * rejects it.
   */
  add(thread: Thread, value: LarkValue): void {
    const key = this.make(thread, value);
    this.checkMutable('insert into');
    if (!this.entries.has(key)) this.entries.set(key, value);
  }

  delete(thread: Thread, value: LarkValue): boolean {
    const key = this.find(thread, value);
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

export function setOf(thread: Thread, values: Iterable<LarkValue>): LarkSet {
  const set = new LarkSet();
  for (const value of values) set.add(thread, value);
  return set;
}
