/**
 * Internals of `mysql2` that the login relies on. The version is pinned. When it is raised, these
 * tests must pass against both servers, and the library's changes must be reviewed.
 */
import { once } from 'node:events';
import { Socket } from 'node:net';
import { createConnection } from 'mysql2';
import { expect, test } from 'vitest';
import { readProjectFile } from '../../support/sources.ts';
import { SERVERS } from './support.ts';

interface Internals {
  readonly stream: unknown;
  readonly config: { readonly clientFlags: number };
  readonly sequenceId: number;
  packetParser: { execute(piece: Buffer): unknown };
}

test('the version of mysql2 is pinned', () => {
  const { dependencies } = JSON.parse(readProjectFile('package.json')) as { dependencies: Record<string, string> };
  const { packages } = JSON.parse(readProjectFile('package-lock.json')) as { packages: Record<string, { version?: string }> };
  expect(dependencies['mysql2']).toMatch(/^\d+\.\d+\.\d+$/);
  expect(packages['node_modules/mysql2']?.version).toBe(dependencies['mysql2']);
});

test.each(SERVERS)('a connection to %s logs in over our socket, and passes all packets to its parser', async (_, server) => {
  const socket = new Socket();
  let received = 0;
  socket.on('data', (piece) => {
    received += piece.length;
  });
  socket.connect({ host: server.host, port: server.port });
  const connection = createConnection({ stream: socket, user: server.username, password: server.password, connectTimeout: 0 });
  const handle = connection as unknown as Internals;
  const parser = handle.packetParser;
  let parsed = 0;
  handle.packetParser = {
    execute: (piece) => {
      parsed += piece.length;
      return parser.execute(piece);
    },
  };
  try {
    await once(connection, 'connect');
    expect(handle.stream).toBe(socket);
    expect(parsed).toBeGreaterThan(0);
    expect(parsed).toBe(received);
    expect(handle.config.clientFlags).toBeTypeOf('number');
    expect(handle.sequenceId).toBeTypeOf('number');
    expect(handle.sequenceId).toBeGreaterThan(0);
    expect(socket.listenerCount('data')).toBeGreaterThan(1);
    socket.removeAllListeners('data');
    expect(connection.listenerCount('error')).toBe(0);
  } finally {
    connection.on('error', () => undefined);
    socket.destroy();
  }
});
