/**
 * When pictures of a database (its tables, its foreign keys) are renewed: in the background, shortly before they are too old to be used. Those that
 * are in use are watched, so that somebody who asks every now and then does not wait for the catalogue each time.
 */

/** No picture is older when it is used. */
export const MAX_AGE_MS = 5000;
/** How a picture is read. The server's limit is that of the requests around it. */
export const READ_OPTIONS = { timeoutMs: 10_000, serverLimit: 'any' } as const;
/**
 * Not earlier than needed: with a thousand tables in use, renewals are most of the load that we put on databases. Not all at the same age: tables that
 * were first asked for at the same moment would be renewed all at once.
 */
const RENEW_AGE_MS = 4000;
const RENEW_SPREAD_MS = 1000;
/** A picture that nobody has used for so long is left to whoever asks next. */
const IN_USE_MS = 30_000;
const LOOK_EVERY_MS = 20;
/** At a look: enough for a thousand tables, and too few for anybody to wait behind them. Of more, some grow old. */
const MOST_AT_A_LOOK = 7;

export function renewAge(): number {
  return RENEW_AGE_MS - Math.random() * RENEW_SPREAD_MS;
}

/**
 * Reads in the background, behind the request that has found the picture old: that one takes the idle connection first. A read that fails does not
 * concern it; the first request after five seconds will see it.
 */
export function renewLater(read: () => Promise<unknown>): void {
  setImmediate(() => void read().catch(() => undefined));
}

export interface Renewable {
  readonly seen: number;
  readonly renewAge: number;
  readonly used: number;
}

interface Reader {
  /** Can it be read now without anybody waiting for it? */
  readonly isFree: () => boolean;
  readonly read: () => Promise<unknown>;
}

export class Renewals {
  /** Those that were seen first come first, but for the time that their reads took. */
  readonly #watched = new Map<Renewable, Reader>();
  #timer: NodeJS.Timeout | undefined;

  /** Until it is renewed, or has not been used for a while. */
  watch(picture: Renewable, reader: Reader): void {
    this.#watched.delete(picture);
    this.#watched.set(picture, reader);
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  #look(): void {
    const now = performance.now();
    let more = MOST_AT_A_LOOK;
    for (const [picture, { isFree, read }] of this.#watched) {
      if (now - picture.seen < RENEW_AGE_MS - RENEW_SPREAD_MS) break;
      const isDue = now - picture.seen > picture.renewAge;
      if (now - picture.used > IN_USE_MS) this.#watched.delete(picture);
      else if (isDue && more > 0 && isFree()) {
        more--;
        this.#watched.delete(picture);
        renewLater(read);
      }
    }
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
