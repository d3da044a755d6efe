// A proxy in front of PostgreSQL. It passes messages on unchanged until a result has a column of
// the given name, and changes them from then on. Depends only on the framing of messages.
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { postgresProtocol } from './postgres.ts';

const DESCRIPTION = 0x54;

export class LyingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Changes a message. Messages are unchanged while it is undefined. */
  lie: ((message: Buffer) => Buffer) | undefined;

  private constructor(target: { readonly host: string; readonly port: number }, column: string) {
    this.#server = createServer((client) => {
      const real = connect(target.port, target.host);
      let rest: Buffer = Buffer.alloc(0);
      let isLying = false;
      for (const socket of [client, real]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          this.#sockets.delete(socket);
          client.destroy();
          real.destroy();
        });
      }
      client.on('data', (chunk) => real.write(chunk));
      real.on('data', (chunk) => {
        const bytes = Buffer.concat([rest, chunk]);
        const messages = postgresProtocol.frame(bytes, 0);
        const whole = messages.filter((message) => message.length >= 5 && message.length === 1 + message.readInt32BE(1));
        rest = bytes.subarray(Buffer.concat(whole).length);
        for (const message of whole) {
          isLying ||= message[0] === DESCRIPTION && message.includes(`${column}\0`);
          client.write(isLying && this.lie !== undefined ? this.lie(message) : message);
        }
      });
    });
  }

  /** Changes messages from the first result with such a column on. */
  static async start(target: { readonly host: string; readonly port: number }, column: string): Promise<LyingProxy> {
    const proxy = new LyingProxy(target, column);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get details(): { host: string; port: string }[] {
    return [{ host: '127.0.0.1', port: String((this.#server.address() as AddressInfo).port) }];
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
