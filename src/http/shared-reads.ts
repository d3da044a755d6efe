/**
 * Auto reads. Identical concurrent reads are coalesced where a SELECT is expensive: aggregates on
 * all engines, and every read on some. One statement, started after all of them have arrived,
 * answers them with the same bytes. Other rows, and large responses, flow straight to the client.
 */
import type { Auto, Target } from '../auto/execute/executor.ts';
import type { GroupRequest, ReadRequest } from '../auto/request/request.ts';
import type { AnswerSink, AutoResult } from '../auto/session.ts';
import type { Format } from '../formats/format.ts';
import type { Observer } from '../observe/observer.ts';
import { BoundedMap } from '../util/bounded-map.ts';
import { Coalescer } from '../util/concurrency/coalescer.ts';
import type { StopSignal } from '../util/concurrency/stop-signal.ts';
import type { Exchange } from './exchange.ts';
import { BufferedBody } from './response/buffered-body.ts';
import { setHeader } from './response/headers.ts';
import { sendBytes } from './response/respond.ts';
import { RowResponse } from './response/row-response.ts';

/** A read that has waited for this time for an identical one starts its own statement. */
const MAX_WAIT_MS = 50;
/** Larger responses are not shared: they would stay in memory for the slowest client. */
const MAX_SHARED_BYTES = 1024 * 1024;
/** Number of requests that are remembered because their responses are too large to share. */
const MAX_REMEMBERED = 100;

/** Plans and runs a request. Its rows go to the sink. */
export type Perform = (sink: AnswerSink, signal: StopSignal) => Promise<AutoResult>;

export interface AutoRead {
  readonly exchange: Exchange;
  readonly request: ReadRequest | GroupRequest;
  readonly target: Target;
  readonly format: Format;
  readonly perform: Perform;
}

interface SharedResponse {
  readonly body: Buffer;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
}

export class AutoReads {
  readonly #auto: Auto;
  readonly #observer: Observer;
  /** `undefined` if a response is too large to share. */
  readonly #coalescer = new Coalescer<SharedResponse | undefined>(MAX_WAIT_MS);
  readonly #large = new BoundedMap<string, true>(MAX_REMEMBERED);

  constructor(auto: Auto, observer: Observer) {
    this.#auto = auto;
    this.#observer = observer;
  }

  answer(read: AutoRead): Promise<void> {
    const { target, exchange, request } = read;
    if (exchange.method !== 'GET' || !this.#auto.sharesReads(request, target)) return this.#readAlone(read);
    // The entry belongs to the project. The target and the caller's rights determine everything
    // else.
    const key = `${target.entry.id} ${exchange.head.target} ${target.access.key}`;
    const isAlone = this.#coalescer.isFree(key) || this.#large.get(key) === true;
    return isAlone ? this.#coalescer.lead(key, () => this.#readAlone(read)) : this.#readTogether(key, read);
  }

  async #readAlone({ exchange, request, format, perform }: AutoRead): Promise<void> {
    const response = new RowResponse(exchange, format, request.do === 'group' || request.after === undefined ? 'flowing' : 'held');
    try {
      addCursor(response, await perform(response, exchange));
    } catch (error) {
      response.discard();
      throw error;
    }
    response.end();
  }

  async #readTogether(key: string, read: AutoRead): Promise<void> {
    const { exchange, format } = read;
    let isLeader = false;
    const response = await this.#coalescer.follow(key, exchange, (signal) => {
      isLeader = true;
      return this.#buffer(read, signal);
    });
    if (response === undefined) {
      this.#large.set(key, true);
      return this.#readAlone(read);
    }
    if (!isLeader) this.#observer.readShared();
    exchange.isKnown = true;
    sendBytes(exchange, 200, format.contentType, response.body, response.headers);
  }

  async #buffer({ format, perform }: AutoRead, signal: StopSignal): Promise<SharedResponse | undefined> {
    const buffered = new BufferedRead(format);
    try {
      addCursor(buffered, await perform(buffered, signal));
      return { body: buffered.take(), headers: buffered.headers };
    } catch (error) {
      if (error instanceof ReadTooLarge) return undefined;
      throw error;
    }
  }
}

function addCursor(sink: AnswerSink, { cursor }: AutoResult): void {
  if (cursor !== undefined) sink.header('X-Next-Cursor', cursor);
}

class ReadTooLarge extends Error {}

class BufferedRead extends BufferedBody implements AnswerSink {
  readonly headers: string[] = [];

  constructor(format: Format) {
    super(format, MAX_SHARED_BYTES, () => new ReadTooLarge());
  }

  header(name: string, value: string): void {
    setHeader(this.headers, name, value);
  }
}
