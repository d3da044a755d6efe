// ClickHouse's native protocol: recorded conversations, the positions of packets and lengths, and
// mutations.
import { canary, SCRIPTS, SET_UP } from './clickhouse-scripts.ts';
import { inserting } from './frame/mutations.ts';
import { changing, type Mutation, type Protocol } from './frame/protocol.ts';
import type { Random } from './frame/random.ts';

const HELLO = 0;
const DATA = 1;
const EXCEPTION = 2;
const PROGRESS = 3;
const END = 5;
const PROFILE = 6;
const TABLE_COLUMNS = 11;

/** A number of a packet: its position and what follows it. */
interface Spot {
  readonly at: number;
  readonly end: number;
  readonly is: 'number' | 'length' | 'count';
}

class Short extends Error {}

/** Parses one packet and records the positions of its numbers. */
class Walk {
  readonly #bytes: Buffer;
  at: number;
  readonly spots: Spot[] = [];

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  packet(): void {
    const kind = this.number();
    if (kind === HELLO) this.#texts(1).#numbers(3).#texts(2).#numbers(1);
    else if (kind === DATA) this.#block();
    else if (kind === EXCEPTION) this.#exception();
    else if (kind === PROGRESS) this.#numbers(5);
    else if (kind === PROFILE) this.#numbers(3).#skip(1).#numbers(1).#skip(1);
    else if (kind === TABLE_COLUMNS) this.#texts(2);
    else if (kind !== END) throw new Short();
  }

  number(is: Spot['is'] = 'number'): number {
    const from = this.at;
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.at++];
      if (byte === undefined) throw new Short();
      value += (byte & 127) * factor;
      if (byte < 128) break;
    }
    this.spots.push({ at: from, end: this.at, is });
    return value;
  }

  #skip(size: number): this {
    this.at += size;
    if (this.at > this.#bytes.length) throw new Short();
    return this;
  }

  #text(): string {
    const size = this.number('length');
    this.#skip(size);
    return this.#bytes.toString('utf8', this.at - size, this.at);
  }

  #texts(count: number): this {
    for (let i = 0; i < count; i++) this.#text();
    return this;
  }

  #numbers(count: number): this {
    for (let i = 0; i < count; i++) this.number();
    return this;
  }

  #exception(): void {
    do this.#skip(4).#texts(3).#skip(1);
    while (this.#bytes[this.at - 1] !== 0);
  }

  #block(): void {
    this.#text();
    for (let field = this.number(); field !== 0; field = this.number()) this.#skip(field === 1 ? 1 : 4);
    const columns = this.number('count');
    const rows = this.number('count');
    for (let i = 0; i < columns; i++) {
      this.#text();
      const type = this.#text();
      this.#skip(1);
      if (type === 'String') this.#texts(rows);
      else if (/^U?Int\d+$/.test(type)) this.#skip((rows * Number(/\d+/.exec(type)?.[0])) / 8);
      else if (rows > 0) throw new Short();
    }
  }
}

function walk(bytes: Buffer, at = 0): Walk | undefined {
  const found = new Walk(bytes, at);
  try {
    found.packet();
    return found;
  } catch (error) {
    if (error instanceof Short) return undefined;
    throw error;
  }
}

function frame(bytes: Buffer): readonly Buffer[] {
  const messages: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = walk(bytes, at)?.at ?? bytes.length;
    messages.push(bytes.subarray(at, end));
    at = end;
  }
  return messages;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

const text = (value: string): Buffer => Buffer.concat([varint(Buffer.byteLength(value)), Buffer.from(value)]);
const packet = (kind: number, ...parts: readonly (Buffer | number[])[]): Buffer =>
  Buffer.concat([varint(kind), ...parts.map((part) => Buffer.from(part))]);
const INFO = Buffer.from([1, 0, 2, 255, 255, 255, 255, 0]);
const block = (columns: number, rows: number, ...parts: readonly Buffer[]): Buffer =>
  packet(DATA, text(''), INFO, varint(columns), varint(rows), ...parts);
const exception = (message: string, nested = 0): Buffer =>
  Buffer.concat([Buffer.from([60, 0, 0, 0]), text('DB::Exception'), text(message), text(''), Buffer.from([nested])]);

/** A number that is out of range, unterminated or meaningless. */
function oddVarint(random: Random): Buffer {
  return random.pick([
    varint(random.oddNumber()),
    varint(2 ** 53 - 1),
    varint(2 ** 45 + random.below(1000)),
    Buffer.alloc(10, 0xff),
    Buffer.alloc(40, 0x80),
    Buffer.from([0x80, 0x80, 0x80, 0]),
    varint(random.below(300)),
  ]);
}

const withSpot = (is: Spot['is']): Mutation =>
  changing(
    (bytes) => walk(bytes)?.spots.some((spot) => spot.is === is) ?? false,
    (bytes, random) => {
      const { at, end } = random.pick((walk(bytes)?.spots ?? []).filter((spot) => spot.is === is));
      return Buffer.concat([bytes.subarray(0, at), oddVarint(random), bytes.subarray(end)]);
    },
  );

const ofKind =
  (...kinds: number[]) =>
  (bytes: Buffer): boolean =>
    bytes.length > 0 && kinds.includes(bytes[0] as number);

const STRANGERS: readonly Buffer[] = [
  packet(END),
  packet(4),
  packet(7, text(''), INFO, [0, 0]),
  packet(10, text(''), INFO, [0, 0]),
  packet(14, text(''), INFO, [0, 0]),
  packet(9, [1]),
  packet(17, text('UTC')),
  packet(99),
  packet(PROGRESS, varint(2 ** 53), varint(2 ** 53), varint(2 ** 53), varint(2 ** 53), varint(2 ** 53)),
  packet(HELLO, text('ClickHouse'), [1, 1, 1], text('UTC'), text('x'), [1]),
  packet(EXCEPTION, exception('Code: 341. DB::Exception: '.repeat(500))),
  packet(EXCEPTION, exception('Maybe you meant ['.repeat(5000))),
  packet(EXCEPTION, exception('x'.repeat(300_000))),
  packet(EXCEPTION, ...Array.from({ length: 2000 }, () => exception('no', 1))),
  packet(TABLE_COLUMNS, text('x'), text('y'.repeat(200_000))),
  block(0, 0),
  block(0, 2 ** 50),
  block(1, 2 ** 50, text('a'), text('String'), Buffer.from([0])),
  block(1, 2, text('a'), text('String'), Buffer.from([1])),
  block(1, 1, text('a'), text('Array('.repeat(3000)), Buffer.from([0])),
  block(2, 1, text('a'), text('String'), Buffer.from([0]), text('x'), text('b'), text('UInt8'), Buffer.from([0, 1])),
  block(2 ** 50, 1),
  block(16_000, 0),
  block(1, 1, text('a'), text('String'), Buffer.from([0]), text('[1}]')),
  block(1, 1, text('a'), text('String'), Buffer.from([0]), text('')),
  block(1, 3, text('a'), text('String'), Buffer.from([0]), text('["\\'), text('["x"]'), text('[1,2,3]')),
  block(
    3,
    2,
    ...Array.from({ length: 3 }, () =>
      Buffer.concat([text('constructor'), text('String'), Buffer.from([0]), text('constructor'), text('__proto__')]),
    ),
  ),
  Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
];

const endless =
  (...candidates: readonly Buffer[]): Mutation =>
  (turns, random) => {
    const at = random.below(turns.length);
    return turns.map((turn, i) =>
      i === at
        ? { ...turn, messages: turn.messages.slice(0, random.below(turn.messages.length + 1)), endless: random.pick(candidates) }
        : turn,
    );
  };

const mutations: Readonly<Record<string, Mutation>> = {
  'length of a text': withSpot('length'),
  'number of columns or rows': withSpot('count'),
  'any number': withSpot('number'),
  'kind of a packet': changing(
    (bytes) => bytes.length > 0,
    (bytes, random) => {
      bytes[0] = random.below(20);
      return bytes;
    },
  ),
  'content of a block': changing(ofKind(DATA), (bytes, random) => {
    for (let n = 1 + random.below(10); n > 0; n--) bytes[random.below(bytes.length)] = random.below(256);
    return bytes;
  }),
  'a packet that ends early': changing(
    (bytes) => bytes.length > 1,
    (bytes, random) => bytes.subarray(0, 1 + random.below(bytes.length - 1)),
  ),
  'the end too early': inserting([packet(END)]),
  'a stranger': inserting(STRANGERS),
  'no end of asides': endless(
    packet(PROGRESS, [1, 1, 1, 0, 0]),
    packet(4),
    packet(PROFILE, [1, 1, 1, 0, 1, 0]),
    packet(17, text('UTC')),
    block(0, 0),
  ),
  'no end of rows': endless(block(1, 1, text('a'), text('String'), Buffer.from([0]), text('[1]')), text('[1,"x"]'), Buffer.alloc(1000, 0)),
  'no end of columns': endless(
    Buffer.concat([block(16_000, 1), Buffer.concat(Array.from({ length: 100 }, () => Buffer.from([1, 97, 1, 98, 0])))]),
  ),
  'no end of a text': endless(Buffer.concat([packet(EXCEPTION, [1, 0, 0, 0], varint(2 ** 31)), Buffer.alloc(500, 0x78)])),
  'no end of an exception': endless(
    Buffer.concat([packet(EXCEPTION), ...Array.from({ length: 200 }, () => exception('no', 1))]),
    exception('no', 1),
  ),
  'no end of a number': endless(Buffer.alloc(1000, 0x80)),
};

export const clickhouseNativeProtocol: Protocol = {
  name: "ClickHouse's own protocol",
  engine: 'clickhouse',
  setUp: SET_UP,
  scripts: SCRIPTS,
  address: ({ address }) => ({ host: address.host, port: address.nativePort ?? 0 }),
  frame,
  mutations,
  canary,
  // The greeting contains the password; TLS protects it.
  sendsPassword: true,
  probe: { question: 'GET /ping ', answer: 'HTTP/1.0 400 Bad Request\r\n\r\nPort 9000 is for clickhouse-client program\r\n' },
  canaryEvery: 400,
};
