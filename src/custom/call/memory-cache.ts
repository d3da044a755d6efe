/**
 * Response cache in memory: bounded by bytes, least recently used entries go first. Authorization
 * happens before.
 */
import { BoundedMap } from '../../util/bounded-map.ts';

export interface ResponseCache {
  get(key: string): Buffer | undefined | Promise<Buffer | undefined>;
  set(key: string, body: Buffer, ttlSecs: number): void;
  close(): void | Promise<void>;
}

interface CacheEntry {
  readonly body: Buffer;
  readonly expiresAt: number;
}

/** Estimated size of an entry besides its body. */
const OVERHEAD_BYTES = 300;

export class MemoryCache implements ResponseCache {
  readonly #entries: BoundedMap<string, CacheEntry>;
  readonly #maxBytes: number;
  readonly #now: () => number;

  constructor(maxBytes: number, now: () => number = () => performance.now()) {
    this.#entries = new BoundedMap(maxBytes, { sizeOf });
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  get bytes(): number {
    return this.#entries.total;
  }

  get(key: string): Buffer | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expiresAt > this.#now()) return entry.body;
    this.#entries.delete(key);
    return undefined;
  }

  /** Ignores a body that exceeds 25 % of the cache. */
  set(key: string, body: Buffer, ttlSecs: number): void {
    const entry = { body, expiresAt: this.#now() + ttlSecs * 1000 };
    if (sizeOf(entry) <= this.#maxBytes / 4) this.#entries.set(key, entry);
  }

  close(): void {
    this.#entries.clear();
  }
}

function sizeOf({ body }: CacheEntry): number {
  return body.length + OVERHEAD_BYTES;
}
