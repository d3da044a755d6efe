/** Whether a client takes what is sent to it: noticed by what the runtime has handed on, and by what the system still holds. */
import type { Socket } from 'node:net';

/** The part of a socket that says how far its writing has come. */
interface Handle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

export class Sending {
  /** At how many sweeps in a row nothing had moved. */
  stuck = 0;
  readonly #socket: Socket;
  #taken = -1;
  #unsent = -1;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Called while something is unsent. */
  sweep(): void {
    const handle = (this.#socket as unknown as { readonly _handle: Handle | null })._handle;
    const taken = handle === null ? -1 : handle.bytesWritten - handle.writeQueueSize;
    this.stuck = taken === this.#taken ? this.stuck + 1 : 0;
    this.#taken = taken;
  }

  /**
   * What the system has taken and the client has not, or undefined where it does not tell. It takes more in large steps only: a slow client may
   * move nothing but this. Returns whether the client has stood still for more than so many sweeps.
   */
  hasStalled(unsent: number | undefined, sweeps: number): boolean {
    const before = this.#unsent;
    this.#unsent = unsent ?? 0;
    // Something to compare with is needed first.
    if (unsent !== undefined && before < 0) return false;
    if (unsent !== undefined && unsent !== before) this.stuck = 0;
    return this.stuck > sweeps;
  }

  /** Nothing is unsent. */
  rest(): void {
    this.stuck = 0;
    this.#taken = -1;
    this.#unsent = -1;
  }
}
