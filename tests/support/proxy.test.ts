// The fault proxy, tested against an echo server on loopback.
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { PATIENCE } from './patience.ts';
import { FaultProxy } from './proxy.ts';

let echo: Server;
let proxy: FaultProxy;
const sockets: Socket[] = [];

beforeAll(async () => {
  echo = createServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => {}).pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise<void>((resolve) => void echo.close(() => resolve())));
beforeEach(async () => {
  proxy = await FaultProxy.start({ host: '127.0.0.1', port: (echo.address() as AddressInfo).port });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await proxy.stop();
});

/** A connection through the proxy that collects the data received and how it ends. */
async function dial() {
  const socket = connect(proxy.port, proxy.host);
  sockets.push(socket);
  const state = { received: '', ending: '' };
  socket.on('data', (data) => (state.received += data.toString()));
  const ended = new Promise<string>((resolve) => {
    socket.once('error', (error: NodeJS.ErrnoException) => resolve((state.ending = error.code ?? 'error')));
    socket.once('close', () => resolve((state.ending ||= 'closed')));
  });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return { socket, state, ended };
}

test('passes data in both directions, and the end of it', async () => {
  const { socket, state, ended } = await dial();
  socket.end('hello');
  expect(await ended).toBe('closed');
  expect(state.received).toBe('hello');
  await expect.poll(() => proxy.open, PATIENCE).toBe(0);
  expect(proxy.accepted).toBe(1);
});

test('refuses connections, and takes them again on the same port', async () => {
  const { port } = proxy;
  await proxy.set({ kind: 'refuse' });
  await expect(dial()).rejects.toThrow('ECONNREFUSED');
  await proxy.set({ kind: 'pass' });
  expect(proxy.port).toBe(port);
  const { socket, state } = await dial();
  socket.write('back');
  await expect.poll(() => state.received, PATIENCE).toBe('back');
});

test('swallows everything, and gives it in order once the way is free', async () => {
  await proxy.set({ kind: 'blackhole' });
  const { socket, state } = await dial();
  socket.write('one ');
  socket.write('two');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(state.received).toBe('');
  await proxy.set({ kind: 'pass' });
  await expect.poll(() => state.received, PATIENCE).toBe('one two');
});

test('delays in both directions', async () => {
  await proxy.set({ kind: 'latency', ms: 80 });
  const { socket, state } = await dial();
  const start = performance.now();
  socket.write('slow');
  await expect.poll(() => state.received, PATIENCE).toBe('slow');
  expect(performance.now() - start).toBeGreaterThanOrEqual(155);
});

test('cuts a connection after so many bytes of the answer', async () => {
  await proxy.set({ kind: 'cut', afterBytes: 10 });
  const { socket, state, ended } = await dial();
  socket.write('0123456789abcdef');
  await ended;
  expect(state.received).toBe('0123456789');
});

test('resets every open connection', async () => {
  const connections = [await dial(), await dial()];
  await expect.poll(() => proxy.open, PATIENCE).toBe(2);
  proxy.resetAll();
  expect(await Promise.all(connections.map(({ ended }) => ended))).toEqual(['ECONNRESET', 'ECONNRESET']);
  expect(proxy.open).toBe(0);
});
