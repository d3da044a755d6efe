/**
 * BEGIN is sent together with the first statement of a transaction. If BEGIN fails for any reason,
 * the statement does not run outside a transaction.
 */
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Connection } from '../../../src/engines/contract/engine.ts';
import { connectTo } from '../../support/connection.ts';
import { createDatabase, type TestDatabase } from '../../support/engines.ts';

const OPTIONS = { timeoutMs: 10_000 };
const insert = (connection: Connection, id: number) =>
  connection.run({ text: 'INSERT INTO things VALUES ($1)', types: [{ kind: 'int', cast: 'int4' }] }, [String(id)], OPTIONS);

let database: TestDatabase;
let connection: Connection;
const sockets: Socket[] = [];
/** Rewrites the bytes that the client sends. */
let change: ((bytes: Buffer) => Buffer) | undefined;
const link = createServer((client) => {
  const server = dial(database.address.port, database.address.host);
  sockets.push(client, server);
  client.on('data', (bytes) => server.write(change?.(bytes) ?? bytes));
  server.on('data', (bytes) => client.write(bytes));
  for (const socket of [client, server]) socket.on('error', () => undefined);
});

beforeAll(async () => {
  database = await createDatabase('postgres');
  await database.run('CREATE TABLE things (id int PRIMARY KEY)');
  await new Promise<void>((resolve) => link.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  link.close();
  await database?.drop();
});
beforeEach(async () => {
  await database.run('DELETE FROM things');
  change = undefined;
  const { port } = link.address() as AddressInfo;
  ({ connection } = await connectTo({ ...database, address: { ...database.address, host: '127.0.0.1', port } }));
});
afterEach(() => connection.close());

const stored = async (): Promise<unknown[]> => (await database.run('SELECT id FROM things ORDER BY id')).map((row) => row['id']);

test.each([
  ['the first', 0],
  ['a prepared', 1],
])('%s statement has not run when its BEGIN fails', async (_, before) => {
  for (let id = 100; id < 100 + before; id++) await insert(connection, id);
  change = (bytes) => Buffer.from(bytes.toString('latin1').replace('BEGIN\0', 'BEGUM\0'), 'latin1');
  await connection.begin(OPTIONS);
  await expect(insert(connection, 1)).rejects.toMatchObject({ kind: 'syntax', effect: 'nothing' });
  change = undefined;
  await connection.rollback(OPTIONS);
  expect(await stored()).toEqual(before === 0 ? [] : [100]);
  // The connection is as good as before.
  await connection.begin(OPTIONS);
  await insert(connection, 2);
  await insert(connection, 3);
  await connection.rollback(OPTIONS);
  await connection.begin(OPTIONS);
  await insert(connection, 4);
  await connection.commit(OPTIONS);
  await insert(connection, 5);
  expect(await stored()).toEqual(before === 0 ? [4, 5] : [4, 5, 100]);
});

test('a statement that ran although its settings failed is not reported as not executed', async () => {
  change = (bytes) => Buffer.from(bytes.toString('latin1').replace('SET statement_timeout', 'SET statement_timeoux'), 'latin1');
  await expect(insert(connection, 1)).rejects.toMatchObject({ effect: 'unknown' });
  expect(await stored()).toEqual([1]);
});

test('a statement that must be prepared again begins its transaction again', async () => {
  const read = { text: 'SELECT * FROM things WHERE id < $1', types: [{ kind: 'int', cast: 'int4' }] } as const;
  await connection.run(read, ['9'], OPTIONS);
  await database.run('ALTER TABLE things ADD COLUMN note text');
  await connection.begin(OPTIONS);
  await connection.run(read, ['9'], OPTIONS);
  await insert(connection, 7).catch(() => undefined);
  await connection.rollback(OPTIONS);
  expect(await stored()).toEqual([]);
  await database.run('ALTER TABLE things DROP COLUMN note');
});
