// Messages are sent from pooled buffers: each is returned once the system has taken its bytes, and
// an idle connection holds none.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Outgoing } from '../../../src/engines/postgres/protocol/outgoing.ts';
import { acquireBuffer, dropFreeBuffers, poisonReleased } from '../../../src/util/bytes/buffer-pool.ts';

beforeAll(() => poisonReleased(0xdb));
afterAll(() => poisonReleased(undefined));

let server: Server;
let socket: Socket;
let peer: Socket;
beforeEach(async () => {
  server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  [peer] = (await accepted) as [Socket];
  await once(socket, 'connect');
});
afterEach(() => {
  socket.destroy();
  peer.destroy();
  server.close();
});

/** A simple query message: a Q, the length of the rest, the text, a zero. */
function query(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(text.length + 5);
  return Buffer.concat([Buffer.from('Q'), length, Buffer.from(`${text}\0`)]);
}

async function received(length: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let got = 0;
  for await (const piece of peer) {
    pieces.push(piece);
    got += piece.length;
    if (got >= length) break;
  }
  return Buffer.concat(pieces);
}

test('connections that send one after the other share one buffer', async () => {
  dropFreeBuffers();
  const mark = acquireBuffer(1);
  mark.release();
  for (const out of [new Outgoing(), new Outgoing(), new Outgoing()]) {
    out.query('SELECT 1');
    expect(acquireBuffer(1)).not.toBe(mark);
    out.send(socket);
    await new Promise((resolve) => socket.write('what follows', resolve));
    const free = acquireBuffer(1);
    expect(free).toBe(mark);
    free.release();
  }
});

test('a server that pauses reading receives everything later', async () => {
  const out = new Outgoing();
  const expected: Buffer[] = [];
  for (let i = 0; i < 2000; i++) {
    const text = `SELECT '${String(i).repeat(1 + (i % 3000))}'`;
    expected.push(query(text));
    out.query(text);
    out.send(socket);
  }
  expect(socket.writableLength).toBeGreaterThan(0);
  const whole = Buffer.concat(expected);
  expect((await received(whole.length)).equals(whole)).toBe(true);
});

test('an empty buffer sends nothing', () => {
  new Outgoing().send(socket);
  expect(socket.bytesWritten).toBe(0);
});
