/**
 * Passes what a database sends to its reader without a stream in between. All plain sockets read into one shared buffer. The reader uses or copies
 * the bytes before it returns; then they are wiped, so that a faulty reader can never show bytes of another connection.
 * A TLS socket has its own buffers and is read as a stream. Knows no protocol.
 */
import { Socket, type SocketConstructorOpts } from 'node:net';

/** Reads bytes[0..length) and keeps nothing of them. */
export type OnBytes = (bytes: Buffer, length: number) => void;

const SHARED = Buffer.allocUnsafeSlow(64 * 1024);

/** The method of plain typed arrays checks fewer arguments: a few bytes are wiped in a few nanoseconds. */
const wipe = Uint8Array.prototype.fill;

export class SocketReader {
  #reader: OnBytes | undefined;

  /** A socket that is not connected yet. Until `read` is called, its bytes arrive as events, as a driver that logs in expects. */
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
            // A reader that fails on what a server sent ends this connection, not the process.
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

  /** From now on, everything that arrives on the socket goes to this reader, until another one replaces it. */
  read(socket: Socket, reader: OnBytes): void {
    if (this.#reader === undefined) socket.on('data', (chunk: Buffer) => this.#reader?.(chunk, chunk.length));
    this.#reader = reader;
  }
}
