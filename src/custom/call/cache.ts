/**
 * Keeps answers for a while: in memory, bounded by bytes, least recently used. Whether a caller may see an answer is decided before.
 * Knows nothing of what the keys contain.
 */
import { BoundedMap } from '../../util/bounded-map.ts';
export interface ResponseCache {
  get(key: string): Buffer | undefined | Promise<Buffer | undefined>;
  set(key: string, body: Buffer, ttlSecs: number): void;
  close(): void | Promise<void>;
}

interface Kept {
  readonly body: Buffer;
  readonly until: number;
}

/** The size of an entry beside its body. */
const OVERHEAD = 300;

export class MemoryCache implements ResponseCache {
  readonly #kept: BoundedMap<string, Kept>;
  readonly #mostBytes: number;
  readonly #now: () => number;
  constructor(mostBytes: number, now: () => number = () => performance.now()) {
    this.#kept = new BoundedMap(mostBytes, { sizeOf });
    this.#mostBytes = mostBytes;
    this.#now = now;
  }

  get bytes(): number {
    return this.#kept.total;
  }

  get(key: string): Buffer | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (kept.until > this.#now()) return kept.body;
    this.#kept.delete(key);
    return undefined;
  }

  /** One answer may take at most a quarter of the memory. */
  set(key: string, body: Buffer, ttlSecs: number): void {
    const kept = { body, until: this.#now() + ttlSecs * 1000 };
    if (sizeOf(kept) <= this.#mostBytes / 4) this.#kept.set(key, kept);
  }

  close(): void {
    this.#kept.clear();
  }
}

function sizeOf({ body }: Kept): number {
  return body.length + OVERHEAD;
}
