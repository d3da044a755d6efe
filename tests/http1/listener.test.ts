// The HTTP/1.x parser: requests in pieces of any size, rejections, and comparison with Node's
// parser.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HeaderNames } from '../../src/http1/head/header-names.ts';
import { HeadReader, type RequestHead } from '../../src/http1/head/request-head.ts';
import { Listener } from '../../src/http1/listener.ts';
import { bytesOf, Lease } from '../../src/util/bytes/buffer-pool.ts';

const MAX_BODY = 5000;
const LIMITS = { maxBodyBytes: MAX_BODY, maxBodiesBytes: 1_000_000, maxConnections: 1000, stallSecs: 30 };

/** The requests that a server read on one connection, or its rejection. */
type Seen = readonly string[];

const shown = (method: string, target: string, headers: readonly string[], body: Buffer): string =>
  JSON.stringify([method, target, headers, body.toString('latin1')]);

const paired = (headers: readonly string[]): string[] => headers.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text));

let ours: Listener;
let oursPort: number;
const node = createServer({ maxHeaderSize: 32 * 1024, keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
let nodePort: number;
const seen = new Map<number, string[]>();

const note = (port: number | undefined, text: string): void => {
  const list = seen.get(port ?? 0) ?? [];
  list.push(text);
  seen.set(port ?? 0, list);
};

beforeAll(async () => {
  ours = new Listener(
    {
      request: (head: RequestHead, body, reply) => {
        reply.send(
          200,
          `X-Seen: ${Buffer.from(shown(head.method, head.target, head.section.lines, bytesOf(body))).toString('base64')}\r\n`,
          Buffer.from('ok'),
        );
      },
      rejected: (_, reason, reply) => reply.send(400, `X-Rejected: ${reason}\r\n`, Buffer.from('no')),
    },
    LIMITS,
  );
  oursPort = await ours.listen('127.0.0.1', 0);
  node.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      note(request.socket.remotePort, shown(request.method ?? '', request.url ?? '', paired(request.rawHeaders), Buffer.concat(pieces)));
      response.end('ok');
    });
  });
  node.on('clientError', (_, socket) => {
    // Node reads ahead: requests before the bad one are still on their way to the listener above.
    setTimeout(() => socket.destroy(), 5);
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  nodePort = (node.address() as AddressInfo).port;
});

afterAll(async () => {
  node.closeAllConnections();
  node.close();
  await ours.close(1000);
});

/** Sends pieces one after the other and reads until the server closes. */
function exchange(port: number, pieces: readonly (string | Buffer)[]): Promise<{ text: string; localPort: number }> {
  return new Promise((resolve, reject) => {
    let text = '';
    let localPort = 0;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, async () => {
      localPort = socket.localPort ?? 0;
      for (const piece of pieces) await new Promise<void>((sent) => socket.write(piece, () => setImmediate(sent)));
    });
    socket.setTimeout(20_000, () => socket.destroy(new Error('neither answered nor closed')));
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    socket.on('error', (error) => (text === '' ? reject(error) : undefined));
    socket.on('close', () => resolve({ text, localPort }));
  });
}

async function seenByOurs(pieces: readonly (string | Buffer)[]): Promise<Seen> {
  const { text } = await exchange(oursPort, pieces);
  return [...text.matchAll(/^X-(Seen|Rejected): (.*)\r$/gm)].map(([, kind, value = '']) =>
    kind === 'Seen' ? Buffer.from(value, 'base64').toString() : `rejected ${value}`,
  );
}

async function seenByNode(bytes: string): Promise<Seen> {
  const { localPort } = await exchange(nodePort, [Buffer.from(bytes, 'latin1')]).catch(() => ({ localPort: -1 }));
  return seen.get(localPort) ?? [];
}

const GET = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const CLOSE = 'Connection: close\r\n';

describe('requests', () => {
  test('follow each other on a connection, also when they are pipelined', async () => {
    const body = `POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello`;
    const chunked = 'PUT /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: t\r\n\r\n';
    const all = GET('/a?x=1') + body + chunked + GET('/d', CLOSE);
    const whole = await seenByOurs([all]);
    expect(whole.map((text) => JSON.parse(text).filter((_: unknown, i: number) => i !== 2))).toEqual([
      ['GET', '/a?x=1', ''],
      ['POST', '/b', 'hello'],
      ['PUT', '/c', 'abcde'],
      ['GET', '/d', ''],
    ]);
    expect(whole).toEqual(await seenByNode(all));
  });

  test('arrive in any pieces', async () => {
    const all = `\r\n${GET('/a')}POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n${GET('/c', CLOSE)}`;
    const whole = await seenByOurs([all]);
    expect(whole).toHaveLength(3);
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: all.length - 1 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const sorted = [0, ...places.sort((a, b) => a - b), all.length];
        const pieces = sorted.slice(1).map((end, i) => all.slice(sorted[i], end));
        expect(await seenByOurs(pieces)).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });

  test('are answered in order and once when a thousand are pipelined', async () => {
    const all = Array.from({ length: 1000 }, (_, i) => GET(`/${i}`, i === 999 ? CLOSE : '')).join('');
    const paths = (await seenByOurs([all])).map((text) => JSON.parse(text)[1]);
    expect(paths).toEqual(Array.from({ length: 1000 }, (_, i) => `/${i}`));
  });

  test('have their own headers, whatever headers earlier requests had', async () => {
    const choices = ['', 'X-A: 1', 'X-A: 2', 'X-B: 1', 'x-a: 1', 'X-A:  1', 'Content-Length: 0', 'Content-Length: 1', 'Content-Length: 2'];
    const blocks = fc.array(fc.constantFrom(...choices), { minLength: 2, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(blocks, fc.boolean(), async (list, together) => {
        const requests = list.map((header, i) => {
          const body = 'zz'.slice(0, Number(/Content-Length: (\d)/.exec(header)?.[1] ?? 0));
          return `POST /${i} HTTP/1.1\r\nHost: x\r\n${header === '' ? '' : `${header}\r\n`}\r\n${body}`;
        });
        requests.push(GET('/last', CLOSE));
        const all = requests.join('');
        expect(await seenByOurs(together ? [all] : requests)).toEqual(await seenByNode(all));
      }),
      { numRuns: 60 },
    );
  });

  test('share a parsed header section if, and only if, their headers are equal', () => {
    const reader = new HeadReader(new HeaderNames());
    const sectionOf = (text: string) => reader.read(Buffer.from(text, 'latin1'), text.indexOf('\r\n\r\n')).section;
    const first = sectionOf(GET('/a', 'X-A: 1\r\n'));
    expect(sectionOf(GET('/bcd?e=f', 'X-A: 1\r\n'))).toBe(first);
    const other = sectionOf(GET('/a', 'X-A: 2\r\n'));
    expect(other.lines).toEqual(['host', 'x', 'x-a', '2']);
    expect(sectionOf(GET('/a', 'X-A: 2\r\n'))).toBe(other);
    expect(sectionOf(GET('/a', 'X-A: 2\r\n').replace('HTTP/1.1', 'HTTP/1.0'))).not.toBe(other);
  });

  test('receive 100 Continue when their client waits for it', async () => {
    const head = `POST / HTTP/1.1\r\nHost: x\r\n${CLOSE}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`;
    const socket = connect(oursPort, '127.0.0.1', () => socket.write(head));
    const first = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    expect(first.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('hi');
    const second = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    expect(second.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    socket.destroy();
  });

  test('of HTTP/1.0 close the connection unless asked otherwise', async () => {
    expect((await exchange(oursPort, ['GET / HTTP/1.0\r\n\r\n'])).text).toMatch(/Connection: close/);
    const kept = await exchange(oursPort, ['GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /2 HTTP/1.0\r\n\r\n']);
    expect(kept.text.match(/Connection: \S+/g)).toEqual(['Connection: keep-alive', 'Connection: close']);
  });

  test('may have an absolute URL, of which only the path counts', async () => {
    const [text = ''] = await seenByOurs([GET('http://host:80/a?b', CLOSE)]);
    expect(JSON.parse(text)[1]).toBe('/a?b');
  });
});

describe('a response in pieces', () => {
  /** More than any system takes at once, and what every one does. */
  test.each([
    ['slow', 32 * 1024 * 1024],
    ['quick', 1024],
  ])('releases its writer when it ends, and finishes when a %s client has received it', async (pace, size) => {
    const events: string[] = [];
    const server = new Listener(
      {
        request: (_, __, reply) => {
          reply.onDrain = () => events.push('drain');
          reply.onFinished = () => events.push('over');
          reply.begin(200, '', undefined);
          events.push(reply.write(Buffer.alloc(size, 'a')) ? 'quick' : 'slow');
          reply.end(Buffer.from('z'));
        },
        rejected: (_, __, reply) => reply.destroy(),
      },
      LIMITS,
    );
    const port = await server.listen('127.0.0.1', 0);
    const { text } = await exchange(port, [GET('/', CLOSE)]);
    expect(text).toMatch(/z\r\n0\r\n\r\n$/);
    expect(events).toEqual([pace, 'drain', 'over']);
    await server.close(1000);
  });

  test('is sent together with its head, and the head alone if there is no body', async () => {
    const arrived: string[] = [];
    const server = new Listener(
      {
        request: ({ target }, __, reply) => {
          reply.begin(200, '', undefined);
          if (target === '/full') setImmediate(() => reply.write(Buffer.from('first')));
          setTimeout(() => reply.end(Buffer.alloc(0)), 100);
        },
        rejected: (_, __, reply) => reply.destroy(),
      },
      LIMITS,
    );
    const port = await server.listen('127.0.0.1', 0);
    for (const path of ['/full', '/empty']) {
      const socket = connect(port, '127.0.0.1').setEncoding('latin1');
      socket.on('data', (text: string) => arrived.push(text));
      socket.write(GET(path, CLOSE));
      await once(socket, 'close');
    }
    expect(arrived).toEqual([
      expect.stringMatching(/^HTTP\/1\.1 200 .*\r\n\r\n5\r\nfirst\r\n$/s),
      '0\r\n\r\n',
      expect.stringMatching(/^HTTP\/1\.1 200 .*\r\n\r\n0\r\n\r\n$/s),
    ]);
    await server.close(1000);
  });
});

describe('refused', () => {
  const host = 'Host: x\r\n';
  const cases: readonly (readonly [string, string, string])[] = [
    ['no request at all', 'hello\r\n\r\n', 'malformed'],
    ['a bare line feed', 'GET / HTTP/1.1\nHost: x\n\r\n\r\n', 'malformed'],
    ['a line feed inside of a value', `GET / HTTP/1.1\r\n${host}A: b\nC: d\r\n\r\n`, 'malformed'],
    ['a carriage return inside of a value', `GET / HTTP/1.1\r\n${host}A: b\rC: d\r\n\r\n`, 'malformed'],
    ['another version', `GET / HTTP/2.0\r\n${host}\r\n`, 'malformed'],
    ['lower-case version', `GET / http/1.1\r\n${host}\r\n`, 'malformed'],
    ['two blanks', `GET  / HTTP/1.1\r\n${host}\r\n`, 'malformed'],
    ['something behind the version', `GET / HTTP/1.1 x\r\n${host}\r\n`, 'malformed'],
    ['an unknown method', `GRAB / HTTP/1.1\r\n${host}\r\n`, 'malformed'],
    ['a tunnel', `CONNECT x:1 HTTP/1.1\r\n${host}\r\n`, 'malformed'],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 'malformed'],
    ['two hosts', `GET / HTTP/1.1\r\n${host}${host}\r\n`, 'malformed'],
    ['a blank before the colon', `GET / HTTP/1.1\r\n${host}A : b\r\n\r\n`, 'malformed'],
    ['a folded header', `GET / HTTP/1.1\r\n${host}A: b\r\n c\r\n\r\n`, 'malformed'],
    ['a header without a name', `GET / HTTP/1.1\r\n${host}: b\r\n\r\n`, 'malformed'],
    ['a header without a colon', `GET / HTTP/1.1\r\n${host}abc\r\n\r\n`, 'malformed'],
    ['NUL in a header', `GET / HTTP/1.1\r\n${host}A: b\0\r\n\r\n`, 'malformed'],
    ['two lengths', `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`, 'malformed'],
    ['a list of lengths', `POST / HTTP/1.1\r\n${host}Content-Length: 1, 1\r\n\r\na`, 'malformed'],
    ['a signed length', `POST / HTTP/1.1\r\n${host}Content-Length: +1\r\n\r\na`, 'malformed'],
    ['a length and chunks', `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 'malformed'],
    ['chunks in HTTP/1.0', `POST / HTTP/1.0\r\n${host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 'malformed'],
    ['another encoding', `POST / HTTP/1.1\r\n${host}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 'malformed'],
    ['a masked encoding', `POST / HTTP/1.1\r\n${host}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`, 'malformed'],
    ['a size that is no number', `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n`, 'malformed'],
    ['a chunk longer than its size', `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n`, 'malformed'],
    ['a chunk ended by a bare line feed', `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n`, 'malformed'],
    ['an unknown expectation', `POST / HTTP/1.1\r\n${host}Expect: more\r\nContent-Length: 1\r\n\r\na`, 'expectation'],
    ['a body above the limit', `POST / HTTP/1.1\r\n${host}Content-Length: ${MAX_BODY + 1}\r\n\r\n`, 'body_too_large'],
    [
      'chunks above the limit',
      `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n${'3e8\r\n'.concat('a'.repeat(1000), '\r\n').repeat(6)}0\r\n\r\n`,
      'body_too_large',
    ],
    ['a long target', `GET /${'a'.repeat(40_000)} HTTP/1.1\r\n${host}\r\n`, 'target_too_long'],
    ['large headers', `GET / HTTP/1.1\r\n${host}A: ${'a'.repeat(40_000)}\r\n\r\n`, 'head_too_large'],
  ];
  test.each(cases)('%s', async (_, bytes, reason) => {
    // Nothing behind a rejected request is served.
    expect(await seenByOurs([Buffer.from(bytes + GET('/smuggled', CLOSE), 'latin1')])).toEqual([`rejected ${reason}`]);
  });
});

describe("the parser, compared with Node's,", () => {
  const token = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,11}$/);
  const value = fc.stringMatching(/^[ -~]{0,20}$/);
  const line = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(token, value).map(([name, text]) => `${name}: ${text}`) },
    fc.constantFrom(
      'Content-Length: 0',
      'Content-Length: 3',
      'Transfer-Encoding: chunked',
      'Connection: close',
      'Host: y',
      'A:b',
      'A :b',
      ' folded',
    ),
  );
  const message = fc
    .tuple(
      fc.constantFrom('GET', 'POST', 'DELETE', 'OPTIONS', 'FOO', 'get'),
      fc.stringMatching(/^\/[!-~]{0,12}$/),
      fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/1.2'),
      fc.array(line, { maxLength: 5 }),
      fc.constantFrom('', '', 'abc', '3\r\nabc\r\n0\r\n\r\n'),
      fc.constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\n'),
    )
    .map(([method, path, version, lines, body, end]) => [`${method} ${path} ${version}`, 'Host: x', ...lines, '', body].join(end));

  test('serves nothing that Node rejects, and reads it alike', async () => {
    await fc.assert(
      fc.asyncProperty(message, async (bytes) => {
        const whole = `${bytes}${GET('/last', CLOSE)}`;
        const mine = await seenByOurs([Buffer.from(whole, 'latin1')]);
        const served = mine.filter((text) => !text.startsWith('rejected'));
        if (served.length === 0) return;
        const theirs = await seenByNode(whole);
        expect(theirs.slice(0, served.length)).toEqual(served);
      }),
      { numRuns: 400 },
    );
  });
});

describe('a response', () => {
  test.each(['GET', 'HEAD'])('to %s releases all of its pieces, and has the length of all of them', async (method) => {
    const pieces = [Buffer.from('one,'), Buffer.alloc(100_000, 0x78), Buffer.from(',three')];
    const leases = pieces.map((piece) => new Lease(piece));
    const server = new Listener(
      {
        request: (_, __, reply) => reply.sendPieces(200, 'X-A: 1\r\n', leases),
        rejected: (_, __, reply) => reply.send(400, '', Buffer.from('no')),
      },
      LIMITS,
    );
    try {
      const port = await server.listen('127.0.0.1', 0);
      const { text } = await exchange(port, [GET('/', CLOSE).replace('GET', method)]);
      const body = text.slice(text.indexOf('\r\n\r\n') + 4);
      expect(text).toContain('\r\nContent-Length: 100010\r\n');
      expect(body).toBe(method === 'HEAD' ? '' : Buffer.concat(pieces).toString());
      for (const lease of leases) expect(() => lease.bytes).toThrow('after its release');
    } finally {
      await server.close(1000);
    }
  });
});
