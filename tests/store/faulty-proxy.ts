// A proxy between a store and its PostgreSQL that can be cut, silenced and repaired.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

type Mode = 'open' | 'refused' | 'silent';

export class FaultyProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #mode: Mode = 'open';
  #port = 0;

  constructor(targetPort: number) {
    this.#server = createServer((client) => {
      this.#keep(client);
      if (this.#mode === 'refused') {
        client.resetAndDestroy();
        return;
      }
      const target = this.#keep(connect(targetPort, '127.0.0.1'));
      for (const [from, to] of [
        [client, target],
        [target, client],
      ] as const) {
        from.on('data', (bytes) => this.#mode === 'open' && to.write(bytes));
        from.on('close', () => to.destroy());
      }
    });
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    return socket;
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    return this.#port;
  }

  /** Resets open connections and rejects new ones. */
  refuse(): void {
    this.#mode = 'refused';
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Keeps connections open but drops their data. */
  silence(): void {
    this.#mode = 'silent';
  }

  /** Accepts new connections again. Silenced ones have lost bytes and stay broken. */
  mend(): void {
    this.#mode = 'open';
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
