/**
 * Answers that are kept for a while: in memory, bounded by bytes, the least used going first. Whether a caller may see one is decided before
 * anybody looks here. Knows nothing of what the keys are made of.
 */
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
  /** In order of use: a Map keeps the order of insertion, and what is used is inserted anew. */
  readonly #kept = new Map<string, Kept>();
  readonly #mostBytes: number;
  readonly #now: () => number;
  #bytes = 0;

  constructor(mostBytes: number, now: () => number = () => performance.now()) {
    this.#mostBytes = mostBytes;
    this.#now = now;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Buffer | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    if (kept.until <= this.#now()) {
      this.#bytes -= sizeOf(kept);
      return undefined;
    }
    this.#kept.set(key, kept);
    return kept.body;
  }

  /** One answer may take a quarter of the room at most. */
  set(key: string, body: Buffer, ttlSecs: number): void {
    const kept = { body, until: this.#now() + ttlSecs * 1000 };
    if (sizeOf(kept) > this.#mostBytes / 4) return;
    this.#drop(key);
    this.#kept.set(key, kept);
    this.#bytes += sizeOf(kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#mostBytes) break;
      this.#drop(oldest);
    }
  }

  close(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= sizeOf(kept);
  }
}

function sizeOf({ body }: Kept): number {
  return body.length + OVERHEAD;
}
