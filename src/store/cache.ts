/**
 * Records in memory by key: read synchronously, loaded once when absent, dropped on a change. Keys
 * without a record have a small map of their own, so that requests for unknown keys cannot evict
 * records.
 */
import { BoundedMap } from '../util/bounded-map.ts';

const MAX_ABSENT = 1_000;

export class RecordCache<T extends object> {
  readonly #load: (key: string) => Promise<T | undefined>;
  readonly #records: BoundedMap<string, T>;
  readonly #absent = new BoundedMap<string, true>(MAX_ABSENT);
  readonly #loading = new Map<string, Promise<T | undefined>>();

  constructor(most: number, load: (key: string) => Promise<T | undefined>) {
    this.#records = new BoundedMap(most);
    this.#load = load;
  }

  get(key: string): T | undefined | Promise<T | undefined> {
    const hit = this.#records.get(key);
    if (hit !== undefined) return hit;
    if (this.#absent.get(key) === true) return undefined;
    return this.#loading.get(key) ?? this.#begin(key);
  }

  /** Drops the record and any load in progress, which may have read the state before the change. */
  drop(key: string): void {
    this.#records.delete(key);
    this.#absent.delete(key);
    this.#loading.delete(key);
  }

  clear(): void {
    this.#records.clear();
    this.#absent.clear();
    this.#loading.clear();
  }

  #begin(key: string): Promise<T | undefined> {
    const loading: Promise<T | undefined> = this.#load(key).then(
      (value) => {
        if (this.#loading.get(key) === loading) this.#settle(key, value);
        return value;
      },
      (cause: unknown) => {
        if (this.#loading.get(key) === loading) this.#loading.delete(key);
        throw cause;
      },
    );
    this.#loading.set(key, loading);
    return loading;
  }

  #settle(key: string, value: T | undefined): void {
    this.#loading.delete(key);
    if (value !== undefined) this.#records.set(key, value);
    else this.#absent.set(key, true);
  }
}
