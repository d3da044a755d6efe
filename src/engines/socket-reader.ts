/**
 * What a database sends, brought to its reader without a stream between: all plain sockets read into one buffer, whose bytes are used, or
 * copied, before the reader returns, and are wiped then: whatever a reader gets wrong, nothing of another connection is there to be shown.
 * A socket inside of TLS has its own buffers and is read as a stream. Knows no protocol.
 */
import { Socket, type SocketConstructorOpts } from 'node:net';

/** Looks at bytes[0..length) and keeps nothing of them. */
export type OnBytes = (bytes: Buffer, length: number) => void;

const SHARED = Buffer.allocUnsafeSlow(64 * 1024);

/** That of plain arrays: it has no arguments to check, and a few bytes are wiped in a few nanoseconds. */
const wipe = Uint8Array.prototype.fill;

export class SocketReader {
  #reader: OnBytes | undefined;

  /** A socket to be connected. Until somebody reads here, its bytes come as events, as a driver that logs in expects them. */
  socket(options: SocketConstructorOpts = {}): Socket {
    const socket: Socket = new Socket({
      ...options,
      onread: {
        buffer: SHARED,
        callback: (length: number) => {
          try {
            if (this.#reader === undefined) socket.emit('data', Buffer.from(SHARED.subarray(0, length)));
            else this.#reader(SHARED, length);
          } catch (error) {
            // A reader that stumbles over what a server sent costs this connection, and not the process.
            socket.destroy(error as Error);
          } finally {
            wipe.call(SHARED, 0, 0, length);
          }
          return true;
        },
      },
    } as SocketConstructorOpts);
    return socket;
  }

  /** From now on all that comes on the socket goes to this reader, whichever way it comes, until another one takes its place. */
  read(socket: Socket, reader: OnBytes): void {
    if (this.#reader === undefined) socket.on('data', (chunk: Buffer) => this.#reader?.(chunk, chunk.length));
    this.#reader = reader;
  }
}
