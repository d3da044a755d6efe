/**
 * Records in memory by key: found without waiting, loaded once when absent, dropped when they change. Knows nothing of what they are.
 *
 * Bounded in two generations: what was used since the younger one began stays, the rest goes when the younger one is full. That costs
 * one look-up for a hit. Keys that have no record are remembered apart, in a small set, so that nobody can push records out
 * by asking for things that do not exist.
 */
const MOST_ABSENT = 1_000;

export class RecordCache<T extends object> {
  readonly #half: number;
  readonly #load: (key: string) => Promise<T | undefined>;
  #young = new Map<string, T>();
  #old = new Map<string, T>();
  readonly #absent = new Set<string>();
  readonly #loading = new Map<string, Promise<T | undefined>>();

  constructor(most: number, load: (key: string) => Promise<T | undefined>) {
    this.#half = Math.max(1, Math.floor(most / 2));
    this.#load = load;
  }

  get(key: string): T | undefined | Promise<T | undefined> {
    const hit = this.#young.get(key);
    if (hit !== undefined) return hit;
    const older = this.#old.get(key);
    if (older !== undefined) {
      this.#keep(key, older);
      return older;
    }
    if (this.#absent.has(key)) return undefined;
    return this.#loading.get(key) ?? this.#begin(key);
  }

  /** Forgets the record and whatever is being loaded: a load that began before the change must not be taken for what came after. */
  drop(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
    this.#absent.delete(key);
    this.#loading.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
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
    if (value !== undefined) {
      this.#keep(key, value);
      return;
    }
    if (this.#absent.size >= MOST_ABSENT) this.#absent.clear();
    this.#absent.add(key);
  }

  #keep(key: string, value: T): void {
    if (this.#young.size >= this.#half) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
