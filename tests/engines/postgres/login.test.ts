// Logging in to PostgreSQL: on the real server with and without TLS, and with servers that request
// too much.
import { createHash } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/engines/contract/limits.ts';
import { postgresEngine } from '../../../src/engines/postgres/index.ts';
import type { Entry } from '../../../src/model/entry.ts';
import { FakeServer } from '../../hostile/frame/fake-server.ts';
import { engineAddress } from '../../support/engines.ts';
import { CERTIFICATE, startTlsFront, type TlsFront } from '../clickhouse/tls-front.ts';

const PASSWORD = 'pässword of mine';

const base: Entry = {
  id: 'x',
  type: 'pg',
  database: 'postgres',
  hosts: [],
  username: 'locked',
  password: 'secret',
  tls: 'disable',
  connectTimeoutSecs: 5,
  idleTimeoutSecs: 5,
  maxOpenConnections: 1,
  maxIdleConnections: 1,
  queryTimeoutSecs: 5,
};

async function logIn(port: number, changes: Partial<Entry> = {}, host = 'localhost', timeoutMs = 5000): Promise<string> {
  try {
    const connection = await postgresEngine.connect({ ...base, ...changes }, { host: { host, port }, address: '127.0.0.1', timeoutMs });
    const { rows } = await connection.run({ text: 'SELECT 1', types: [] }, [], { timeoutMs: 5000 });
    connection.close();
    return `in, ${rows} row`;
  } catch (error) {
    return `${(error as { kind?: string }).kind}: ${(error as Error).message}`;
  }
}

/** A port that accepts the request for TLS. */
async function startTlsSwitch(to: TlsFront, yes: Buffer): Promise<Server> {
  const server = createServer((client) => {
    client.on('error', () => {});
    client.once('data', () => {
      client.write(yes);
      const front = connect(to.port, '127.0.0.1');
      front.on('error', () => {});
      client.pipe(front).pipe(client);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

describe('on the real server', () => {
  const { host, port } = engineAddress('postgres');
  let front: TlsFront;
  let secured: Server;
  let injected: Server;
  beforeAll(async () => {
    front = await startTlsFront({ host, port });
    secured = await startTlsSwitch(front, Buffer.from('S'));
    injected = await startTlsSwitch(front, Buffer.from('SE said by somebody else'));
  });
  afterAll(async () => {
    secured.close();
    injected.close();
    await front.close();
  });

  test.each([
    ['the right password', {}, /^in, 1 row$/],
    ['a wrong password', { password: 'wrong' }, /^login: /],
    ['no password', { password: '' }, /^login: the server requests a password, and the entry has none/],
    ['no TLS where it is preferred', { tls: 'prefer' }, /^in, 1 row$/],
    ['no TLS where it is required', { tls: 'require' }, /^unreachable: the server does not speak TLS/],
    ['a zero byte in the user', { username: 'locked\0replication\0true' }, /^login: a zero byte/],
  ] as const)('%s', async (_, changes, outcome) => {
    expect(await logIn(port, changes)).toMatch(outcome);
  });

  test.each([
    ['preferred', { tls: 'prefer' }, 'localhost', /^in, 1 row$/],
    ['required', { tls: 'require' }, 'localhost', /^in, 1 row$/],
    ['with a certificate that is known', { tls: 'verify-full', ca: CERTIFICATE }, 'localhost', /^in, 1 row$/],
    ['with a certificate for the address', { tls: 'verify-full', ca: CERTIFICATE }, '127.0.0.1', /^in, 1 row$/],
    ['with a certificate that nobody knows', { tls: 'verify-full' }, 'localhost', /^unreachable: .*self.signed/],
    ['with a certificate of another host', { tls: 'verify-full', ca: CERTIFICATE }, 'other.test', /^unreachable: .*altnames/],
  ] as const)('TLS %s', async (_, changes, name, outcome) => {
    expect(await logIn(portOf(secured), changes, name)).toMatch(outcome);
  });

  test('rejects bytes in clear text after TLS was accepted', async () => {
    expect(await logIn(portOf(injected), { tls: 'require' })).toMatch(
      /^malformed: the database sent an invalid response to the request for TLS/,
    );
  });
});

function message(type: string, ...parts: readonly (Buffer | string | number[])[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const asks = (kind: number, rest: Buffer | string | number[] = ''): Buffer => message('R', [0, 0, 0, kind], rest);
const WELCOME = asks(0);
const READY = message('Z', 'I');
const SCRAM = asks(10, 'SCRAM-SHA-256\0\0');

describe('servers that request too much', () => {
  let server: FakeServer;
  let front: TlsFront;
  let secured: Server;
  beforeAll(async () => {
    server = await FakeServer.start();
    front = await startTlsFront({ host: '127.0.0.1', port: server.port });
    secured = await startTlsSwitch(front, Buffer.from('S'));
  });
  afterAll(async () => {
    server.stop();
    secured.close();
    await front.close();
  });

  const play = async (messages: readonly Buffer[], changes: Partial<Entry> = {}): Promise<string> => {
    server.heard = [];
    server.performance = { turns: messages.map((said) => ({ heard: 1, messages: [said] })), seed: 1, pieces: 'whole', ending: 'silence' };
    return logIn(
      changes.tls === 'require' ? portOf(secured) : server.port,
      { password: PASSWORD, username: 'me', ...changes },
      'localhost',
      300,
    );
  };
  const heard = (): Buffer => Buffer.concat(server.heard);

  test('do not get a clear-text password without TLS', async () => {
    expect(await play([asks(3)])).toMatch(/^login: the server requests the password in clear text, which is sent over TLS only/);
    expect(heard().includes(PASSWORD)).toBe(false);
  });

  test('get a clear-text password over TLS, once', async () => {
    await play([asks(3)], { tls: 'require' });
    expect(heard().toString()).toContain(`${PASSWORD}\0`);
    expect(await play([asks(3), asks(3)], { tls: 'require' })).toMatch(/^malformed: .*out of order/);
  });

  test('get an MD5 hash of the password and the salt', async () => {
    await play([asks(5, [1, 2, 3, 4])]);
    const md5 = (...parts: (string | Buffer)[]): string =>
      createHash('md5')
        .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
        .digest('hex');
    expect(heard().toString()).toContain(`md5${md5(md5(`${PASSWORD}me`), Buffer.from([1, 2, 3, 4]))}\0`);
  });

  test.each([
    ['a welcome without a proof of its own', [SCRAM, WELCOME, READY], /^malformed: .*out of order/],
    ['a challenge that nobody asked for', [asks(11, 'r=a,s=YWJj,i=4096')], /^malformed: .*out of order/],
    ['a challenge that is not made from our nonce', [SCRAM, asks(11, 'r=abcdef,s=YWJj,i=4096')], /^malformed: .*nonce/],
    ['a challenge that cannot be read', [SCRAM, asks(11, 'i=4096')], /^malformed: .*SCRAM/],
    ['SASL without SCRAM', [asks(10, 'PLAIN\0\0')], /^login: .*SASL authentication without SCRAM/],
    ['mechanisms without an end', [asks(10, 'SCRAM-SHA-256')], /^malformed: .*unterminated string/],
    ['Kerberos', [asks(7)], /^login: .*method 7/],
    ['a second login', [WELCOME, WELCOME], /^malformed: .*out of order/],
    ['rows before the welcome', [message('D', [0, 0])], /^malformed: .*out of order/],
    ['readiness without a welcome', [READY], /^malformed: .*out of order/],
    ['a message without a length', [Buffer.from([0x52, 0xff, 0xff, 0xff, 0xff])], /^malformed: .*length -1/],
    ['a huge message', [Buffer.from([0x53, 0x7f, 0xff, 0xff, 0xff])], /^malformed: .*a message of 2147483647 bytes/],
    [
      'parameters for ever',
      Array<Buffer>(1200).fill(message('S', 'x\0', 'y'.repeat(300), '\0')),
      new RegExp(`^malformed: .*${LIMITS.loginBytes} bytes`),
    ],
    ['silence', [], /^unreachable: the database did not answer in time/],
  ] as const)('%s', async (_, messages, outcome) => {
    expect(await play(messages)).toMatch(outcome);
    expect(heard().includes(PASSWORD)).toBe(false);
  });
});
