// Clients that read slowly, not at all, or leave: steady readers get everything, the others are
// cut.
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Listener } from '../../src/http1/listener.ts';
import type { HttpReply } from '../../src/http1/reply.ts';

const STALL_SECS = 2;
/** More than the system buffers. */
const LARGE = Buffer.alloc(6 * 1024 * 1024, 'a');
const NO_ANSWER = '/never';

const replies = new Map<string, HttpReply>();

const server = new Listener(
  {
    request: ({ target }, _, reply) => {
      replies.set(target, reply);
      if (target.startsWith(NO_ANSWER)) return;
      if (target.startsWith('/half')) {
        reply.begin(200, '', undefined);
        reply.write(Buffer.from('half of it'));
        setTimeout(() => reply.destroy(), 50);
      } else reply.send(200, '', target === '/small' ? Buffer.from('ok') : LARGE);
    },
    rejected: (_, reason, reply) => reply.send(400, `X-Rejected: ${reason}\r\n`, Buffer.alloc(0)),
  },
  { maxBodyBytes: 1000, maxBodiesBytes: 10_000, maxConnections: 100, stallSecs: STALL_SECS },
);
let port = 0;
beforeAll(async () => {
  port = await server.listen('127.0.0.1', 0);
});
afterAll(() => server.close(100));

/** The end of a connection as the client sees it. */
interface End {
  readonly bytes: number;
  readonly error: string | undefined;
}

function ask(path: string, version = '1.1'): { socket: Socket; end: Promise<End> } {
  const socket = connect(port, '127.0.0.1', () => socket.write(`GET ${path} HTTP/${version}\r\nHost: x\r\nConnection: close\r\n\r\n`));
  let bytes = 0;
  let error: string | undefined;
  socket.on('data', (piece) => {
    bytes += piece.length;
  });
  socket.on('error', (problem: NodeJS.ErrnoException) => {
    error = problem.code;
  });
  return { socket, end: new Promise((resolve) => socket.on('close', () => resolve({ bytes, error }))) };
}

const PATIENCE_MS = 20_000;

async function until(holds: () => boolean | undefined): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; holds() !== true; await wait(10)) expect(performance.now()).toBeLessThan(end);
}

const seconds = (began: number): number => (performance.now() - began) / 1000;

describe.concurrent('a client', () => {
  test('that reads slowly but steadily gets everything, though the system moves on in large steps only', async () => {
    const began = performance.now();
    const { socket, end } = ask('/slow');
    // Slow enough that the system accepts nothing for longer than the stall timeout.
    socket.on('data', () => {
      socket.pause();
      setTimeout(() => socket.resume(), 200);
    });
    const { bytes, error } = await end;
    expect(error).toBeUndefined();
    expect(bytes).toBeGreaterThan(LARGE.length);
    expect(seconds(began)).toBeGreaterThan(3 * STALL_SECS);
    expect(replies.get('/slow')).toMatchObject({ isLost: false, isStalled: false });
  });

  test('that reads nothing is disconnected, and counts as stalled', async () => {
    const began = performance.now();
    const { socket, end } = ask('/nothing');
    socket.pause();
    await until(() => replies.get('/nothing')?.isStalled);
    expect(seconds(began)).toBeGreaterThan(STALL_SECS);
    expect(seconds(began)).toBeLessThan(STALL_SECS + 15);
    socket.resume();
    expect((await end).bytes).toBeLessThan(LARGE.length);
  });

  test.each(['1.0', '1.1'])('of HTTP/%s sees a truncated response as an error', async (version) => {
    const { error, bytes } = await ask(`/half${version}`, version).end;
    expect(error).toBe('ECONNRESET');
    expect(bytes).toBeGreaterThan(0);
    expect(replies.get(`/half${version}`)?.isLost).toBe(true);
  });

  test.each([3000, 100_000])('that leaves is noticed, also behind %i pipelined requests', async (count) => {
    const path = `${NO_ANSWER}/${count}`;
    const { socket } = ask(path);
    await until(() => replies.has(path));
    socket.write('GET /more HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count));
    socket.destroy();
    await until(() => replies.get(path)?.isLost);
    expect(replies.has('/more')).toBe(false);
  });

  test('that closes its side gets the responses to its earlier requests', async () => {
    const socket = connect(port, '127.0.0.1', () => socket.end('GET /small HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(50)));
    let text = '';
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    await new Promise((resolve) => socket.on('close', resolve));
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(50);
  });
});
