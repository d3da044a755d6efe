/**
 * Response cache in Redis, shared by several instances. While Redis does not respond, every lookup
 * is a miss.
 */
import { createClient, RESP_TYPES } from 'redis';
import type { ResponseCache } from './memory-cache.ts';

/** A slower lookup counts as a miss. */
const LOOKUP_TIMEOUT_MS = 250;
/** Errors are logged at most once per interval. */
const LOG_INTERVAL_MS = 60_000;
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const PREFIX = 'millrace:';

export class RedisCache implements ResponseCache {
  readonly #client;
  readonly #onError: (error: unknown) => void;
  #quietUntil = 0;

  constructor(url: string, onError: (error: unknown) => void) {
    this.#onError = onError;
    this.#client = createClient({
      url,
      disableOfflineQueue: true,
      socket: { connectTimeout: 2_000, reconnectStrategy: (tries) => Math.min(100 * 2 ** Math.min(tries, 6), 5_000) },
    }).withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
    this.#client.on('error', (error) => this.#report(error));
    this.#client.connect().catch((error: unknown) => this.#report(error));
  }

  async get(key: string): Promise<Buffer | undefined> {
    if (!this.#client.isReady) return undefined;
    try {
      return (await withTimeout(this.#client.get(PREFIX + key))) ?? undefined;
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }

  set(key: string, body: Buffer, ttlSecs: number): void {
    if (!this.#client.isReady || body.length > MAX_BODY_BYTES) return;
    this.#client.set(PREFIX + key, body, { expiration: { type: 'EX', value: ttlSecs } }).catch((error: unknown) => this.#report(error));
  }

  close(): void {
    this.#client.destroy();
  }

  #report(error: unknown): void {
    const now = performance.now();
    if (now < this.#quietUntil) return;
    this.#quietUntil = now + LOG_INTERVAL_MS;
    this.#onError(error);
  }
}

function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the cache did not answer in time')), LOOKUP_TIMEOUT_MS);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
