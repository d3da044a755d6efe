/** Detects clients that take nothing of their answer: by what the runtime has handed to the system, and by what the system still holds. */
import type { Socket } from 'node:net';

/** The part of a socket that shows the progress of its writes. */
interface Handle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

export class Sending {
  /** For how many sweeps in a row nothing has moved. */
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
   * `unsent` is what the system has taken and the client has not, undefined where the system does not tell. The system takes more in large steps
   * only, so with a slow client this may be all that moves. Returns true when nothing has moved for more than this many sweeps.
   */
  hasStalled(unsent: number | undefined, sweeps: number): boolean {
    const before = this.#unsent;
    this.#unsent = unsent ?? 0;
    // There must be something to compare with.
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
