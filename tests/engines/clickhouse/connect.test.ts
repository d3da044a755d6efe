/** Connecting: both ports, TLS modes, and the kinds of all failures of a login or a statement. */
import { createServer, connect as dial } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { clickhouseEngine } from '../../../src/engines/clickhouse/index.ts';
import type { Connection } from '../../../src/engines/contract/engine.ts';
import { freePort } from '../../support/ports.ts';
import { FaultProxy } from '../../support/proxy.ts';
import { command, dialling, entryFor, failureOf, httpPort, nativePort, open, PORTS, rowsOf, server } from './support.ts';
import { CERTIFICATE, startTlsFront } from './tls-front.ts';

const opened: Connection[] = [];
const closing: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const connection of opened) connection.close();
  for (const close of closing) await close();
});

async function kept(promise: Promise<Connection>): Promise<Connection> {
  const connection = await promise;
  opened.push(connection);
  return connection;
}

async function works(connection: Connection): Promise<void> {
  expect((await rowsOf(connection, 'SELECT 1 AS one')).rows).toEqual([['1']]);
}

describe.each(PORTS)('over the %s port', (_, port) => {
  test('connects by the response of the port, and stays usable after a failure', async () => {
    const connection = await kept(open(port));
    await works(connection);
    expect(await failureOf(command(connection, 'SELEC 1'))).toMatchObject({ kind: 'syntax' });
    expect(connection.usable).toBe(true);
    await works(connection);
    expect(await connection.reset()).toBe(true);
    await connection.begin({ timeoutMs: 1 });
    await connection.commit({ timeoutMs: 1 });
    await connection.rollback({ timeoutMs: 1 });
  });

  test('derives the number of concurrent statements from the threads of the server', async () => {
    const [[threads]] = (
      await rowsOf(await kept(open(port)), "SELECT toInt32(extract(value, '\\\\d+')) AS n FROM system.settings WHERE name = 'max_threads'")
    ).rows as [[string]];
    expect((await kept(open(port))).maxConcurrentStatements).toBe(Math.max(8, 4 * Number(threads)));
  });

  test('connects to a port with an unusual number', async () => {
    const proxy = await FaultProxy.start({ host: server.hostname, port });
    closing.push(() => proxy.stop());
    await works(await kept(open(proxy.port)));
  });

  test('rejects a wrong password, an unknown user and an unknown database', async () => {
    expect(await failureOf(open(port, 'default', { password: 'wrong' }))).toMatchObject({ kind: 'login', code: '516' });
    expect(await failureOf(open(port, 'default', { username: 'nobody_here' }))).toMatchObject({ kind: 'login' });
    expect(await failureOf(open(port, 'no_such_database'))).toMatchObject({ kind: 'missing_table', code: '81' });
    await works(await kept(open(port)));
  });

  test('connects with TLS required, preferred and verified', async () => {
    const front = await startTlsFront({ host: server.hostname, port });
    closing.push(() => front.close());
    await works(await kept(open(front.port, 'default', { tls: 'require' })));
    await works(await kept(open(front.port, 'default', { tls: 'prefer' })));
    await works(await kept(open(front.port, 'default', { tls: 'verify-full', ca: CERTIFICATE })));
    expect(await failureOf(open(front.port, 'default', { tls: 'verify-full' }))).toMatchObject({ kind: 'unreachable' });
    expect(await failureOf(open(port, 'default', { tls: 'require' }))).toMatchObject({ kind: 'unreachable' });
    await works(await kept(open(port, 'default', { tls: 'prefer' })));
  });

  test('maps failures to kinds, and removes the statement from messages', async () => {
    const connection = await kept(open(port));
    const failures: readonly (readonly [text: string, kind: string])[] = [
      ['SELECT * FROM no_such_table_at_all', 'missing_table'],
      ['SELECT * FROM no_such_db.t', 'missing_table'],
      ['SELECT no_such_column FROM system.one', 'missing_column'],
      ['SELECT FROM WHERE', 'syntax'],
      ["SELECT toInt32('abc')", 'invalid'],
      ["SELECT toDate('not a date') FROM system.one", 'invalid'],
      ["SELECT throwIf(1, 'on purpose')", 'invalid'],
      ["SELECT CAST('z' AS Enum8('a' = 1))", 'invalid'],
      ['SELECT 1 + [1]', 'invalid'],
      ["SELECT toUUID('x')", 'invalid'],
    ];
    for (const [text, kind] of failures) {
      const failure = await failureOf(command(connection, text));
      expect(failure, text).toMatchObject({ kind });
      expect(failure.message, text).not.toMatch(/SELECT|In scope|version|FUNCTION|formatRow/);
    }
    await works(connection);
  });

  test('reports missing privileges as denied', async () => {
    const reader = await kept(open(port, 'default', { username: 'ro', password: 'ro' }));
    await works(reader);
    expect(await failureOf(command(reader, 'CREATE TABLE default.forbidden (a Int8) ENGINE = Memory'))).toMatchObject({
      kind: 'denied',
      code: '497',
    });
  });

  test('returns the rows of statements other than SELECT', async () => {
    const connection = await kept(open(port));
    expect((await rowsOf(connection, "SHOW DATABASES LIKE 'system'")).rows).toEqual([['system']]);
    expect((await rowsOf(connection, 'EXISTS TABLE system.one')).rows).toEqual([['1']]);
    expect((await rowsOf(connection, 'DESCRIBE TABLE system.one')).rows[0]?.slice(0, 2)).toEqual(['dummy', 'UInt8']);
    expect((await rowsOf(connection, 'EXPLAIN SELECT 1')).rows.length).toBeGreaterThan(0);
    expect((await rowsOf(connection, '-- a note\nWITH 1 AS x SELECT x AS y ;\n')).rows).toEqual([['1']]);
    expect((await rowsOf(connection, 'SELECT number AS n FROM numbers(100) ORDER BY n DESC LIMIT 3')).rows).toEqual([
      ['99'],
      ['98'],
      ['97'],
    ]);
  });

  test('keeps the order of a large result without a limit', async () => {
    const connection = await kept(open(port));
    const { rows } = await rowsOf(connection, 'SELECT cityHash64(number) AS h FROM numbers_mt(200000) ORDER BY h');
    const values = rows.map(([value]) => BigInt(value ?? '0'));
    expect(values.every((value, n) => n === 0 || (values[n - 1] ?? 0n) <= value)).toBe(true);
  });
});

test('a closed port, or one with another protocol, is unreachable', async () => {
  const other = createServer((socket) => socket.resume().end('220 mail.example ESMTP\r\n'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  expect(await failureOf(open(port))).toMatchObject({ kind: 'unreachable', code: 'PROTOCOL' });
  await new Promise((resolve) => other.close(resolve));
  expect(await failureOf(open(await freePort()))).toMatchObject({ kind: 'unreachable', code: 'ECONNREFUSED' });
});

test('a port that never responds times out', async () => {
  const mute = createServer(() => undefined);
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const { port } = mute.address() as { port: number };
  const started = performance.now();
  const failure = await failureOf(clickhouseEngine.connect(entryFor('default'), dialling(port, { timeoutMs: 300 })));
  expect(failure).toMatchObject({ kind: 'unreachable' });
  expect(performance.now() - started).toBeLessThan(15_000);
  const signal = AbortSignal.abort();
  expect(await failureOf(clickhouseEngine.connect(entryFor('default'), dialling(port, { signal })))).toMatchObject({ kind: 'cancelled' });
  mute.close();
});

test('a port may change its protocol between two connections', async () => {
  let target = httpPort;
  const relay = createServer((client) => {
    const upstream = dial(target, server.hostname);
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  closing.push(async () => void relay.close());
  const { port } = relay.address() as { port: number };
  for (target of [httpPort, nativePort, httpPort]) await works(await kept(open(port)));
});

test('a stopped server is unreachable until it is back', async () => {
  const proxy = await FaultProxy.start({ host: server.hostname, port: httpPort });
  closing.push(() => proxy.stop());
  await works(await kept(open(proxy.port)));
  await proxy.set({ kind: 'refuse' });
  expect(await failureOf(open(proxy.port))).toMatchObject({ kind: 'unreachable', code: 'ECONNREFUSED' });
  await proxy.set({ kind: 'pass' });
  await works(await kept(open(proxy.port)));
});

test('a FORMAT clause is rejected or ignored', async () => {
  const connection = await kept(open(httpPort));
  expect(await failureOf(command(connection, 'SELECT 1 AS one FORMAT TSV'))).toMatchObject({ kind: 'syntax' });
});

test.each(['prefer', 'disable', 'require'] as const)(
  'gives up once, at the deadline, on a server that says nothing: tls %s',
  async (tls) => {
    const proxy = await FaultProxy.start({ host: server.hostname, port: httpPort });
    closing.push(() => proxy.stop());
    await proxy.set({ kind: 'blackhole' });
    const began = performance.now();
    const failure = await failureOf(clickhouseEngine.connect(entryFor('default', { tls }), dialling(proxy.port, { timeoutMs: 600 })));
    expect(failure).toMatchObject({ kind: 'unreachable', code: 'ETIMEDOUT' });
    expect(performance.now() - began).toBeLessThan(1100);
  },
);
