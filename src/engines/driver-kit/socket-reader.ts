/**
 * Passes received bytes to a reader without a stream. All plain sockets share one read buffer,
 * which is wiped after each read, so that a faulty reader cannot see bytes of another connection.
 * A TLS socket has its own buffers and is read as a stream.
 */
import { Socket, type SocketConstructorOpts } from 'node:net';

/** Reads `bytes[0..length)` and must not retain it. */
export type OnBytes = (bytes: Buffer, length: number) => void;

const SHARED = Buffer.allocUnsafeSlow(64 * 1024);

/** The method of plain typed arrays checks fewer arguments than `Buffer.fill`. */
const wipe = Uint8Array.prototype.fill;

export class SocketReader {
  #reader: OnBytes | undefined;

  /**
   * Creates an unconnected socket. It emits `data` events until `read` is called, which login code
   * expects.
   */
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
            // A reader that fails on the bytes of a server ends this connection, not the process.
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

  /** Passes everything that arrives from now on to this reader, until another one replaces it. */
  read(socket: Socket, reader: OnBytes): void {
    if (this.#reader === undefined) socket.on('data', (chunk: Buffer) => this.#reader?.(chunk, chunk.length));
    this.#reader = reader;
  }
}
