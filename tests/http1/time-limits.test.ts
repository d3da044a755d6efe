// Time limits of a connection, and bodies that arrive in small pieces.

import { connect, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChunkedBody, sizedBody } from '../../src/http1/body.ts';
import { BodyBudget } from '../../src/http1/body-budget.ts';
import { HttpConnection } from '../../src/http1/connection.ts';
import type { ConnectionContext } from '../../src/http1/connection-context.ts';
import { DateHeader } from '../../src/http1/date-header.ts';
import { DiscardQueue } from '../../src/http1/discard-queue.ts';
import { HeaderNames } from '../../src/http1/head/header-names.ts';
import { bytesOf } from '../../src/util/bytes/buffer-pool.ts';

const context: ConnectionContext = {
  maxBodyBytes: 1000,
  stallMs: 30_000,
  bodies: new BodyBudget(10_000),
  discards: new DiscardQueue(),
  names: new HeaderNames(),
  date: new DateHeader(),
  isClosing: false,
  precheck: () => undefined,
  isExempt: () => false,
  evictSlowBody: () => false,
  request: (_, __, reply) => reply.send(200, '', Buffer.from('ok')),
  rejected: (_, reason, reply) => reply.send(408, `X-Rejected: ${reason}\r\n`, Buffer.alloc(0)),
  closed: () => undefined,
};

const accepted: ((connection: HttpConnection) => void)[] = [];
const server = createServer({ allowHalfOpen: true }, (socket) => accepted.shift()?.(new HttpConnection(socket, context)));
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as { port: number }).port;
});
afterAll(() => server.close());

/** Connects a client. Returns it, the server's side of the connection, and all that it received. */
async function dial(): Promise<{ client: Socket; connection: HttpConnection; closed: Promise<string> }> {
  const here = new Promise<HttpConnection>((resolve) => accepted.push(resolve));
  const client = connect(port, '127.0.0.1');
  let text = '';
  client.on('data', (piece) => {
    text += piece.toString();
  });
  const closed = new Promise<string>((resolve) => client.on('close', () => resolve(text)));
  return { client, connection: await here, closed };
}

const send = (client: Socket, connection: HttpConnection, text: string): Promise<void> =>
  new Promise((resolve) => {
    connection.socket.once('data', () => setImmediate(resolve));
    client.write(text);
  });

/** Ticks once a second of a clock that starts now. */
class Clock {
  readonly #start = performance.now();
  #seconds = 0;

  passTo(connection: HttpConnection, seconds: number): void {
    while (this.#seconds < seconds) connection.tick(this.#start + 1000 * ++this.#seconds);
  }
}

describe('a connection', () => {
  test.each([
    ['head', 'GET / HTTP/1.1\r\nHost: x\r\n', 15],
    ['body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab', 31],
  ])('rejects a %s that does not end, and not before its time', async (_, text, seconds) => {
    const { client, connection, closed } = await dial();
    await send(client, connection, text);
    const clock = new Clock();
    clock.passTo(connection, seconds - 1);
    expect(connection.socket.writableEnded).toBe(false);
    clock.passTo(connection, seconds + 1);
    expect(await closed).toMatch(/^HTTP\/1\.1 408 [\s\S]*X-Rejected: too_slow/);
  });

  test('may be idle for 72 seconds', async () => {
    const { client, connection, closed } = await dial();
    await send(client, connection, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const clock = new Clock();
    clock.passTo(connection, 71);
    expect(connection.socket.destroyed).toBe(false);
    clock.passTo(connection, 73);
    expect(await closed).toMatch(/^HTTP\/1\.1 200 /);
  });
});

test('a body that arrives in pieces of any size is complete, and is held in few buffers', () => {
  const content = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251));
  const chunked = Buffer.concat([Buffer.from(`${content.length.toString(16)}\r\n`), content, Buffer.from('\r\n0\r\n\r\n')]);
  const sizes = fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.oneof(fc.constant([1]), sizes), (list) => {
      for (const [reader, bytes] of [
        [sizedBody(content.length), content],
        [sizedBody(20_000), content.subarray(0, 20_000)],
        [sizedBody(9000), content.subarray(0, 9000)],
        [new ChunkedBody(content.length), chunked],
      ] as const) {
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const end = Math.min(bytes.length, at + (list[turn % list.length] as number));
          reader.take(bytes.subarray(at, end), 0);
          at = end;
        }
        expect(reader.done).toBe(true);
        expect(bytesOf(reader.body()).equals(bytes === chunked ? content : bytes)).toBe(true);
        expect(reader.pieces).toBeLessThan(20);
      }
    }),
    { numRuns: 12 },
  );
});
