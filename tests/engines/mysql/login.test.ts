/** Logging in: TLS modes, every common authentication method, and responses in small pieces. */
import { readFileSync } from 'node:fs';
import { createServer, connect as dial } from 'node:net';
import { afterAll, beforeAll, expect, describe as suite, test } from 'vitest';
import type { Connection } from '../../../src/engines/contract/engine.ts';
import { connect, freshDatabase, SERVERS, type Server, sql } from './support.ts';

suite.each(SERVERS)('%s: logging in', (label, at: Server) => {
  const database = 'millrace_login';
  const offersTls = label === 'MySQL';
  let connection: Connection;

  beforeAll(async () => {
    connection = await freshDatabase(at, database);
    await sql(connection, "DROP USER IF EXISTS 'guest'@'%'");
    await sql(connection, "CREATE USER 'guest'@'%' IDENTIFIED BY 'päss wörd'");
    await sql(connection, `GRANT ALL ON ${database}.* TO 'guest'@'%'`);
  });
  afterAll(() => connection.close());

  const cipher = async (over: Connection) => (await sql(over, "SHOW SESSION STATUS LIKE 'Ssl_cipher'")).values[0]?.[1];

  test.each(['disable', 'prefer'] as const)(
    'logs in with a password and tls %s, also after the server has dropped its cache',
    async (tls) => {
      await sql(connection, 'FLUSH PRIVILEGES');
      for (let i = 0; i < 2; i++) {
        const guest = await connect(at, database, { username: 'guest', password: 'päss wörd', tls });
        expect((await cipher(guest)) !== '').toBe(offersTls && tls === 'prefer');
        guest.close();
      }
    },
  );

  test('uses TLS if it is required, or does not connect', async () => {
    if (!offersTls) {
      await expect(connect(at, database, { tls: 'require' })).rejects.toMatchObject({ kind: 'unreachable' });
      return;
    }
    const encrypted = await connect(at, database, { tls: 'require' });
    expect(await cipher(encrypted)).not.toBe('');
    expect(await encrypted.reset()).toBe(true);
    encrypted.close();
  });

  test('verifies a certificate if there is a CA', async () => {
    await expect(connect(at, database, { tls: 'verify-full' })).rejects.toMatchObject({ kind: 'unreachable' });
    if (!offersTls) return;
    const [[folder]] = (await sql(connection, 'SELECT @@datadir')).values as [[string]];
    const ca = readFileSync(`${folder}/ca.pem`, 'utf8');
    const checked = await connect(at, database, { tls: 'require', ca });
    expect(await cipher(checked)).not.toBe('');
    checked.close();
    // The server's self-made certificate names no host, so a full verification must fail.
    await expect(connect(at, database, { tls: 'verify-full', ca })).rejects.toMatchObject({ kind: 'unreachable' });
    await expect(connect(at, database, { tls: 'require', ca: ca.replace(/[A-Z]/, '/') })).rejects.toMatchObject({ kind: 'unreachable' });
  });

  test('starts a session that is strict, in UTC and in full Unicode', async () => {
    const { values } = await sql(
      connection,
      'SELECT @@time_zone, @@character_set_client, @@character_set_results, @@character_set_connection, @@autocommit, @@sql_mode',
    );
    expect(values[0]?.slice(0, 5)).toEqual(['+00:00', 'utf8mb4', 'utf8mb4', 'utf8mb4', '1']);
    expect(values[0]?.[5]).toContain('STRICT_ALL_TABLES');
    expect(values[0]?.[5]).not.toMatch(/ZERO_DATE|ZERO_IN_DATE|ANSI_QUOTES|BACKSLASH/);
  });

  test.each(['disable', 'prefer'] as const)('reads responses in small pieces (tls %s)', async (tls) => {
    let size = 1;
    const proxy = createServer((client) => {
      const upstream = dial(at.port, at.host);
      client.setNoDelay(true);
      client.pipe(upstream);
      upstream.on('data', (chunk) => {
        for (let from = 0; from < chunk.length; from += size) client.write(chunk.subarray(from, from + size));
        size = (size % 13) + 1;
      });
      upstream.on('close', () => client.destroy());
      for (const socket of [client, upstream]) socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const address = proxy.address();
    const crumbs = await connect(at, database, { tls }, typeof address === 'object' && address !== null ? address.port : 0);
    for (let rows = 0; rows < 40; rows += 13) {
      const parts = Array.from({ length: rows }, (_, i) => `SELECT ${i} AS n, repeat('é', ${i * 7}) AS s, NULL AS nothing`);
      const { values } = await sql(crumbs, ['SELECT -1 AS n, "" AS s, NULL AS nothing', ...parts].join(' UNION ALL '));
      expect(values).toEqual([['-1', '', null], ...parts.map((_, i) => [String(i), 'é'.repeat(i * 7), null])]);
    }
    crumbs.close();
    proxy.close();
  });
});
