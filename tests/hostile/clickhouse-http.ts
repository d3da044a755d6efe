// ClickHouse over HTTP: recorded conversations, split into lines and chunks, and mutations of
// responses.
import { gzipSync } from 'node:zlib';
import { canary, SCRIPTS, SET_UP } from './clickhouse-scripts.ts';
import { changing, type Mutation, type Protocol, places, replaced } from './frame/protocol.ts';
import type { Random } from './frame/random.ts';

const CRLF = '\r\n';

/**
 * Splits a response into the lines of the head, then size lines and chunks, each with its line
 * break.
 */
function frame(bytes: Buffer): readonly Buffer[] {
  const messages: Buffer[] = [];
  let at = 0;
  const cut = (to: number): void => {
    messages.push(bytes.subarray(at, to));
    at = to;
  };
  while (at < bytes.length) {
    let end = bytes.indexOf(CRLF, at);
    if (end < 0) break;
    const chunked = /transfer-encoding: chunked/i.test(bytes.toString('latin1', at, bytes.indexOf('\r\n\r\n', at) + 2));
    for (; end > at; end = bytes.indexOf(CRLF, at)) cut(end + 2);
    cut(Math.min(at + 2, bytes.length));
    if (!chunked) break;
    for (let size = -1; size !== 0 && at < bytes.length; ) {
      end = bytes.indexOf(CRLF, at);
      if (end < 0) break;
      size = Number.parseInt(bytes.toString('latin1', at, end), 16);
      cut(end + 2);
      cut(Math.min(at + size + 2, bytes.length));
    }
  }
  if (at < bytes.length) cut(bytes.length);
  return messages;
}

const starts =
  (pattern: RegExp) =>
  (message: Buffer): boolean =>
    pattern.test(message.toString('latin1', 0, 200));
const isStatus = starts(/^HTTP\/1\.1 /);
const isHeader = starts(/^[A-Za-z-]+: [^\n]*\r\n$/);
const isSize = starts(/^[0-9a-fA-F]+\r\n$/);
const isBody = starts(/^\[/);

const line = (text: string): Buffer => Buffer.from(`${text}${CRLF}`, 'latin1');

/** Adds a header, or replaces one. */
const heading =
  (...candidates: readonly string[]): Mutation =>
  (turns, random) => {
    const all = places(turns, isHeader);
    if (all.length === 0) return turns;
    const place = random.pick(all);
    const added = line(random.pick(candidates));
    return replaced(turns, place, ...random.pick([[added], [added, place.message], [place.message, added]]));
  };

/** Replaces a whole response. */
const answering =
  (...candidates: readonly Buffer[]): Mutation =>
  (turns, random) => {
    const at = random.below(turns.length);
    return turns.map((turn, i) => (i === at ? { ...turn, messages: [random.pick(candidates)] } : turn));
  };

const endless =
  (isPlace: (message: Buffer) => boolean, ...candidates: readonly Buffer[]): Mutation =>
  (turns, random) => {
    const wanted = places(turns, isPlace);
    if (wanted.length === 0) return turns;
    const { turn, index } = random.pick(wanted);
    return turns.map((one, i) =>
      i === turn ? { ...one, messages: one.messages.slice(0, index + 1), endless: random.pick(candidates) } : one,
    );
  };

function response(status: string, headers: readonly string[], body: Buffer | string = ''): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([line(`HTTP/1.1 ${status}`), ...headers.map(line), line(`Content-Length: ${bytes.length}`), line(''), bytes]);
}

const BOMB = gzipSync(Buffer.alloc(16 * 1024 * 1024, '[1]\n'));

const RESPONSES: readonly Buffer[] = [
  response('302 Found', ['Location: http://127.0.0.1:1/']),
  response('307 Temporary Redirect', ['Location: http://169.254.169.254/latest/meta-data/']),
  response('301 Moved Permanently', ['Location: //elsewhere/'], 'moved'),
  response('304 Not Modified', []),
  response('204 No Content', []),
  response('101 Switching Protocols', ['Upgrade: websocket']),
  response('100 Continue', []),
  response('401 Unauthorized', ['WWW-Authenticate: Basic']),
  response('500 Internal Server Error', ['X-ClickHouse-Exception-Code: 999999999999'], 'Code: 1. DB::Exception: no'),
  response('404 Not Found', ['X-ClickHouse-Exception-Code: x'], `Code: 60. DB::Exception: ${'Maybe you meant ['.repeat(5000)}`),
  response('500 Internal Server Error', [], 'Code: 341. DB::Exception: '.repeat(3000)),
  response('500 Internal Server Error', [], 'x'.repeat(100_000)),
  response('200 OK', ['Content-Encoding: gzip'], BOMB),
  response('200 OK', ['Content-Encoding: br'], BOMB),
  response('200 OK', ['Transfer-Encoding: gzip, chunked'], BOMB),
  response('200 OK', ['X-ClickHouse-Format: Native'], 'x'),
  response('200 OK', [], '[1]\n[2'),
  response('200 OK', [], '["constructor"]\n["constructor"]\n["x"]\n'),
  response('200 OK', [], `["a"]\n["${'Array('.repeat(5000)}"]\n[1]\n`),
  response('200 OK', [], `["a"]\n["${'x'.repeat(100_000)}"]\n[1]\n`),
  response('200 OK', [], '[1]\n[2]\n[3]\n'),
  response('200 OK', [], '{"a":1}\n'),
  response('200 OK', [], `${JSON.stringify(Array.from({ length: 20_000 }, () => 'a'))}\n`),
  response('200 OK', [], `[${'['.repeat(200_000)}\n`),
  response('200 OK', [], '\n\n\n\n'),
  Buffer.from('HTTP/1.1 200 OK\r\n\r\n[1]\n'),
  Buffer.from('HTTP/1.0 200 OK\r\nConnection: close\r\n\r\n[1]\n'),
  Buffer.from('HTTP/2.0 200 OK\r\n\r\n'),
  Buffer.from('Ok.\n'),
  Buffer.from('\x15\x03\x01\x00\x02\x02\x46', 'latin1'),
  response('200 OK', ['Content-Length: 5'], '[1]\n'),
  Buffer.concat([response('200 OK', [], ''), response('200 OK', [], '[1]\n')]),
];

/** Replaces a row. */
function rowText(random: Random): string {
  return random.pick([
    '[1}]',
    '[abc]',
    '[1-2, "x"]',
    '["\\ud800"]',
    '["\\u12',
    '[nul, 1]',
    '[-]',
    '[1e]',
    '[1.]',
    '["\\',
    '[[[[[]',
    '[{"a":"}]',
    `["${'x'.repeat(random.below(3000))}"]`,
    '[1,"a",1,"a"]',
    '["a""b"]',
    '[,,,,,,1]',
    '[tru, 2]',
    'Code: 395. DB::Exception: no: while executing',
    '__exception__',
  ]);
}

const mutations: Readonly<Record<string, Mutation>> = {
  'size of a chunk': changing(isSize, (_, random) =>
    line(
      random.pick([
        random.oddNumber().toString(16),
        'ffffffffffffffffffff',
        '-1',
        '0x10',
        '',
        ' 5',
        '5 ; x',
        '1'.repeat(20_000),
        'fffffffffffff',
        'g',
        '0',
      ]),
    ),
  ),
  'a chunk that is not as long': changing(isBody, (bytes, random) => bytes.subarray(0, random.below(bytes.length))),
  'a status': changing(isStatus, (_, random) =>
    line(
      random.pick([
        'HTTP/1.1 302 Found',
        'HTTP/1.1 500 no',
        'HTTP/1.1 100 Continue',
        'HTTP/1.1 204 No Content',
        'HTTP/1.1 99999',
        'HTTP/1.1',
        'ICY 200 OK',
      ]),
    ),
  ),
  'a header': heading(
    'Location: http://127.0.0.1:1/',
    'Content-Length: 5',
    'Content-Length: 0',
    'Content-Length: -5',
    'Content-Length: 99999999999999999999',
    'Content-Length: 1e3',
    'Content-Length: 0x10',
    'Transfer-Encoding: gzip',
    'Transfer-Encoding: chunked, chunked',
    'Transfer-Encoding: identity',
    'Content-Encoding: gzip',
    'Connection: close',
    'Keep-Alive: timeout=999999999999999999999',
    'X-ClickHouse-Format: Pretty',
    'X-ClickHouse-Summary: {"written_rows":"99999999999999999999999"}',
    'X-ClickHouse-Exception-Code: NaN',
    `X-Long: ${'x'.repeat(300_000)}`,
    ': no name',
    'no colon',
  ),
  'another response': answering(...RESPONSES),
  'another row': changing(isBody, (bytes, random) => {
    const rows = bytes.toString('utf8').trimEnd().split('\n');
    rows[random.below(rows.length)] = rowText(random);
    const body = Buffer.from(`${rows.join('\n')}\n`);
    // The preceding size no longer matches, unless this is a separate chunk.
    return random.chance(20) ? body : Buffer.concat([body.subarray(0, bytes.length - 2), line('')]);
  }),
  'another chunk': (turns, random) => {
    const sizes = places(turns, isSize);
    if (sizes.length === 0) return turns;
    const body = Buffer.from(`${rowText(random)}\n`);
    return replaced(turns, random.pick(sizes), line(body.length.toString(16)), body, line(''), line('5'), Buffer.from('[1]\n\n'), line(''));
  },
  'no end of headers': endless(isHeader, line('X-More: of the same'), line('x'.repeat(3000))),
  'no end of a head': endless(isStatus, Buffer.alloc(4096, 'x')),
  'no end of a line': endless(isSize, Buffer.alloc(4096, '7'), Buffer.alloc(4096, ' ')),
  'no end of interim heads': (turns, random) => {
    const at = random.below(turns.length);
    return turns.map((turn, i) =>
      i === at ? { ...turn, messages: [], endless: Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)) } : turn,
    );
  },
  'no end of chunks': endless(
    isHeader,
    Buffer.concat([line('4'), Buffer.from('[1]\n'), line('')]),
    Buffer.concat([line('6'), Buffer.from('[1, 2'), line('')]),
  ),
  'no end of a trailer': endless(isBody, Buffer.concat([line('0'), line('X-Trailer: more')]), line('X-Trailer: more')),
  'no end of rows': answering(
    Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n'), Buffer.from('[1]\n'.repeat(50_000))]),
    Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n["'), Buffer.alloc(200_000, 0x79)]),
    Buffer.concat([Buffer.from('HTTP/1.1 500 no\r\nContent-Length: 999999999\r\n\r\n'), Buffer.alloc(200_000, 0x79)]),
  ),
};

export const clickhouseHttpProtocol: Protocol = {
  name: 'ClickHouse over HTTP',
  engine: 'clickhouse',
  setUp: SET_UP,
  scripts: SCRIPTS,
  address: ({ address }) => ({ host: address.host, port: address.port }),
  frame,
  mutations,
  canary,
  // Basic authentication sends the password in clear text; TLS protects it.
  sendsPassword: true,
  probe: { question: 'GET /ping ', answer: 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nOk.\n' },
  canaryEvery: 400,
};
