// Clients that try to use up memory, time, connections and open files: each is limited, gets an
// error, and does not delay other clients.
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { residentBytes } from '../spec/big-table.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';

const MIB = 1024 * 1024;
const PATIENCE_MS = 30_000;
const SECRET = 'the gateway said so';

const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});

/** A connection that ignores errors, and the bytes that it has received. */
class Client {
  readonly socket: Socket;
  text = '';
  closed = false;

  constructor(service: Service, first: string | Buffer) {
    this.socket = connect(service.port, service.host, () => this.socket.write(first));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.closed = true;
    });
    this.socket.on('data', (piece) => {
      this.text += piece.toString('latin1');
    });
    sockets.add(this.socket);
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.text)?.[1] ?? 0);
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !holds(); await wait(10)) expect(performance.now()).toBeLessThan(end);
}

/** A service without load, to measure the response times of the machine. */
let idle: Service;
beforeAll(async () => {
  idle = await startService();
});
afterAll(() => idle.stop());

async function delayOf(service: Service): Promise<number> {
  const began = performance.now();
  await new Promise<void>((resolve, reject) => {
    const sent = request({ host: service.host, port: service.port, path: '/healthz', agent: false }, (response) => {
      expect(response.statusCode).toBe(200);
      response.resume().on('end', resolve);
    });
    sent.on('error', reject).end();
  });
  return performance.now() - began;
}

/** The value that this share of the delays does not exceed. */
const quantile = (delays: readonly number[], share: number): number =>
  delays.toSorted((a, b) => a - b)[Math.floor(delays.length * share)] ?? 0;

/** Probes of another client, one after the other. Returns their number and their delays. */
async function probe(service: Service, goesOn: () => boolean): Promise<{ typical: number; delayed: number; count: number }> {
  const delays: number[] = [];
  do {
    const [delay, machine] = await Promise.all([delayOf(service), delayOf(idle)]);
    delays.push(delay - machine);
    await wait(5);
  } while (goesOn());
  return { typical: quantile(delays, 0.5), delayed: quantile(delays, 0.9), count: delays.length };
}

describe('pipelined requests', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  test('without end, whose responses are not read, take no memory and delay no other client', async () => {
    await probe(service, () => false);
    const before = residentBytes(service.pid);
    const many = Buffer.from('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2000));
    for (let i = 0; i < 8; i++) {
      const { socket } = new Client(service, many);
      socket.pause();
      const more = (): void => {
        while (!socket.destroyed && socket.write(many));
      };
      socket.on('drain', more).on('connect', more);
    }
    const end = performance.now() + 5000;
    const { delayed } = await probe(service, () => performance.now() < end);
    expect(residentBytes(service.pid) - before).toBeLessThan(96 * MIB);
    expect(delayed).toBeLessThan(100);
  });

  test('for expensive responses are answered, and other clients in between', async () => {
    const count = 1900;
    const client = new Client(service, 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count));
    let answers = 0;
    client.socket.removeAllListeners('data').on('data', (piece) => {
      answers += piece.toString('latin1').split('HTTP/1.1 200 OK\r\n').length - 1;
    });
    const end = performance.now() + 5000;
    const { delayed, count: probes } = await probe(service, () => performance.now() < end && answers < count);
    expect(client.closed).toBe(false);
    expect(answers).toBeGreaterThan(10);
    expect(probes).toBeGreaterThan(10);
    expect(delayed).toBeLessThan(100);
  });
});

describe('bodies', () => {
  const BODY = 4 * MIB;
  const ALL = 32 * MIB;
  let service: Service;
  let project: TestProject;
  beforeAll(async () => {
    service = await startService({
      env: { MILLRACE_MAX_BODY_BYTES: String(BODY), MILLRACE_MAX_BODIES_BYTES: String(ALL), MILLRACE_STALL_SECS: '3' },
    });
    project = await setUpProject(service, []);
  });
  afterAll(() => service.stop());

  const post = (path: string, headers: Readonly<Record<string, string>>, length: number, more = ''): string =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\nContent-Type: application/json\r\n${more}${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`;
  const callPath = (): string => `/${project.orgAbbr}/${project.projectAbbr}/nothing`;
  /** All but the last byte of it. */
  const lacking = Buffer.alloc(BODY - 1, ' ');

  test.each([
    ['to a path that is none', () => '/svc/none', () => project.headers, 404],
    ['from nobody', callPath, () => ({}), 401],
    ["for another's project", () => '/other/project/uri', () => project.headers, 403],
    ['to a database that is not registered', () => project.autoPath('pg', 'none', 't'), () => project.headers, 404],
    ['with a method that is not served there', () => '/healthz', () => ({}), 405],
    ['of a definition, from no author', () => '/svc/rest/definition/v1', () => ({ ...project.headers, 'x-user-roles': 'user' }), 403],
    ['for the System API, without its key', () => '/svc/system/api/v1/org', () => ({ 'x-user-id': project.userId }), 403],
    ['with an encoding', callPath, () => ({ ...project.headers, 'content-encoding': 'gzip' }), 415],
    ['with two encodings', callPath, () => ({ ...project.headers, 'content-encoding': 'gzip\r\ncontent-encoding: identity' }), 400],
    ['with two types', callPath, () => ({ ...project.headers, 'content-Type': 'text/plain' }), 400],
    ['with two ids', callPath, () => ({ ...project.headers, 'x-request-id': 'a\r\nx-request-id: b' }), 400],
  ])('%s are rejected before they are sent', async (_, path, headers, status) => {
    for (const more of ['', 'Expect: 100-continue\r\n']) {
      const client = new Client(service, post(path(), headers(), BODY, more));
      await until(() => client.status !== 0);
      expect(client.text.match(/^HTTP\/1\.1 \d+/gm)).toEqual([`HTTP/1.1 ${status}`]);
      expect(client.text).toContain('Connection: close');
    }
  });

  test('are requested with 100 Continue after a successful precheck', async () => {
    const client = new Client(service, post(callPath(), project.headers, 2, 'Expect: 100-continue\r\n'));
    await until(() => client.text === 'HTTP/1.1 100 Continue\r\n\r\n');
    client.socket.write('{}');
    await until(() => client.text.includes('HTTP/1.1 404'));
  });

  test('that lack a byte stay within the budget, are evicted when they stall, and keep out no small ones', async () => {
    const before = residentBytes(service.pid);
    const clients = Array.from(
      { length: 60 },
      () => new Client(service, Buffer.concat([Buffer.from(post(callPath(), project.headers, BODY)), lacking])),
    );
    await until(() => clients.filter(({ status }) => status === 503).length > 60 - ALL / BODY - 1);
    const refused = clients.find(({ status }) => status === 503);
    expect(refused?.text).toMatch(/^Retry-After: \d+\r$/im);
    expect(residentBytes(service.pid) - before).toBeLessThan(ALL + 96 * MIB);
    const small = await service.request('POST', callPath(), { headers: project.headers, body: { a: 1 } });
    expect(small.status).toBe(404);
    expect((await service.request('GET', '/metrics')).text).toMatch(/^millrace_overloads_total\{reason="bodies"\} [1-9]/m);
    // Accepted bodies are rejected once nothing has arrived for the stall timeout.
    await until(() => clients.every(({ status }) => status !== 0));
    expect(new Set(clients.map(({ status }) => status))).toEqual(new Set([408, 503]));
    expect((await service.request('GET', '/metrics')).text).toMatch(/^millrace_http_body_bytes 0$/m);
    const large = await service.request('POST', callPath(), {
      headers: { ...project.headers, 'content-type': 'application/json' },
      body: Buffer.concat([lacking, Buffer.from('1')]),
    });
    expect(large.status).toBe(404);
  });
});

describe('bodies of requests without the gateway secret', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { MILLRACE_GATEWAY_SECRET: SECRET } });
  });
  afterAll(() => service.stop());

  test('are rejected by their heads, and take no memory', async () => {
    await probe(service, () => false);
    const before = residentBytes(service.pid);
    const piece = Buffer.alloc(256 * 1024);
    const clients: Client[] = [];
    const end = performance.now() + 4000;
    const attack = (): void => {
      const client = new Client(service, `POST /a/b/c HTTP/1.1\r\nHost: x\r\nContent-Length: ${16 * MIB}\r\n\r\n`);
      clients.push(client);
      const more = (): void => void (client.socket.writable && client.socket.bytesWritten < 15 * MIB && client.socket.write(piece, more));
      client.socket.on('connect', more).on('close', () => {
        if (performance.now() < end) attack();
      });
    };
    for (let i = 0; i < 50; i++) attack();
    const { typical } = await probe(service, () => performance.now() < end);
    expect(typical).toBeLessThan(100);
    await until(() => clients.slice(0, 50).every(({ status }) => status !== 0));
    expect(new Set(clients.slice(0, 50).map(({ status }) => status))).toEqual(new Set([401]));
    expect(residentBytes(service.pid) - before).toBeLessThan(128 * MIB);
  });
});

describe('connections', () => {
  test('beyond the limit get 503, except for probes', async () => {
    const service = await startService({ env: { MILLRACE_MAX_CONNECTIONS: '20' } });
    try {
      const busy = Array.from({ length: 20 }, () => new Client(service, 'GET / HTTP/1.1\r\n'));
      await until(() => busy.every(({ socket }) => socket.bytesWritten > 0));
      const other = new Client(service, 'GET /svc/none HTTP/1.1\r\nHost: x\r\n\r\n');
      await until(() => other.closed);
      expect(other.status).toBe(503);
      expect(other.text).toMatch(/^Retry-After: \d+\r$/im);
      await probe(service, () => false);
      const metrics = new Client(service, 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
      await until(() => metrics.closed);
      expect(metrics.text).toMatch(/^millrace_overloads_total\{reason="connections"\} [1-9]/m);
      await until(() => service.output().includes('MILLRACE_MAX_CONNECTIONS is reached'));
      for (const { socket } of busy) socket.destroy();
      await expect.poll(async () => (await service.request('GET', '/svc/none')).status, { timeout: PATIENCE_MS }).toBe(404);
    } finally {
      await service.stop();
    }
  });

  test('up to the limit of open files are logged and counted, and probes are answered', async () => {
    const service = await startService({ openFiles: 300 });
    try {
      const busy = Array.from({ length: 400 }, () => new Client(service, 'GET / HTTP/1.1\r\n'));
      await until(() => service.output().includes('the limit of open files is reached'));
      for (let i = 0; i < 5; i++) await probe(service, () => false);
      const metrics = new Client(service, 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
      await until(() => metrics.closed);
      expect(metrics.text).toMatch(/^millrace_overloads_total\{reason="descriptors"\} [1-9]/m);
      const other = new Client(service, 'GET /svc/none HTTP/1.1\r\nHost: x\r\n\r\n');
      await until(() => other.closed);
      expect(other.status).toBe(503);
      for (const { socket } of busy) socket.destroy();
      await expect.poll(async () => (await service.request('GET', '/svc/none')).status, { timeout: PATIENCE_MS }).toBe(404);
    } finally {
      await service.stop();
    }
  });
});
