/**
 * Received bytes of one connection that are not parsed yet, and the parsers of request heads. No
 * I/O.
 */
import type { BodyReader } from './body.ts';
import { EarlyValidator, emptyLinesLength } from './head/early-validator.ts';
import type { HeaderNames } from './head/header-names.ts';
import { HEAD_END, HeadReader, headEnd, type RequestHead } from './head/request-head.ts';
import { PendingBytes } from './pending-bytes.ts';

const EMPTY: Buffer = Buffer.alloc(0);
const CR = 0x0d;

export class RequestInput {
  readonly #heads: HeadReader;
  readonly #validator = new EarlyValidator();
  #bytes = EMPTY;
  /** Bytes that arrived while an earlier request was handled. */
  readonly #pipelined = new PendingBytes();

  constructor(names: HeaderNames) {
    this.#heads = new HeadReader(names);
  }

  /** Number of bytes that are not parsed. */
  get size(): number {
    return this.#bytes.length + this.#pipelined.size;
  }

  /** Adds bytes to be parsed at once. */
  append(bytes: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
  }

  /** Adds bytes to be parsed after `takePipelined`. */
  addPipelined(bytes: Buffer): void {
    this.#pipelined.add(bytes);
  }

  takePipelined(): void {
    if (this.#pipelined.size > 0) this.#bytes = this.#pipelined.take(this.#bytes);
  }

  clear(): void {
    this.#bytes = EMPTY;
    this.#pipelined.clear();
  }

  /** Skips empty lines. `true` if a request head begins. */
  startHead(): boolean {
    const skipped = emptyLinesLength(this.#bytes);
    if (skipped > 0) this.#bytes = this.#bytes.subarray(skipped);
    const { length } = this.#bytes;
    if (length === 0 || (length === 1 && this.#bytes[0] === CR)) return false;
    this.#validator.reset();
    return true;
  }

  /** Returns `undefined` while the head is incomplete. Throws RequestRejected. */
  readHead(): RequestHead | undefined {
    const bytes = this.#bytes;
    const end = headEnd(bytes);
    if (end < 0) {
      this.#validator.check(bytes);
      return undefined;
    }
    const head = this.#heads.read(bytes, end);
    this.#skipTo(end + HEAD_END.length);
    return head;
  }

  readBody(reader: BodyReader): void {
    this.#skipTo(reader.take(this.#bytes, 0));
  }

  #skipTo(position: number): void {
    this.#bytes = position === this.#bytes.length ? EMPTY : this.#bytes.subarray(position);
  }
}
