/**
 * The same in Redis, for several instances. A server that does not answer counts as an empty cache: calls go on, and the log mentions it now and
 * then.
 */
import { createClient, RESP_TYPES } from 'redis';
import type { ResponseCache } from './cache.ts';

/** Nobody waits longer for a cache. */
const PATIENCE_MS = 250;
const QUIET_MS = 60_000;
const MOST_BYTES = 8 * 1024 * 1024;
const PREFIX = 'millrace:';

export class RedisCache implements ResponseCache {
  readonly #client;
  readonly #onTrouble: (error: unknown) => void;
  #quietUntil = 0;

  constructor(url: string, onTrouble: (error: unknown) => void) {
    this.#onTrouble = onTrouble;
    this.#client = createClient({
      url,
      disableOfflineQueue: true,
      socket: { connectTimeout: 2_000, reconnectStrategy: (tries) => Math.min(100 * 2 ** Math.min(tries, 6), 5_000) },
    }).withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
    this.#client.on('error', (error) => this.#trouble(error));
    this.#client.connect().catch((error: unknown) => this.#trouble(error));
  }

  async get(key: string): Promise<Buffer | undefined> {
    if (!this.#client.isReady) return undefined;
    try {
      const found = await withinPatience(this.#client.get(PREFIX + key));
      return found ?? undefined;
    } catch (error) {
      this.#trouble(error);
      return undefined;
    }
  }

  set(key: string, body: Buffer, ttlSecs: number): void {
    if (!this.#client.isReady || body.length > MOST_BYTES) return;
    this.#client.set(PREFIX + key, body, { expiration: { type: 'EX', value: ttlSecs } }).catch((error: unknown) => this.#trouble(error));
  }

  close(): void {
    this.#client.destroy();
  }

  #trouble(error: unknown): void {
    const now = performance.now();
    if (now < this.#quietUntil) return;
    this.#quietUntil = now + QUIET_MS;
    this.#onTrouble(error);
  }
}

function withinPatience<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the cache did not answer in time')), PATIENCE_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
