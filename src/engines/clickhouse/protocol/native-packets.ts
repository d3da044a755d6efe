/**
 * Packets of ClickHouse's native protocol, at one fixed revision. Pure. The revision has typed
 * parameters but no chunked framing, so servers of many years support it.
 */
import type { Entry } from '../../../model/entry.ts';
import { checkColumns, LIMITS, malformed } from '../../contract/limits.ts';
import type { Block } from '../types/block.ts';
import type { WholeRange } from '../types/kinds.ts';
import { literalText } from '../types/params.ts';
import { encodeNativeBlock, varint, varText } from './block-frame.ts';
import type { Settings } from './settings.ts';
import type { Spool } from './spool.ts';
import type { QueryExchange } from './wire.ts';

const REVISION = 54_459;
/** From this revision on, a server expects a quota key after the greeting. */
const QUOTA_KEY_REVISION = 54_458;

const CLIENT = { hello: 0, query: 1, data: 2 } as const;

export const SERVER = {
  hello: 0,
  data: 1,
  exception: 2,
  progress: 3,
  pong: 4,
  endOfStream: 5,
  profileInfo: 6,
  totals: 7,
  extremes: 8,
  tableColumns: 11,
  timezoneUpdate: 17,
} as const;

const NAME = 'millrace';
const EMPTY = varText('');
const NOTHING = Buffer.alloc(0);
const CUSTOM_FLAG = varint(2);
const IMPORTANT_FLAG = varint(1);
const COMPLETE_STAGE = varint(2);
const NO_COMPRESSION = varint(0);

export function helloPacket(entry: Entry): Buffer {
  return Buffer.concat([
    varint(CLIENT.hello),
    varText(NAME),
    varint(1),
    varint(0),
    varint(REVISION),
    varText(entry.database),
    varText(entry.username),
    varText(entry.password),
  ]);
}

/** Returns the packet after the server's greeting; empty for servers that expect none. */
export function afterHello(serverRevision: number): Buffer {
  return serverRevision >= QUOTA_KEY_REVISION ? EMPTY : NOTHING;
}

/** Client info: an initial query over TCP, without names, traces or replicas. */
const CLIENT_INFO = Buffer.concat([
  Buffer.from([1]),
  EMPTY,
  EMPTY,
  varText('0.0.0.0:0'),
  Buffer.alloc(8),
  Buffer.from([1]),
  EMPTY,
  EMPTY,
  varText(NAME),
  varint(1),
  varint(0),
  varint(REVISION),
  EMPTY,
  varint(0),
  varint(0),
  Buffer.from([0]),
  varint(0),
  varint(0),
  varint(0),
]);

const BLOCK_INFO = Buffer.concat([varint(1), Buffer.from([0]), varint(2), Buffer.from([255, 255, 255, 255]), varint(0)]);
const DATA_HEAD = Buffer.concat([varint(CLIENT.data), EMPTY, BLOCK_INFO]);

export const EMPTY_DATA = Buffer.concat([DATA_HEAD, varint(0), varint(0)]);

export function encodeSettings(settings: Settings): Buffer {
  return Buffer.concat(settings.flatMap(([name, value]) => [varText(name), IMPORTANT_FLAG, varText(value)]));
}

/** Disables server logs and profile events, which would arrive between the rows. */
const QUIET = encodeSettings([
  ['send_logs_level', 'none'],
  ['send_profile_events', '0'],
]);

/** `settings`: encoded settings of the exchange, the same for every statement of a connection. */
export function queryPacket(exchange: QueryExchange, text: string, queryId: string, settings: Buffer): Buffer {
  return Buffer.concat([
    varint(CLIENT.query),
    varText(queryId),
    CLIENT_INFO,
    QUIET,
    settings,
    exchange.maxSeconds === undefined ? NOTHING : encodeSettings([['max_execution_time', exchange.maxSeconds]]),
    EMPTY,
    EMPTY,
    COMPLETE_STAGE,
    NO_COMPRESSION,
    varText(text),
    ...exchange.params.flatMap((param) => [varText(param.name), CUSTOM_FLAG, varText(literalText(param.text))]),
    EMPTY,
    EMPTY_DATA,
  ]);
}

export function dataPackets(blocks: readonly Block[]): readonly Uint8Array[] {
  return [...blocks.flatMap((block) => [DATA_HEAD, ...encodeNativeBlock(block)]), EMPTY_DATA];
}

/** Thrown when a packet is incomplete. It is read again from its start later. */
export const SHORT = Symbol('short');

/** Names and types: an Enum16 may have tens of thousands of members. */
export const MAX_NAME_BYTES = 1024 * 1024;
const MAX_VARINT_BYTES = 10;
const MAX_NESTED = 16;
const MAX_BLOCK_FIELDS = 8;

/**
 * Reads values from a spool. Consumes nothing before `commit`. Rejects announced lengths that
 * exceed a limit instead of waiting.
 */
export class Cursor {
  readonly #spool: Spool;
  at: number;

  constructor(spool: Spool) {
    this.#spool = spool;
    this.at = spool.start;
  }

  commit(): void {
    this.#spool.start = this.at;
  }

  byte(): number {
    if (this.at >= this.#spool.end) this.#await(1);
    return this.#spool.bytes[this.at++] as number;
  }

  varint(): number {
    let value = 0;
    let factor = 1;
    for (let i = 0; i < MAX_VARINT_BYTES; i++) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
    throw malformed('a number that does not end');
  }

  int32(): number {
    const at = this.skip(4);
    return this.#spool.bytes.readInt32LE(at);
  }

  /** Reads a string of at most `max` bytes, and returns its first `kept` bytes. */
  text(max: number, kept = max): string {
    const size = this.#size(max);
    const at = this.skip(size);
    return this.#spool.bytes.toString('utf8', at, at + Math.min(size, kept));
  }

  /** Skips a string. */
  skipText(max: number): void {
    this.skip(this.#size(max));
  }

  #size(max: number): number {
    const size = this.varint();
    if (size > max) throw malformed(`a text of ${size} bytes; at most ${max} are read`);
    return size;
  }

  /** Skips bytes and returns where they begin. */
  skip(size: number): number {
    const at = this.at;
    if (size > this.#spool.end - at) this.#await(size);
    this.at = at + size;
    return at;
  }

  #await(size: number): never {
    this.#spool.needed = this.at + size - this.#spool.start;
    throw SHORT;
  }

  /** Reads a little-endian integer of up to eight bytes as decimal digits. */
  digits({ bytes, min }: WholeRange): string {
    const at = this.skip(bytes);
    let value = 0n;
    for (let i = bytes - 1; i >= 0; i--) value = (value << 8n) | BigInt(this.#spool.bytes[at + i] as number);
    return (min < 0n ? BigInt.asIntN(bytes * 8, value) : value).toString();
  }
}

export interface ServerException {
  readonly code: number;
  readonly message: string;
}

/** Returns the outermost exception; nested ones are read and dropped. */
export function readException(cursor: Cursor): ServerException {
  const outer = readOneException(cursor);
  for (let depth = 0; cursor.byte() !== 0; depth++) {
    if (depth === MAX_NESTED) throw malformed('too many nested exceptions');
    readOneException(cursor);
  }
  return outer;
}

function readOneException(cursor: Cursor): ServerException {
  const code = cursor.int32();
  cursor.skipText(MAX_NAME_BYTES);
  const message = cursor.text(LIMITS.messageBytes, LIMITS.errorText);
  cursor.skipText(LIMITS.messageBytes);
  return { code, message };
}

/** Returns the rows written since the last progress packet. */
export function readProgress(cursor: Cursor): number {
  cursor.varint();
  cursor.varint();
  cursor.varint();
  const written = cursor.varint();
  cursor.varint();
  return written;
}

export function readProfileInfo(cursor: Cursor): void {
  cursor.varint();
  cursor.varint();
  cursor.varint();
  cursor.byte();
  cursor.varint();
  cursor.byte();
}

export interface BlockHead {
  readonly columns: number;
  readonly rows: number;
}

export function readBlockHead(cursor: Cursor): BlockHead {
  cursor.skipText(MAX_NAME_BYTES);
  let fields = 0;
  for (let field = cursor.varint(); field !== 0; field = cursor.varint()) {
    if (++fields > MAX_BLOCK_FIELDS) throw malformed('a block with too many fields');
    if (field === 1) cursor.byte();
    else cursor.int32();
  }
  const columns = cursor.varint();
  checkColumns(columns);
  return { columns, rows: cursor.varint() };
}

export interface ColumnHead {
  readonly name: string;
  readonly type: string;
  /** `true` if the data does not have the default serialization. */
  readonly special: boolean;
}

export function readColumnHead(cursor: Cursor): ColumnHead {
  return { name: cursor.text(MAX_NAME_BYTES), type: cursor.text(MAX_NAME_BYTES), special: cursor.byte() !== 0 };
}
