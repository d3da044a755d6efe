/**
 * Stale-while-revalidate cache of catalog data. Must not import engines: it only knows how old its
 * values are.
 */
import type { Entry } from '../../model/entry.ts';
import { BoundedMap } from '../../util/bounded-map.ts';
import type { MaybePromise } from '../../util/concurrency/maybe-promise.ts';

/** Maximum age of a value that is returned. */
const MAX_AGE_MS = 5000;
/**
 * Values are refreshed at a random age in this range, so that values read together are not
 * refreshed together.
 */
const MIN_REFRESH_AGE_MS = 3000;
const MAX_REFRESH_AGE_MS = 4000;
/** Background refresh of a value stops when it was not used for this long. */
const IN_USE_MS = 30_000;
const TICK_MS = 20;
/**
 * Background reads per tick. Enough to keep 1,000 values fresh; beyond that, some expire and are
 * read on demand.
 */
const MAX_READS_PER_TICK = 7;

/** One cached value. Times are those of `performance.now()`. */
interface Slot<V> {
  value: V;
  /** When the read of the value began. */
  readAt: number;
  refreshAge: number;
  usedAt: number;
}

interface Pending<V> {
  readonly startedAt: number;
  readonly value: Promise<V>;
}

export interface CacheOptions<Id, V> {
  /** Identifies a value within its entry. */
  readonly keyOf: (id: Id) => string;
  /** Reads the current value. `undefined` if there is none; such a result is not cached. */
  readonly read: (id: Id, old: V | undefined) => Promise<V>;
  /** Limit of the sizes of all values, and of those of one entry. */
  readonly maxSize: number;
  readonly maxSizePerEntry?: number;
  /** 1 if absent. */
  readonly sizeOf?: (value: V) => number;
  /** Keeps values that are in use fresh between requests. */
  readonly background?: {
    /** A copy of the ID that retains nothing else of its request. */
    readonly copyId: (id: Id) => Id;
    readonly isCheap: (value: V) => boolean;
    /** `true` if a read now delays no request. */
    readonly isIdle: (id: Id) => boolean;
  };
}

type Slots<V> = BoundedMap<string, Slot<V>>;

export class RefreshingCache<Id extends { readonly entry: Entry }, V> {
  readonly #options: CacheOptions<Id, V>;
  readonly #byEntry: BoundedMap<string, Slots<V>>;
  readonly #pending = new Map<string, Pending<V>>();
  /** Slots that the timer refreshes, roughly ordered by the age of their values. */
  readonly #refreshed = new Map<Slot<V>, Id>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: CacheOptions<Id, V>) {
    this.#options = options;
    this.#byEntry = new BoundedMap(options.maxSize, { sizeOf: (slots) => Math.max(1, slots.total) });
  }

  /**
   * Returns the value at once if it is fresh, else a promise. A value whose read began before
   * `since` is not fresh.
   */
  find(id: Id, since?: number): MaybePromise<V> {
    const slot = this.#slot(id);
    const now = performance.now();
    if (slot !== undefined) slot.usedAt = now;
    if (slot === undefined || slot.readAt < (since ?? now - MAX_AGE_MS)) return this.#readSince(id, since);
    if (now - slot.readAt > slot.refreshAge) this.#readLater(id);
    return slot.value;
  }

  /** Returns the cached value whatever its age, without counting as a use. */
  peek(id: Id): V | undefined {
    return this.#slot(id)?.value;
  }

  /** Age of the value in ms; infinite if there is none. */
  age(id: Id): number {
    const slot = this.#slot(id);
    return slot === undefined ? Number.POSITIVE_INFINITY : performance.now() - slot.readAt;
  }

  /** Reads the value, or joins a read that is already under way. */
  read(id: Id): Promise<V> {
    const key = this.#pendingKey(id);
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending.value;
    const startedAt = performance.now();
    const value = this.#read(id, startedAt).finally(() => this.#pending.delete(key));
    this.#pending.set(key, { startedAt, value });
    return value;
  }

  /**
   * Reads the value again. A read under way is awaited but not joined: it may have begun before a
   * change.
   */
  async refresh(id: Id): Promise<V> {
    await this.settled(id);
    return this.read(id);
  }

  /** Waits for a read that is under way, whether or not it succeeds. */
  async settled(id: Id): Promise<void> {
    await this.#pending.get(this.#pendingKey(id))?.value.catch(() => undefined);
  }

  forgetEntry(entryId: string): void {
    this.#byEntry.delete(entryId);
  }

  #readSince(id: Id, since = Number.NEGATIVE_INFINITY): Promise<V> {
    const pending = this.#pending.get(this.#pendingKey(id));
    return pending !== undefined && pending.startedAt < since ? this.refresh(id) : this.read(id);
  }

  #slot(id: Id): Slot<V> | undefined {
    return this.#byEntry.get(id.entry.id)?.get(this.#options.keyOf(id));
  }

  #pendingKey(id: Id): string {
    return `${id.entry.id}\0${this.#options.keyOf(id)}`;
  }

  async #read(id: Id, startedAt: number): Promise<V> {
    const value = await this.#options.read(id, this.peek(id));
    this.#store(id, value, startedAt);
    return value;
  }

  #store(id: Id, value: V, readAt: number): void {
    const { keyOf, maxSize, maxSizePerEntry = maxSize, sizeOf = () => 1, background } = this.#options;
    const key = keyOf(id);
    const slots: Slots<V> =
      this.#byEntry.get(id.entry.id) ?? new BoundedMap(maxSizePerEntry, { sizeOf: (slot: Slot<V>) => sizeOf(slot.value) });
    const slot = slots.get(key) ?? { value, readAt, refreshAge: 0, usedAt: readAt };
    slot.value = value;
    slot.readAt = readAt;
    slot.refreshAge = MIN_REFRESH_AGE_MS + Math.random() * (MAX_REFRESH_AGE_MS - MIN_REFRESH_AGE_MS);
    this.#refreshed.delete(slot);
    if (value === undefined) slots.delete(key);
    else slots.set(key, slot);
    // Setting the map again makes its bound account for the new size.
    if (slots.size > 0) this.#byEntry.set(id.entry.id, slots);
    else this.#byEntry.delete(id.entry.id);
    if (value === undefined || background?.isCheap(value) !== true) return;
    this.#refreshed.set(slot, background.copyId(id));
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /**
   * Reads after the current request, which needs the idle connection first. The first request after
   * MAX_AGE_MS sees a failure.
   */
  #readLater(id: Id): void {
    setImmediate(() => void this.read(id).catch(() => undefined));
  }

  #tick(): void {
    const now = performance.now();
    let reads = 0;
    for (const [slot, id] of this.#refreshed) {
      if (now - slot.readAt < MIN_REFRESH_AGE_MS) break;
      if (now - slot.usedAt > IN_USE_MS || this.#slot(id) !== slot) this.#refreshed.delete(slot);
      else if (now - slot.readAt > slot.refreshAge && reads < MAX_READS_PER_TICK && this.#options.background?.isIdle(id)) {
        reads++;
        this.#refreshed.delete(slot);
        this.#readLater(id);
      }
    }
    if (this.#refreshed.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
