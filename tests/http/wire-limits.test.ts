// What a connection does with time and with bytes that dribble in: too slow is refused and told, and small pieces do not pile up.

import { connect, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChunkedBody, sizedBody } from '../../src/http1/body.ts';
import { BodyBudget } from '../../src/http1/body-budget.ts';
import { HttpConnection } from '../../src/http1/connection.ts';
import { DiscardQueue } from '../../src/http1/discard-queue.ts';
import type { Listener } from '../../src/http1/listener.ts';
import { bytesOf } from '../../src/util/bytes/buffer-pool.ts';

const listener: Listener = {
  maxBodyBytes: 1000,
  stallSweeps: 30,
  bodies: new BodyBudget(10_000),
  forgetting: new DiscardQueue(),
  isLeaving: false,
  screen: () => undefined,
  isVital: () => false,
  makeRoom: () => false,
  request: (_, __, reply) => reply.send(200, '', Buffer.from('ok')),
  refused: (_, refusal, reply) => reply.send(408, `X-Refused: ${refusal}\r\n`, Buffer.alloc(0)),
  closed: () => undefined,
};

const accepted: ((connection: HttpConnection) => void)[] = [];
const server = createServer({ allowHalfOpen: true }, (socket) => accepted.shift()?.(new HttpConnection(socket, listener)));
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as { port: number }).port;
});
afterAll(() => server.close());

/** A client, and the connection as the server has it. */
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

const sent = (client: Socket, connection: HttpConnection, text: string): Promise<void> =>
  new Promise((resolve) => {
    connection.socket.once('data', () => setImmediate(resolve));
    client.write(text);
  });

const look = (connection: HttpConnection, seconds: number): void => {
  for (let i = 0; i <= seconds; i++) connection.sweep();
};

test.each([
  ['a head', 'GET / HTTP/1.1\r\nHost: x\r\n', 15],
  ['a body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab', 31],
])('%s that does not end is refused, and not sooner', async (_, text, seconds) => {
  const { client, connection, closed } = await dial();
  await sent(client, connection, text);
  look(connection, seconds - 1);
  expect(connection.socket.writableEnded).toBe(false);
  look(connection, 1);
  expect(await closed).toMatch(/^HTTP\/1\.1 408 [\s\S]*X-Refused: too_slow/);
});

test('a connection rests for 72 seconds', async () => {
  const { client, connection, closed } = await dial();
  await sent(client, connection, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  look(connection, 71);
  expect(connection.socket.destroyed).toBe(false);
  look(connection, 1);
  expect(await closed).toMatch(/^HTTP\/1\.1 200 /);
});

test('a body that comes in any pieces is the body, and is kept in few', () => {
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
