/**
 * Counts the writes to a socket. If one fails, the statements of earlier writes may have reached
 * the server, and those of later ones have not.
 */
import type { Socket } from 'node:net';
import type { StatementEffect } from '../contract/engine.ts';

export class WriteProgress {
  #begun = 0;
  #taken = 0;

  /** Number of the last write. */
  get last(): number {
    return this.#begun;
  }

  /** `over` is called when the bytes are no longer needed. */
  write(socket: Socket, bytes: Uint8Array, over: () => void = NOTHING): void {
    this.#begun++;
    socket.write(bytes, (error) => {
      if (!error) this.#taken++;
      over();
    });
  }

  /** Effect of a statement whose last byte is in write `number`, once the socket has failed. */
  effectOf(number: number, effect: StatementEffect): StatementEffect {
    return effect === 'unsent' && number <= this.#taken ? 'unknown' : effect;
  }
}

const NOTHING = (): void => undefined;
