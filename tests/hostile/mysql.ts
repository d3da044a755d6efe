// MySQL and MariaDB: recorded conversations, the positions of their packets, and mutations of the
// protocol.
import type { ParamType, Statement } from '../../src/sql/statement.ts';
import {
  changing,
  type Mutation,
  type Place,
  type Protocol,
  places,
  replaced,
  type Script,
  type Step,
  type Turn,
} from './frame/protocol.ts';
import type { Random } from './frame/random.ts';
import { GREETINGS, LOGIN_REQUESTS, packet, STRANGERS } from './mysql-packets.ts';

const TEXT: ParamType = { kind: 'text', cast: 'text' };

const statement = (text: string, params: readonly string[]): Statement => ({ text, types: params.map(() => TEXT) });
const run = (text: string, ...params: string[]): Step => ({ do: 'run', statement: statement(text, params), params });
const fail = (text: string, ...params: string[]): Step => ({ do: 'fail', statement: statement(text, params), params });

const SCRIPTS: readonly Script[] = [
  { name: 'all types', steps: [run('SELECT * FROM every'), run('SELECT hour, moment, stamp, num, bits FROM every WHERE id = ?', '1')] },
  { name: 'many rows', steps: [run('SELECT id, word, length(word) FROM many'), run('SELECT 1 FROM many WHERE 1 = 0')] },
  { name: 'large rows', steps: [run("SELECT id, repeat('y', 90000), repeat('z', 300) FROM every")] },
  {
    name: 'refusals',
    steps: [fail('SELECT nothing FROM every'), fail('SELEC 1'), fail('INSERT INTO kept VALUES (1)'), run('SELECT 1 + ?', '2')],
  },
  {
    name: 'transactions',
    steps: [
      { do: 'begin' },
      run('INSERT INTO scratch VALUES (?, ?)', '7', 'seven'),
      { do: 'rollback' },
      run('UPDATE scratch SET word = word'),
      { do: 'reset' },
      run('SELECT count(*) FROM scratch'),
    ],
  },
  { name: 'several results', steps: [run('CALL several()'), run('SELECT 1')] },
  { name: 'catalogue', steps: [{ do: 'describe', table: 'every' }] },
];

const HEADER = 4;
const ROW = 0x00;
const SEQUENCE_AT = 3;

const isPacket = (bytes: Buffer): boolean => bytes.length > HEADER;
const marked =
  (...marks: number[]) =>
  (bytes: Buffer): boolean =>
    isPacket(bytes) && marks.includes(bytes[HEADER] as number);
const isDefinition = (bytes: Buffer): boolean => bytes.length > 24 && bytes.toString('latin1', HEADER + 1, HEADER + 4) === 'def';
const isCount = (bytes: Buffer): boolean => bytes.length === HEADER + 1;
const isPrepared = (bytes: Buffer): boolean => bytes.length === HEADER + 12 && bytes[HEADER] === ROW;

/** Corrects the length of the packet. */
function fitted(bytes: Buffer): Buffer {
  bytes.writeUIntLE(Math.min(bytes.length - HEADER, 0xffffff), 0, 3);
  return bytes;
}

/** A length-encoded number with a wrong value. */
function oddLength(random: Random): Buffer {
  const wide = Buffer.alloc(9, 0xfe);
  wide.writeUInt32LE(random.oddNumber(), 1);
  wide.writeUInt32LE(random.chance(50) ? 0 : random.oddNumber(), 5);
  const middle = Buffer.alloc(4, 0xfd);
  middle.writeUIntLE(random.oddNumber() % 0x1000000, 1, 3);
  const short = Buffer.alloc(3, 0xfc);
  short.writeUInt16LE(random.oddNumber() % 0x10000, 1);
  return random.pick([wide, middle, short, Buffer.from([0xfb]), Buffer.from([0xff]), Buffer.from([random.below(256)])]);
}

/** Inserts packets; the numbers of the following ones continue, as in a valid response. */
function inserted(turns: readonly Turn[], place: Place, added: Buffer, where: 'instead' | 'before'): readonly Turn[] {
  const sequence = place.message[SEQUENCE_AT] ?? 0;
  const fresh = Buffer.from(added);
  if (fresh.length > SEQUENCE_AT) fresh[SEQUENCE_AT] = sequence;
  if (where === 'instead') return replaced(turns, place, fresh);
  const shifted = turns.map((turn, i) => {
    if (i !== place.turn) return turn;
    const messages = turn.messages.map((message, index) => {
      if (index < place.index || message.length <= SEQUENCE_AT) return message;
      const moved = Buffer.from(message);
      moved[SEQUENCE_AT] = ((message[SEQUENCE_AT] as number) + 1) & 0xff;
      return moved;
    });
    return { ...turn, messages: messages.toSpliced(place.index, 0, fresh) };
  });
  return shifted;
}

const telling =
  (candidates: readonly Buffer[], isPlace: (place: Place) => boolean = () => true): Mutation =>
  (turns, random) => {
    const all = places(turns).filter(isPlace);
    if (all.length === 0) return turns;
    return inserted(turns, random.pick(all), random.pick(candidates), random.pick(['instead', 'before']));
  };

/** Numbers the packets as a valid response does. */
const endless =
  (...candidates: readonly Buffer[]): Mutation =>
  (turns, random) => {
    const at = random.below(turns.length);
    const one = random.pick(candidates);
    return turns.map((turn, i) => {
      if (i !== at) return turn;
      const first = (turn.messages.at(-1)?.[SEQUENCE_AT] ?? 0) + 1;
      const messages = turn.messages.slice(0, random.below(turn.messages.length + 1));
      const round = Array.from({ length: 256 }, (_, n) => {
        const copy = Buffer.from(one);
        copy[SEQUENCE_AT] = (first + n) & 0xff;
        return copy;
      });
      return { ...turn, messages, endless: Buffer.concat(round) };
    });
  };

const definition = packet(1, Buffer.from('\x03def\x01a\x01b\x01c\x01d\x01e\x0c', 'latin1'), [33, 0, 4, 0, 0, 0, 253, 0, 0, 0, 0, 0]);

const mutations: Readonly<Record<string, Mutation>> = {
  'length of a packet': changing(isPacket, (bytes, random) => {
    const near = bytes.readUIntLE(0, 3) + random.below(9) - 4;
    bytes.writeUIntLE((random.chance(50) ? random.oddNumber() : near >>> 0) % 0x1000000, 0, 3);
    return bytes;
  }),
  'number of a packet': changing(isPacket, (bytes, random) => {
    bytes[SEQUENCE_AT] = random.below(256);
    return bytes;
  }),
  'length within a packet': changing(isPacket, (bytes, random) => {
    const at = HEADER + random.below(Math.min(bytes.length - HEADER, 60));
    return fitted(Buffer.concat([bytes.subarray(0, at), oddLength(random), bytes.subarray(at + 1)]));
  }),
  'a cell beyond its short row': changing(marked(ROW), (bytes, random) => {
    const at = HEADER + 2 + random.below(Math.min(bytes.length - HEADER, 80));
    return fitted(Buffer.concat([bytes.subarray(0, at), random.pick([Buffer.from([0xfc, 0, 16]), oddLength(random)])]));
  }),
  'which cells are null': changing(marked(ROW), (bytes, random) => {
    for (let i = HEADER + 1; i < Math.min(bytes.length, HEADER + 4); i++) if (random.chance(60)) bytes[i] = random.below(256);
    return bytes;
  }),
  'content of a row': changing(marked(ROW), (bytes, random) => {
    const at = HEADER + 2 + random.below(bytes.length - HEADER);
    random.bytes(random.below(40)).copy(bytes, Math.min(at, bytes.length));
    return bytes;
  }),
  'number of columns': changing(isCount, (bytes, random) => fitted(Buffer.concat([bytes.subarray(0, HEADER), oddLength(random)]))),
  'types of columns': changing(isDefinition, (bytes, random) => {
    bytes[bytes.length - 6] = random.pick([0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 16, 245, 246, 252, 253, 254, 99]);
    if (random.chance(40)) bytes.writeUInt16LE(random.oddNumber() & 0xffff, bytes.length - 5);
    if (random.chance(40)) bytes[bytes.length - 3] = random.below(256);
    return bytes;
  }),
  'numbers of a prepared statement': changing(isPrepared, (bytes, random) => {
    bytes.writeUInt16LE(random.oddNumber() & 0xffff, HEADER + random.pick([5, 7]));
    return bytes;
  }),
  'a packet that ends early': changing(isPacket, (bytes, random) =>
    fitted(Buffer.from(bytes.subarray(0, HEADER + random.below(bytes.length - HEADER)))),
  ),
  'a packet that ends late': changing(isPacket, (bytes, random) => fitted(Buffer.concat([bytes, random.bytes(1 + random.below(60))]))),
  'mark of a packet': changing(isPacket, (bytes, random) => {
    bytes[HEADER] = random.pick([0, 1, 2, 3, 0xfb, 0xfc, 0xfd, 0xfe, 0xff]);
    return bytes;
  }),
  'results without end': changing(marked(0x00, 0xfe), (bytes) => {
    const at = bytes[HEADER] === 0xfe ? HEADER + 3 : HEADER + 3;
    if (bytes.length >= at + 2) bytes[at] = (bytes[at] as number) | 8;
    return bytes;
  }),
  'another greeting': telling(GREETINGS, ({ turn, index }) => turn === 0 && index === 0),
  'another request at the login': telling(LOGIN_REQUESTS, ({ turn }) => turn <= 1),
  'a request of the login later': telling(LOGIN_REQUESTS),
  'a stranger': telling(STRANGERS),
  'a row without end': telling([Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 1, 0]), Buffer.alloc(200_000, 0x79)])]),
  'no end of columns': endless(definition),
  'no end of rows': endless(packet(1, [0, 0, 1, 0x31]), packet(1, [0, 0, 0, 0, 0, 0])),
  'no end of answers': endless(
    packet(1, [0, 0, 0, 2, 0, 0, 0]),
    packet(1, [0, 0, 0, 8, 0, 0, 0]),
    packet(1, [0xfe, 0, 0, 8, 0]),
    packet(1),
  ),
  'no end of a login': endless(packet(1, [1, 3]), packet(1, [1, 4]), packet(1, [1], Buffer.alloc(5000, 0x41)), ...LOGIN_REQUESTS),
};

function frame(bytes: Buffer): readonly Buffer[] {
  const messages: Buffer[] = [];
  let at = 0;
  while (bytes.length - at >= HEADER) {
    const next = at + HEADER + bytes.readUIntLE(at, 3);
    if (next > bytes.length) break;
    messages.push(bytes.subarray(at, next));
    at = next;
  }
  return at < bytes.length ? [...messages, bytes.subarray(at)] : messages;
}

const MANY = Array.from({ length: 300 }, (_, i) => `(${i}, '${'x'.repeat(i % 50)}')`).join();

export function mysqlProtocol(engine: 'mysql' | 'mariadb'): Protocol {
  return {
    name: engine === 'mysql' ? 'MySQL' : 'MariaDB',
    engine,
    setUp: [
      `CREATE TABLE every (id int PRIMARY KEY, big bigint unsigned, tiny tinyint, small smallint unsigned, num decimal(20, 4), real8 double, real4 float,
         word varchar(40), day date, hour time(6), moment datetime(6), stamp timestamp NULL, years year, bits bit(12), doc json, raw blob,
         one enum('a', 'b'), some set('a', 'b'))`,
      `INSERT INTO every VALUES (1, 18446744073709551615, -5, 65535, -12.5000, 1.5e300, 0.1, 'wörter "quoted"', '2024-02-29', '-838:59:59', '2024-02-29 10:00:00.123456',
         '2024-02-29 10:00:00', 2024, b'101', '{"a": [1, null]}', x'00ff10', 'b', 'a,b'),
         (2, NULL, NULL, NULL, NULL, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '', NULL, '')`,
      'CREATE TABLE many (id int PRIMARY KEY, word text)',
      `INSERT INTO many VALUES ${MANY}`,
      'CREATE TABLE scratch (id int, word text)',
      "INSERT INTO scratch VALUES (1, 'one'), (2, 'two')",
      'CREATE TABLE kept (id int PRIMARY KEY)',
      'INSERT INTO kept VALUES (1)',
      'CREATE PROCEDURE several() BEGIN SELECT 1 AS a; SELECT 2 AS b, 3 AS c; UPDATE scratch SET word = word; END',
    ],
    scripts: SCRIPTS,
    address: (database) => database.address,
    frame,
    mutations,
    canary: (text) => ({
      text: `SELECT repeat('${text} ', 40) AS a, '${text}' AS b FROM many UNION ALL SELECT '${text}', word FROM many`,
      types: [],
    }),
    sendsPassword: false,
  };
}
