/**
 * Writer of the messages that are sent to PostgreSQL (protocol 3). Knows the layout only: the
 * driver decides what is sent, and `incoming.ts` parses the responses.
 */
import type { Socket } from 'node:net';
import type { ParamType, StatementParam } from '../../../sql/statement.ts';
import { acquireBuffer, bytesOf, Lease, type PooledBuffer } from '../../../util/bytes/buffer-pool.ts';
import { WriteProgress } from '../../driver-kit/write-progress.ts';

const SYNC = Buffer.from([0x53, 0, 0, 0, 4]);
/** Executes the unnamed portal without a row limit, followed by a Sync. */
const EXECUTE = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, ...SYNC]);
const FLUSH = Buffer.from([0x48, 0, 0, 0, 4]);
const TERMINATE = Buffer.from([0x58, 0, 0, 0, 4]);
const NOTHING = Buffer.alloc(0);
/** Strings of at least this length are measured instead of reserving three bytes per character. */
const LONG_TEXT = 4096;
/** Up to this length, a loop is faster than a call into the runtime. */
const SHORT_TEXT = 32;

/**
 * Messages to be sent, in a pooled buffer that is returned as soon as the system has taken the
 * bytes.
 */
export class Outgoing {
  /** `undefined` while there is nothing to send, so that an idle connection holds no memory. */
  #buffer: PooledBuffer | undefined;
  #bytes: Buffer = NOTHING;
  #length = 0;
  readonly progress = new WriteProgress();

  /** Sends everything written so far. */
  send(socket: Socket): void {
    const buffer = this.#buffer;
    if (buffer === undefined) return;
    const piece = this.#bytes.subarray(0, this.#length);
    this.#buffer = undefined;
    this.#bytes = NOTHING;
    this.#length = 0;
    this.progress.write(socket, piece, () => buffer.release());
  }

  query(text: string): void {
    const start = this.#begin(0x51);
    this.#string(text);
    this.#finish(start);
  }

  /** Prepares a statement and requests its description. The server infers the parameter types. */
  parse(name: string, text: string): void {
    let start = this.#begin(0x50);
    this.#string(name);
    this.#string(text);
    this.#int16(0);
    this.#finish(start);
    start = this.#begin(0x44);
    this.#byte(0x53);
    this.#string(name);
    this.#finish(start);
  }

  /**
   * Runs a BEGIN before the same Sync as the statement that follows: if it fails, the server skips
   * that statement.
   */
  begin(text: string): void {
    const start = this.#begin(0x50);
    this.#string('');
    this.#string(text);
    this.#int16(0);
    this.#finish(start);
    this.bind('', [], []);
    this.#raw(EXECUTE.subarray(0, -SYNC.length));
  }

  /** Requests an acknowledgement, which the server sends before it reads what follows. */
  probe(): void {
    this.closeStatement('');
    this.#raw(FLUSH);
  }

  closeStatement(name: string): void {
    const start = this.#begin(0x43);
    this.#byte(0x53);
    this.#string(name);
    this.#finish(start);
  }

  /**
   * Sends text as text, bytes in binary, and requests all result columns as text. Releases the
   * leases among the values.
   */
  bind(name: string, types: readonly ParamType[], params: readonly StatementParam[]): void {
    const start = this.#begin(0x42);
    this.#byte(0);
    this.#string(name);
    this.#formats(types, params);
    this.#int16(params.length);
    for (const value of params) this.#value(value);
    this.#int16(0);
    this.#finish(start);
  }

  /** Executes the bound statement, followed by a Sync. */
  execute(): void {
    this.#raw(EXECUTE);
  }

  sync(): void {
    this.#raw(SYNC);
  }

  terminate(): void {
    this.#raw(TERMINATE);
  }

  /** Declines to send the data that COPY … FROM STDIN requests. */
  copyFail(reason: string): void {
    const start = this.#begin(0x66);
    this.#string(reason);
    this.#finish(start);
  }

  /** Bytes of a bytes parameter are binary; those of any other are its text. */
  #formats(types: readonly ParamType[], params: readonly StatementParam[]): void {
    let isAnyBinary = false;
    for (let i = 0; i < params.length; i++) isAnyBinary ||= isBinary(types[i], params[i]);
    this.#int16(isAnyBinary ? params.length : 0);
    if (isAnyBinary) for (let i = 0; i < params.length; i++) this.#int16(isBinary(types[i], params[i]) ? 1 : 0);
  }

  #value(value: StatementParam): void {
    if (value === null) {
      this.#int32(-1);
      return;
    }
    if (typeof value !== 'string') {
      this.#int32(value.length);
      this.#raw(bytesOf(value));
      if (value instanceof Lease) value.release();
      return;
    }
    this.#reserve(4 + (value.length < LONG_TEXT ? value.length * 3 : Buffer.byteLength(value)));
    const written = this.#text(value, this.#length + 4);
    this.#int32(written);
    this.#length += written;
  }

  #begin(type: number): number {
    this.#reserve(5);
    this.#bytes[this.#length] = type;
    this.#length += 5;
    return this.#length - 4;
  }

  #finish(start: number): void {
    this.#bytes.writeInt32BE(this.#length - start, start);
  }

  #byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  #int16(value: number): void {
    this.#reserve(2);
    this.#bytes[this.#length++] = value >> 8;
    this.#bytes[this.#length++] = value;
  }

  #int32(value: number): void {
    this.#reserve(4);
    this.#length = this.#bytes.writeInt32BE(value, this.#length);
  }

  #string(value: string): void {
    this.#reserve(value.length * 3 + 1);
    this.#length += this.#text(value, this.#length);
    this.#bytes[this.#length++] = 0;
  }

  /**
   * Writes into reserved space and returns the number of bytes. A loop writes short ASCII text
   * faster than the runtime.
   */
  #text(value: string, start: number): number {
    const { length } = value;
    if (length > SHORT_TEXT) return this.#bytes.write(value, start, 'utf8');
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i);
      if (code > 0x7f) return this.#bytes.write(value, start, 'utf8');
      this.#bytes[start + i] = code;
    }
    return length;
  }

  #raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  #reserve(n: number): void {
    if (this.#length + n <= this.#bytes.length) return;
    const before = this.#bytes;
    const larger = acquireBuffer(Math.max(before.length * 2, this.#length + n));
    before.copy(larger.bytes, 0, 0, this.#length);
    this.#buffer?.release();
    this.#buffer = larger;
    this.#bytes = larger.bytes;
  }
}

function isBinary(type: ParamType | undefined, value: StatementParam | undefined): boolean {
  return typeof value === 'object' && value !== null && type?.kind === 'bytes';
}

/** Builds the cancel request, which is sent on another connection. */
export function cancelRequest(processId: number, secret: Buffer): Buffer {
  const message = Buffer.alloc(12 + secret.length);
  message.writeInt32BE(message.length, 0);
  message.writeInt32BE(80877102, 4);
  message.writeInt32BE(processId, 8);
  secret.copy(message, 12);
  return message;
}
