// PostgreSQL: recorded conversations, the positions of their messages, and mutations of the
// protocol.
import type { ParamType, Statement } from '../../src/sql/statement.ts';
import { inserting } from './frame/mutations.ts';
import { changing, type Mutation, type Protocol, places, replaced, type Script, type Step, type Turn } from './frame/protocol.ts';
import type { Random } from './frame/random.ts';

const TEXT: ParamType = { kind: 'text', cast: 'text' };

const statement = (text: string, params: readonly string[]): Statement => ({ text, types: params.map(() => TEXT) });
const run = (text: string, ...params: string[]): Step => ({ do: 'run', statement: statement(text, params), params });
const fail = (text: string, ...params: string[]): Step => ({ do: 'fail', statement: statement(text, params), params });

const SCRIPTS: readonly Script[] = [
  {
    name: 'all types',
    steps: [
      run('SELECT * FROM every'),
      run('SELECT moment, raw, zoned, num FROM every WHERE id = $1::int', '2'),
      run('SELECT moment, raw, zoned, num FROM every WHERE id = $1::int', '1'),
    ],
  },
  {
    name: 'many rows',
    steps: [run("SELECT n, repeat('x', n % 50), md5(n::text) FROM generate_series(1, 100) n"), run('SELECT 1 WHERE false')],
  },
  { name: 'large rows', steps: [run("SELECT n, repeat('y', 70000), decode(repeat('ab', 3000), 'hex') FROM generate_series(1, 1) n")] },
  {
    name: 'refusals',
    steps: [fail('SELECT 1 / $1::int', '0'), fail('SELECT nothing FROM nowhere'), run('SELECT 1'), fail('INSERT INTO kept VALUES (1)')],
  },
  {
    name: 'transactions',
    steps: [
      { do: 'begin' },
      run('INSERT INTO scratch VALUES ($1::int, $2)', '7', 'seven'),
      run('SELECT * FROM scratch ORDER BY 1'),
      { do: 'rollback' },
      { do: 'begin' },
      run('UPDATE scratch SET word = word'),
      { do: 'commit' },
      { do: 'reset' },
      run('SELECT count(*) FROM scratch'),
    ],
  },
  {
    name: 'catalogue',
    steps: [
      { do: 'describe', table: 'every' },
      { do: 'describe', table: 'not there' },
    ],
  },
  { name: 'copies', steps: [run('COPY scratch TO STDOUT'), fail('COPY scratch FROM STDIN'), run('SELECT 1')] },
];

function message(type: string, ...parts: readonly (Buffer | number[])[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const header = Buffer.alloc(5);
  header.write(type, 'latin1');
  header.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
}

const typeOf = (bytes: Buffer): string => String.fromCharCode(bytes[0] ?? 0);
const ofType =
  (...types: string[]) =>
  (bytes: Buffer): boolean =>
    bytes.length >= 5 && types.includes(typeOf(bytes));
const isFramed = (bytes: Buffer): boolean => bytes.length >= 5;
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};
const cstring = (text: string): Buffer => Buffer.from(`${text}\0`);

/** Returns the positions of the cell lengths of a row. */
function cellLengths(row: Buffer): number[] {
  const found: number[] = [];
  for (let at = 7; at + 4 <= row.length; ) {
    found.push(at);
    at += 4 + Math.max(row.readInt32BE(at), 0);
  }
  return found;
}

/** Returns the positions of the object ids in a row description. */
function columnTypes(description: Buffer): number[] {
  const found: number[] = [];
  for (let at = 7; at < description.length; ) {
    const end = description.indexOf(0, at);
    if (end < 0 || end + 19 > description.length) break;
    found.push(end + 7);
    at = end + 19;
  }
  return found;
}

/** Requests that a server may make during the login, and never afterwards. */
const REQUESTS: readonly Buffer[] = [
  message('R', int32(0)),
  message('R', int32(2)),
  message('R', int32(3)),
  message('R', int32(5), [1, 2, 3, 4]),
  message('R', int32(5)),
  message('R', int32(7)),
  message('R', int32(9)),
  message('R', int32(10), cstring('SCRAM-SHA-256'), [0]),
  message('R', int32(10), cstring('SCRAM-SHA-256-PLUS'), cstring('SCRAM-SHA-256'), [0]),
  message('R', int32(10), cstring('PLAIN'), [0]),
  message('R', int32(10), Buffer.from('SCRAM-SHA-256')),
  message('R', int32(11), Buffer.from('r=nonce,s=c2FsdA==,i=4096')),
  message('R', int32(11), Buffer.from('r=nonce,s=c2FsdA==,i=2000000000')),
  message('R', int32(12), Buffer.from('v=abcd')),
  message('R', int32(12), Buffer.from('e=no')),
  message('R', int32(99)),
  message('R'),
  message('K', int32(1)),
  message('K', int32(1), Buffer.alloc(400)),
  message('v', int32(0), int32(1), cstring('_pq_.x')),
  message('N', Buffer.from('Mno end')),
  message('E', Buffer.from('Mno end')),
];

/** Messages that are out of place almost everywhere. */
const STRANGERS: readonly Buffer[] = [
  message('Z', Buffer.from('I')),
  message('Z', Buffer.from('?')),
  message('Z'),
  message('D', [0, 1], int32(4096)),
  message('D', [0x7f, 0xff]),
  message('D', [0xff, 0xff]),
  message('D'),
  message('D', [0, 0]),
  message('T', [0, 0]),
  message('T', [0xff, 0xff]),
  message('T', [0x7f, 0xff]),
  message('T', [0, 1], cstring('a'), Buffer.alloc(18)),
  message('T', [0, 1], Buffer.from('no end')),
  message('C', cstring('SELECT 999999999999999999999999999999')),
  message('C'),
  message('G', [0, 0, 0]),
  message('H', [0, 0, 0]),
  message('W', [0, 0, 0]),
  message('d', Buffer.alloc(100)),
  message('c'),
  message('1'),
  message('2'),
  message('3'),
  message('n'),
  message('s'),
  message('I'),
  message('t', [0x7f, 0xff]),
  message('A', int32(1), cstring('channel'), cstring('payload')),
  message('S', cstring('client_encoding'), cstring('LATIN1')),
  message('?', Buffer.from('what is this')),
  Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
];

/** Replaces AuthenticationOk. */
const asking: Mutation = (turns, random) => {
  const [first] = places(turns, ofType('R'));
  return first === undefined ? turns : replaced(turns, first, random.pick(REQUESTS));
};

const endless =
  (...candidates: readonly Buffer[]): Mutation =>
  (turns, random) => {
    const at = random.below(turns.length);
    return turns.map((turn: Turn, i) => (i === at ? { ...turn, endless: random.pick(candidates) } : turn));
  };

function withCell(row: Buffer, random: Random, change: (row: Buffer, at: number) => Buffer): Buffer {
  const lengths = cellLengths(row);
  return lengths.length === 0 ? row : change(row, random.pick(lengths));
}

/** Corrects the length of the message. */
function fitted(bytes: Buffer): Buffer {
  bytes.writeInt32BE(bytes.length - 1, 1);
  return bytes;
}

export const postgresProtocol: Protocol = {
  name: 'PostgreSQL',
  engine: 'postgres',
  setUp: [
    `CREATE TABLE every (id int PRIMARY KEY, big bigint, num numeric(20, 4), real8 float8, flag bool, word text, day date, hour time, moment timestamp,
       zoned timestamptz, uid uuid, doc jsonb, raw bytea, list int[])`,
    `INSERT INTO every VALUES (1, 9007199254740993, 12.5000, 'NaN', true, 'wörter "quoted"', '2024-02-29', '23:59', '2024-02-29 10:00:00', '2024-02-29 10:00:00+02',
       'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"a": [1, null]}', '\\x00ff10', '{1,2}'),
       (2, NULL, NULL, 1.5, NULL, '', NULL, NULL, 'infinity', '-infinity', NULL, NULL, '\\x', NULL)`,
    'CREATE TABLE scratch (id int, word text)',
    "INSERT INTO scratch VALUES (1, 'one'), (2, 'two')",
    'CREATE TABLE kept (id int PRIMARY KEY)',
    'INSERT INTO kept VALUES (1)',
  ],
  scripts: SCRIPTS,
  address: (database) => database.address,
  frame(bytes) {
    const messages: Buffer[] = [];
    let at = 0;
    while (bytes.length - at >= 5) {
      const next = at + 1 + bytes.readInt32BE(at + 1);
      if (next > bytes.length) break;
      messages.push(bytes.subarray(at, next));
      at = next;
    }
    return at < bytes.length ? [...messages, bytes.subarray(at)] : messages;
  },
  mutations: {
    'length of a message': changing(isFramed, (bytes, random) => {
      const near = (bytes.readUInt32BE(1) + random.below(9) - 4) >>> 0;
      bytes.writeUInt32BE(random.pick([near, random.oddNumber(), random.pick([0xffff_ffff, 0, 1, 2, 3])]), 1);
      return bytes;
    }),
    'length of a cell': changing(ofType('D'), (row, random) =>
      withCell(row, random, (bytes, at) => {
        bytes.writeUInt32BE(random.chance(60) ? random.oddNumber() : (bytes.readUInt32BE(at) + random.below(9) - 4) >>> 0, at);
        return bytes;
      }),
    ),
    'a cell beyond its short row': changing(ofType('D'), (row, random) =>
      withCell(row, random, (bytes, at) => {
        bytes.writeInt32BE(4096, at);
        return fitted(Buffer.from(bytes.subarray(0, at + 4)));
      }),
    ),
    'number of columns': changing(ofType('D', 'T', 't'), (bytes, random) => {
      if (bytes.length >= 7) bytes.writeUInt16BE(random.oddNumber() & 0xffff, 5);
      return bytes;
    }),
    'content of cells': changing(ofType('D'), (row, random) => {
      for (const at of cellLengths(row))
        if (random.chance(50)) random.bytes(Math.min(Math.max(row.readInt32BE(at), 0), row.length)).copy(row, at + 4);
      return row;
    }),
    'shorter cells': changing(ofType('D'), (row, random) => {
      const parts: Buffer[] = [row.subarray(0, 7)];
      for (const at of cellLengths(row)) {
        const size = row.readInt32BE(at);
        const kept = size < 0 ? 0 : random.below(Math.min(size, row.length) + 1);
        parts.push(int32(size < 0 ? -1 : kept), row.subarray(at + 4, at + 4 + kept));
      }
      return fitted(Buffer.concat(parts));
    }),
    'types of columns': changing(ofType('T'), (bytes, random) => {
      for (const at of columnTypes(bytes))
        if (random.chance(50)) bytes.writeUInt32BE(random.pick([16, 17, 20, 114, 701, 1082, 1114, 1184, 1700, 5]), at);
      return bytes;
    }),
    'columns in binary': changing(ofType('T'), (bytes, random) => {
      for (const at of columnTypes(bytes)) if (random.chance(20)) bytes.writeInt16BE(1, at + 10);
      return bytes;
    }),
    'texts without an end': changing(ofType('T', 'E', 'C', 'N', 'S'), (bytes) => {
      for (let i = 5; i < bytes.length; i++) if (bytes[i] === 0) bytes[i] = 0x78;
      return bytes;
    }),
    'a message that ends early': changing(isFramed, (bytes, random) =>
      fitted(Buffer.from(bytes.subarray(0, 5 + random.below(bytes.length - 4)))),
    ),
    'a message that ends late': changing(isFramed, (bytes, random) => fitted(Buffer.concat([bytes, random.bytes(1 + random.below(60))]))),
    'type of a message': changing(isFramed, (bytes, random) => {
      bytes.write(random.pick([...'RKDTCEZ12nNSAGHWdcstIv3?']), 'latin1');
      return bytes;
    }),
    'a request for a password': inserting(REQUESTS),
    'a request instead of a welcome': asking,
    'a stranger': inserting(STRANGERS),
    'no end of asides': endless(
      message('N', cstring('SNOTICE'), cstring('Mhello'), [0]),
      message('S', cstring('application_name'), cstring('x')),
      message('A', int32(1), cstring('channel'), cstring('payload')),
    ),
    'no end of rows': endless(message('D', [0, 1], int32(1), Buffer.from('1')), message('D', [0, 0]), message('d', Buffer.from('1\n'))),
    'no end of errors': endless(message('E', cstring('SERROR'), cstring('C42P01'), cstring('Mno'), [0]), message('Z', Buffer.from('I'))),
  },
  canary: (text) => ({ text: `SELECT repeat('${text} ', 40) AS a, '${text}' AS b FROM generate_series(1, 150)`, types: [] }),
  sendsPassword: false,
};
