/**
 * Parser of the messages that PostgreSQL (protocol 3) sends. Every length is checked against the
 * bytes available before it is used. Knows the layout only, not the order of messages.
 */
import { acquireBuffer, type PooledBuffer } from '../../../util/bytes/buffer-pool.ts';
import { viewOf } from '../../../util/bytes/byte-writer.ts';
import { checkColumns, LargeRowBudget, LIMITS, malformed } from '../../contract/limits.ts';

/** Type bytes of the server's messages. */
export const RECEIVED = {
  authentication: 0x52, // R
  backendKey: 0x4b, // K
  bindComplete: 0x32, // 2
  closeComplete: 0x33, // 3
  commandComplete: 0x43, // C
  copyData: 0x64, // d
  copyDone: 0x63, // c
  copyIn: 0x47, // G
  copyOut: 0x48, // H
  dataRow: 0x44, // D
  emptyQuery: 0x49, // I
  error: 0x45, // E
  negotiate: 0x76, // v
  noData: 0x6e, // n
  notice: 0x4e, // N
  notification: 0x41, // A
  parameterDescription: 0x74, // t
  parameterStatus: 0x53, // S
  parseComplete: 0x31, // 1
  portalSuspended: 0x73, // s
  ready: 0x5a, // Z
  rowDescription: 0x54, // T
} as const;

/** Asynchronous messages, which may arrive at any time and need no response. */
export const ASYNC_MESSAGES: ReadonlySet<number> = new Set([RECEIVED.notice, RECEIVED.notification, RECEIVED.parameterStatus]);

/** Messages of a response that carry no information. */
export const ACKNOWLEDGEMENTS: ReadonlySet<number> = new Set([
  RECEIVED.closeComplete,
  RECEIVED.copyData,
  RECEIVED.copyDone,
  RECEIVED.copyOut,
  RECEIVED.parameterDescription,
  RECEIVED.portalSuspended,
]);

const NOTHING = Buffer.alloc(0);
/** Size of a message header: type and length. */
const HEADER = 5;
/** Smallest length of a message: the length field counts itself. */
const MIN_LENGTH = 4;

/**
 * Handles one whole message: its type, and its content at `bytes[from..to)`. Exceptions propagate
 * to the caller of `receive`.
 */
export type OnMessage = (type: number, bytes: Buffer, from: number, to: number) => void;

export type OnDataRow = (bytes: Buffer, from: number, to: number) => void;

/**
 * Splits received bytes into messages. A message that arrives in one piece is passed on without
 * copying. Holds no buffer between messages.
 */
export class Incoming {
  /** Message handler. */
  onMessage: OnMessage;
  /** DataRow has its own handler because it dominates the cost of a page. */
  onRow: OnDataRow = (bytes, from, to) => this.onMessage(RECEIVED.dataRow, bytes, from, to);
  readonly #split: SplitMessage;
  /** `true` if further messages are ignored. */
  #closed = false;

  constructor(onMessage: OnMessage, maxRowBytes?: number) {
    this.onMessage = onMessage;
    this.#split = new SplitMessage(maxRowBytes);
  }

  receive(bytes: Buffer, length: number): void {
    let at = 0;
    if (this.#split.length > 0) {
      at = this.#split.add(bytes, at, length);
      if (!this.#split.whole) return;
      const { bytes: whole, length: end } = this.#split;
      if (whole[0] === RECEIVED.dataRow) this.onRow(whole, HEADER, end);
      else this.onMessage(whole[0] as number, whole, HEADER, end);
      this.#split.clear();
    }
    while (length - at >= HEADER && !this.#closed) {
      const size = viewOf(bytes).getInt32(at + 1);
      if (size < MIN_LENGTH) throw malformed(`a message of length ${size}`);
      const next = at + 1 + size;
      if (next > length) break;
      if (bytes[at] === RECEIVED.dataRow) this.onRow(bytes, at + HEADER, next);
      else this.onMessage(bytes[at] as number, bytes, at + HEADER, next);
      at = next;
    }
    if (at < length && !this.#closed) this.#split.add(bytes, at, length);
  }

  /** Ignores everything that still arrives. */
  close(): void {
    this.#closed = true;
    this.#split.drop();
  }
}

/**
 * Assembles a message that arrives in parts. Its buffer grows with the bytes received, not with the
 * announced length.
 */
class SplitMessage {
  /** Content of the buffer. */
  bytes: Buffer = NOTHING;
  length = 0;
  #buffer: PooledBuffer | undefined;
  readonly #share: LargeRowBudget;
  /** Size of the whole message once its header is complete. */
  #size = Number.POSITIVE_INFINITY;

  constructor(maxRowBytes: number | undefined) {
    this.#share = new LargeRowBudget(maxRowBytes);
  }

  get whole(): boolean {
    return this.length === this.#size;
  }

  /**
   * Adds the bytes of `source[from..to)` that belong to the message. Returns where the next one
   * begins.
   */
  add(source: Buffer, from: number, to: number): number {
    let at = from;
    if (this.length < HEADER) {
      at = this.#copy(source, at, Math.min(to, at + HEADER - this.length));
      if (this.length < HEADER) return at;
      this.#size = this.#announced();
    }
    return this.#copy(source, at, Math.min(to, at + this.#size - this.length));
  }

  /** Releases the buffer after the message was handled. */
  clear(): void {
    this.#release();
    this.drop();
  }

  /**
   * Gives the buffer up without returning it to the pool: the current handler may still read it.
   */
  drop(): void {
    this.#buffer = undefined;
    this.bytes = NOTHING;
    this.length = 0;
    this.#size = Number.POSITIVE_INFINITY;
    this.#share.hold(0);
  }

  /** Wipes the bytes, so that a faulty reader cannot see those of another connection. */
  #release(): void {
    this.#buffer?.releaseWiped(this.length);
  }

  #announced(): number {
    const type = this.bytes[0];
    const size = this.bytes.readInt32BE(1);
    if (size < MIN_LENGTH) throw malformed(`a message of length ${size}`);
    if (type === RECEIVED.dataRow || type === RECEIVED.copyData) this.#share.checkRow(size);
    else if (size > LIMITS.messageBytes) throw malformed(`a message of ${size} bytes; at most ${LIMITS.messageBytes} are read`);
    return 1 + size;
  }

  #copy(source: Buffer, from: number, to: number): number {
    const length = this.length + to - from;
    this.#share.hold(length);
    if (length > this.bytes.length) {
      const room = Math.min(Math.max(1024, this.#share.roomFor(length)), Math.max(this.#size, length));
      const larger = acquireBuffer(room);
      this.bytes.copy(larger.bytes, 0, 0, this.length);
      this.#release();
      this.#buffer = larger;
      this.bytes = larger.bytes;
    }
    source.copy(this.bytes, this.length, from, to);
    this.length = length;
    return to;
  }
}

/** Reads the fields of one message. Never reads beyond its end. */
export class MessageFields {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  constructor(bytes: Buffer, from: number, to: number) {
    this.#bytes = bytes;
    this.#at = from;
    this.#end = to;
  }

  get left(): number {
    return this.#end - this.#at;
  }

  byte(): number {
    return this.#bytes[this.#take(1)] as number;
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#take(2));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#take(4));
  }

  /** Copies bytes to their own memory: a view of a slab of the runtime would retain all of it. */
  bytes(n: number): Buffer {
    const at = this.#take(n);
    const copy = Buffer.allocUnsafeSlow(n);
    this.#bytes.copy(copy, 0, at, at + n);
    return copy;
  }

  skip(n: number): void {
    this.#take(n);
  }

  /** Reads a zero-terminated string. At most `max` bytes of it are returned. */
  text(max: number = LIMITS.errorText): string {
    const from = this.#at;
    // Limits the search to the message: the bytes behind it may be long and belong to others.
    const length = this.#bytes.subarray(from, this.#end).indexOf(0);
    if (length < 0) throw malformed('an unterminated string');
    this.#at = from + length + 1;
    return this.#bytes.toString('utf8', from, from + Math.min(length, max));
  }

  #take(n: number): number {
    const at = this.#at;
    if (n > this.#end - at) throw malformed('a message that is shorter than its fields');
    this.#at = at + n;
    return at;
  }
}

/** More kinds of fields than PostgreSQL will ever have. */
const MAX_ERROR_FIELDS = 100;

/** Reads the fields of an error or a notice, by their one-letter keys. */
export function errorFields(bytes: Buffer, from: number, to: number): Map<string, string> {
  const reader = new MessageFields(bytes, from, to);
  const found = new Map<string, string>();
  for (let i = 0; ; i++) {
    const key = reader.byte();
    if (key === 0) return found;
    if (i === MAX_ERROR_FIELDS) throw malformed('an error with too many fields');
    found.set(String.fromCharCode(key), reader.text());
  }
}

export interface Field {
  readonly name: string;
  readonly type: number;
}

/** Fields that are skipped: table id, column number, type size, type modifier. */
const BEFORE_TYPE = 6;
const BEFORE_FORMAT = 6;

export function rowDescription(bytes: Buffer, from: number, to: number): Field[] {
  const reader = new MessageFields(bytes, from, to);
  const fields: Field[] = [];
  const count = reader.int16();
  checkColumns(count);
  for (let i = 0; i < count; i++) {
    const name = reader.text();
    reader.skip(BEFORE_TYPE);
    const type = reader.int32() >>> 0;
    reader.skip(BEFORE_FORMAT);
    if (reader.int16() !== 0) throw malformed('a column in binary form, which was not asked for');
    fields.push({ name, type });
  }
  if (reader.left > 0) throw malformed('a description that is longer than its columns');
  return fields;
}
