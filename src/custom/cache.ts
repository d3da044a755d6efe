/**
 * Answers that are kept for a while: in memory, bounded by bytes, the least used going first. Whether a caller may see one is decided before
 * anybody looks here. Knows nothing of what the keys are made of.
 */
import { BoundedMap } from '../util/bounded-map.ts';
export interface ResponseCache {
  get(key: string): Buffer | undefined | Promise<Buffer | undefined>;
  set(key: string, body: Buffer, ttlSecs: number): void;
  close(): void | Promise<void>;
}

interface Kept {
  readonly body: Buffer;
  readonly until: number;
}

/** What an entry takes beside its body. */
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

  /** One answer may take a quarter of the room at most. */
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
