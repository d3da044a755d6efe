/**
 * The messages that we receive, PostgreSQL protocol 3: where each begins and ends, and its fields. Every length is compared with what is there
 * before it is used; what does not fit is a failure. Knows the layout only: the driver knows which message may come when.
 */
import { acquireBuffer, type PooledBuffer } from '../../../util/bytes/buffer-pool.ts';
import { viewOf } from '../../../util/bytes/byte-writer.ts';
import { checkColumns, LargeRowBudget, LIMITS, malformed } from '../../contract/limits.ts';

/** First bytes of the server's messages. */
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

/** Messages that may come at any time and need no answer. */
export const ASIDES: ReadonlySet<number> = new Set([RECEIVED.notice, RECEIVED.notification, RECEIVED.parameterStatus]);

/** What belongs to an answer, and says nothing. */
export const ACKNOWLEDGEMENTS: ReadonlySet<number> = new Set([
  RECEIVED.closeComplete,
  RECEIVED.copyData,
  RECEIVED.copyDone,
  RECEIVED.copyOut,
  RECEIVED.parameterDescription,
  RECEIVED.portalSuspended,
]);

const NOTHING = Buffer.alloc(0);
/** The type of a message and its length. */
const HEADER = 5;
/** The length counts itself. */
const LEAST = 4;

/** One whole message: its type, and its content at bytes[from..to). What is thrown here reaches the caller of `receive`. */
export type OnMessage = (type: number, bytes: Buffer, from: number, to: number) => void;

export type OnDataRow = (bytes: Buffer, from: number, to: number) => void;

/** Takes what the socket brings and hands on whole messages, those that came in one piece where they lie. Between two messages it holds no buffer. */
export class Incoming {
  /** Who hears the messages, */
  onMessage: OnMessage;
  /** and who the rows: there are so many of them that a way of their own shows in a page's cost. */
  onRow: OnDataRow = (bytes, from, to) => this.onMessage(RECEIVED.dataRow, bytes, from, to);
  readonly #split: SplitMessage;
  /** Hears nothing any more. */
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
      if (size < LEAST) throw malformed(`a message of length ${size}`);
      const next = at + 1 + size;
      if (next > length) break;
      if (bytes[at] === RECEIVED.dataRow) this.onRow(bytes, at + HEADER, next);
      else this.onMessage(bytes[at] as number, bytes, at + HEADER, next);
      at = next;
    }
    if (at < length && !this.#closed) this.#split.add(bytes, at, length);
  }

  /** Whatever still comes is nobody's concern. */
  close(): void {
    this.#closed = true;
    this.#split.drop();
  }
}

/** A message that came in parts: it is put together here, and only it. Its buffer grows with what came, not with what was announced. */
class SplitMessage {
  /** Those of the buffer. */
  bytes: Buffer = NOTHING;
  length = 0;
  #buffer: PooledBuffer | undefined;
  readonly #share: LargeRowBudget;
  /** Of the whole message, once its header is here. */
  #size = Number.POSITIVE_INFINITY;

  constructor(maxRowBytes: number | undefined) {
    this.#share = new LargeRowBudget(maxRowBytes);
  }

  get whole(): boolean {
    return this.length === this.#size;
  }

  /** Takes what belongs to the message from source[from..to) and returns where the next one begins. */
  add(source: Buffer, from: number, to: number): number {
    let at = from;
    if (this.length < HEADER) {
      at = this.#copy(source, at, Math.min(to, at + HEADER - this.length));
      if (this.length < HEADER) return at;
      this.#size = this.#announced();
    }
    return this.#copy(source, at, Math.min(to, at + this.#size - this.length));
  }

  /** The message has been handled. */
  clear(): void {
    this.#release();
    this.drop();
  }

  /** Whoever is just being handed the message may still read it: nobody else gets its buffer. */
  drop(): void {
    this.#buffer = undefined;
    this.bytes = NOTHING;
    this.length = 0;
    this.#size = Number.POSITIVE_INFINITY;
    this.#share.hold(0);
  }

  /** A faulty reader can never show bytes of another connection. */
  #release(): void {
    this.#buffer?.releaseWiped(this.length);
  }

  #announced(): number {
    const type = this.bytes[0];
    const size = this.bytes.readInt32BE(1);
    if (size < LEAST) throw malformed(`a message of length ${size}`);
    if (type === RECEIVED.dataRow || type === RECEIVED.copyData) this.#share.checkRow(size);
    else if (size > LIMITS.messageBytes) throw malformed(`a message of ${size} bytes; at most ${LIMITS.messageBytes} are read`);
    return 1 + size;
  }

  #copy(source: Buffer, from: number, to: number): number {
    const length = this.length + to - from;
    if (length > this.bytes.length) {
      const room = Math.min(Math.max(1024, length * 2), Math.max(this.#size, length));
      this.#share.hold(room);
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

/** Reads the fields of one message, and never beyond it. */
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

  /** A copy in memory of its own: whatever keeps a part of a slab of the runtime keeps all of it. */
  bytes(n: number): Buffer {
    const at = this.#take(n);
    const copy = Buffer.allocUnsafeSlow(n);
    this.#bytes.copy(copy, 0, at, at + n);
    return copy;
  }

  skip(n: number): void {
    this.#take(n);
  }

  /** A text up to its zero; of a long one so many bytes are kept. */
  text(most: number = LIMITS.errorText): string {
    const from = this.#at;
    // The search is kept inside of the message: what lies behind may be long, and is not ours to look at.
    const length = this.#bytes.subarray(from, this.#end).indexOf(0);
    if (length < 0) throw malformed('a text without an end');
    this.#at = from + length + 1;
    return this.#bytes.toString('utf8', from, from + Math.min(length, most));
  }

  #take(n: number): number {
    const at = this.#at;
    if (n > this.#end - at) throw malformed('a message that is shorter than its fields');
    this.#at = at + n;
    return at;
  }
}

/** More kinds of fields than PostgreSQL will ever have. */
const MOST_ERROR_FIELDS = 100;

/** The fields of an error or a notice, by their one-letter keys. */
export function errorFields(bytes: Buffer, from: number, to: number): Map<string, string> {
  const reader = new MessageFields(bytes, from, to);
  const found = new Map<string, string>();
  for (let i = 0; ; i++) {
    const key = reader.byte();
    if (key === 0) return found;
    if (i === MOST_ERROR_FIELDS) throw malformed('an error without an end');
    found.set(String.fromCharCode(key), reader.text());
  }
}

export interface Field {
  readonly name: string;
  readonly type: number;
}

/** Table, number in it, size, modifier: what nobody here wants to know. */
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
