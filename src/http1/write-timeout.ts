/** Detects clients that do not read their response. Uses the public interface of sockets only. */
import type { Socket } from 'node:net';

/**
 * Minimum time without progress. The system accepts bytes in steps of up to 2 MB, so a slow but
 * steady reader may show no progress for several seconds.
 */
const MIN_STALL_MS = 7000;

/** Limit for a single write however its progress looks: this time, plus the time at this rate. */
const MAX_WRITE_MS = 120_000;
const MIN_BYTES_PER_MS = 1;

/**
 * The socket's own timeout is extended while a write progresses, but also by every byte that the
 * client sends. The limit for a single write stops clients that send a byte now and then.
 */
export class WriteTimeout {
  readonly #socket: Socket;
  readonly #stallMs: number;
  #isArmed = false;
  /** `socket.writableLength` since `#unchangedSince`. */
  #pending = 0;
  #unchangedSince = 0;

  /** Call `socket.on('timeout', …)` for stalls that the socket detects. */
  constructor(socket: Socket, stallMs: number) {
    this.#socket = socket;
    this.#stallMs = Math.max(stallMs, MIN_STALL_MS);
  }

  /** Called regularly. `true` if the current write takes longer than any write may. */
  isExceeded(now: number): boolean {
    const pending = this.#socket.writableLength;
    if (pending === 0) {
      if (this.#isArmed) this.#socket.setTimeout(0);
      this.#isArmed = false;
    } else if (!this.#isArmed) {
      this.#socket.setTimeout(this.#stallMs);
      this.#isArmed = true;
    }
    if (pending !== this.#pending) this.#unchangedSince = now;
    this.#pending = pending;
    return pending > 0 && now - this.#unchangedSince > MAX_WRITE_MS + pending / MIN_BYTES_PER_MS;
  }
}
