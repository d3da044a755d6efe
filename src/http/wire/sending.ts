/** Whether a client takes what is sent to it: noticed by what the runtime has handed on, and by what the system still holds. */
import type { Socket } from 'node:net';

/** The part of a socket that says how far its writing has come. */
interface Handle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

export class Sending {
  /** At how many looks in a row nothing had moved. */
  stuck = 0;
  readonly #socket: Socket;
  #taken = -1;
  #unsent = -1;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Called while something is unsent; returns `stuck`. */
  look(): number {
    const handle = (this.#socket as unknown as { readonly _handle: Handle | null })._handle;
    const taken = handle === null ? -1 : handle.bytesWritten - handle.writeQueueSize;
    this.stuck = taken === this.#taken ? this.stuck + 1 : 0;
    this.#taken = taken;
    return this.stuck;
  }

  /** What the system has taken and the client has not. It takes more in large steps only: a slow client may move nothing but this. */
  learn(unsent: number): void {
    if (this.#unsent >= 0 && unsent !== this.#unsent) this.stuck = 0;
    this.#unsent = unsent;
  }

  /** Nothing is unsent. */
  rest(): void {
    this.stuck = 0;
    this.#taken = -1;
    this.#unsent = -1;
  }
}
