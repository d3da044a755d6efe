// Servers that request more than a database may: a local file, the clear-text password, a redirect.
// Through the whole service: the caller gets 424, the log says why, nothing leaves the machine, and
// other tenants are not affected.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type DatabaseEntry, type TestDatabase } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';
import { type Response, type Service, setUpProject, startService } from '../support/service.ts';
import { GREETINGS, packet } from './mysql-packets.ts';

const PASSWORD = 'PASSWORD-of-this-tenant';
const DATABASE = 'anything';
const HEADER = 4;
const COMMAND = { prepare: 22, execute: 23 } as const;
const OK = [0, 0, 0, 2, 0, 0, 0];

interface Liar {
  readonly port: number;
  connections(): number;
  /** Everything that was sent to the server. */
  heard(): Buffer;
  close(): void;
}

async function listen(talk: (socket: Socket) => void): Promise<Liar> {
  const pieces: Buffer[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (piece) => pieces.push(piece));
    talk(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    heard: () => Buffer.concat(pieces),
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Speaks MySQL: `login` follows the greeting, then each command gets its response. */
function mysqlLiar(login: Buffer, answer: (command: number, text: string) => Buffer): Promise<Liar> {
  return listen((socket) => {
    const [greeting] = GREETINGS;
    socket.write(greeting ?? '');
    let rest = Buffer.alloc(0);
    let isIn = false;
    socket.on('data', (piece) => {
      rest = Buffer.concat([rest, piece]);
      while (rest.length >= HEADER && rest.length >= HEADER + rest.readUIntLE(0, 3)) {
        const size = rest.readUIntLE(0, 3);
        const body = rest.subarray(HEADER, HEADER + size);
        rest = rest.subarray(HEADER + size);
        socket.write(isIn ? answer(body[0] ?? 0, body.toString('utf8', 1)) : login);
        isIn = true;
      }
    });
  });
}

const DEFINITION = Buffer.from('\x03def\x00\x00\x00\x01a\x00\x0c\x21\x00\x04\x00\x00\x00\xfd\x00\x00\x00\x00\x00', 'latin1');

/**
 * Responds that a statement is prepared, with as many parameters as it has marks, and no columns.
 */
function prepared(text: string): Buffer {
  const count = text.split('?').length - 1;
  const definitions = Array.from({ length: count }, (_, i) => packet(i + 2, DEFINITION));
  const end = count === 0 ? [] : [packet(count + 2, [0xfe, 0, 0, 2, 0])];
  return Buffer.concat([packet(1, [0, 1, 0, 0, 0, 0, 0, count, 0, 0, 0, 0]), ...definitions, ...end]);
}

function infileLiar(): Promise<Liar> {
  return mysqlLiar(packet(2, OK), (command, text) => {
    if (command === COMMAND.prepare) return prepared(text);
    return command === COMMAND.execute ? packet(1, [0xfb], Buffer.from('/etc/passwd')) : packet(1, OK);
  });
}

function passwordLiar(): Promise<Liar> {
  return mysqlLiar(packet(2, [0xfe], Buffer.from('mysql_clear_password\0')), () => packet(4, OK));
}

function redirectLiar(target: number): Promise<Liar> {
  return listen((socket) => {
    socket.on('data', (piece) => {
      const isPing = piece.toString('latin1').startsWith('GET /ping');
      const head = isPing ? 'HTTP/1.1 200 OK' : `HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:${target}/`;
      socket.write(`${head}\r\nContent-Length: ${isPing ? 4 : 0}\r\n\r\n${isPing ? 'Ok.\n' : ''}`);
      if (isPing) socket.end();
    });
  });
}

let service: Service;
let other: TestDatabase;
let readOther: () => Promise<Response>;
const liars: Liar[] = [];

beforeAll(async () => {
  [service, other] = await Promise.all([startService({ env: { MILLRACE_LOG_LEVEL: 'debug' } }), createDatabase('postgres')]);
  await other.run(
    "CREATE TABLE words (id int PRIMARY KEY, word text); INSERT INTO words SELECT n, 'w' || n FROM generate_series(1, 200) n",
  );
  const project = await setUpProject(service, [other.entry()]);
  readOther = () => service.request('GET', `${project.autoPath('pg', other.name, 'words')}?pg=0&ps=200`, { headers: project.headers });
  expect((await readOther()).status).toBe(200);
});
afterAll(async () => {
  for (const liar of liars) liar.close();
  await service?.stop();
  await other?.drop();
});

/** Reads and writes the malicious database while the other tenant continues to read. */
async function ask(type: string, { port }: Liar): Promise<readonly Response[]> {
  const entry: DatabaseEntry = {
    host_details: [{ host: '127.0.0.1', port: String(port) }],
    username: 'somebody',
    password: PASSWORD,
    db_name: DATABASE,
    db_type: type,
    connect_timeout_secs: 20,
  };
  const { autoPath, headers } = await setUpProject(service, [entry]);
  const path = autoPath(type, DATABASE, 'things');
  const asked = Promise.all([
    service.request('GET', `${path}?pg=0&ps=10`, { headers }),
    service.request('POST', path, { headers, body: [{ id: 1 }] }),
  ]);
  for (let i = 0; i < 10; i++) {
    const began = performance.now();
    const answer = await readOther();
    expect(answer.status).toBe(200);
    expect(answer.json<unknown[]>()).toHaveLength(200);
    expect(performance.now() - began).toBeLessThan(10_000);
  }
  return asked;
}

async function expectRefused(type: string, liar: Liar, reason: RegExp): Promise<void> {
  liars.push(liar);
  for (const answer of await ask(type, liar)) {
    expect(answer.status, answer.text).toBe(424);
    expect(answer.text).not.toMatch(/passwd|PASSWORD|root:/);
  }
  expect(liar.connections()).toBeGreaterThan(0);
  await expect.poll(() => service.output(), PATIENCE).toMatch(reason);
  expect(service.output()).not.toContain(PASSWORD);
}

test('a MySQL server that requests /etc/passwd gets nothing', async () => {
  const liar = await infileLiar();
  await expectRefused('ms', liar, /a request for a file of this machine/);
  expect(liar.heard().toString('latin1')).not.toContain('root:');
});

test.each(['ms', 'ma'])('a server (%s) that requests the password in clear text gets nothing', async (type) => {
  const liar = await passwordLiar();
  await expectRefused(type, liar, /a login that is not given \(mysql_clear_password\)/);
  expect(liar.heard().toString('latin1')).not.toContain(PASSWORD);
});

test('a redirect of a ClickHouse server is not followed', async () => {
  const elsewhere = await listen((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
  liars.push(elsewhere);
  await expectRefused('ch', await redirectLiar(elsewhere.port), /a redirect, which is never followed/);
  expect(elsewhere.connections()).toBe(0);
});
