/**
 * Auto reads. On engines where even the smallest SELECT is expensive, and for sums on all of them, identical reads at one time are coalesced: one
 * statement, started after all of them have arrived, answers all of them with the same bytes. Other rows, and large answers, flow straight from the
 * database to the client.
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

/** The longest that a read waits for an identical one before it starts its own. */
const PATIENCE_MS = 50;
/** Larger answers are not shared: they would stay in memory for the slowest reader. */
const MOST_BYTES = 1024 * 1024;
/** How many requests with answers too large to share are remembered. */
const MOST_LARGE = 100;

/** Plans and runs a request. Its rows go to the sink. */
export type Perform = (sink: AnswerSink, signal: StopSignal) => Promise<AutoResult>;

export interface AutoRead {
  readonly exchange: Exchange;
  readonly request: ReadRequest | GroupRequest;
  readonly target: Target;
  readonly format: Format;
  readonly perform: Perform;
}

interface Answer {
  readonly body: Buffer;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
}

export class AutoReads {
  readonly #auto: Auto;
  readonly #observer: Observer;
  /** Undefined when the answer was too large. */
  readonly #coalescer = new Coalescer<Answer | undefined>(PATIENCE_MS);
  readonly #large = new BoundedMap<string, true>(MOST_LARGE);

  constructor(auto: Auto, observer: Observer) {
    this.#auto = auto;
    this.#observer = observer;
  }

  answer(read: AutoRead): Promise<void> {
    const { target, exchange, request } = read;
    if (exchange.method !== 'GET' || !this.#auto.sharesReads(request, target)) return this.#readAlone(read);
    // The entry belongs to the project. Everything else that decides the answer is in the target and in what the caller may see.
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
    let isOurs = false;
    const answer = await this.#coalescer.follow(key, exchange, (signal) => {
      isOurs = true;
      return this.#keep(read, signal);
    });
    if (answer === undefined) {
      this.#large.set(key, true);
      return this.#readAlone(read);
    }
    if (!isOurs) this.#observer.readShared();
    exchange.isKnown = true;
    sendBytes(exchange, 200, format.contentType, answer.body, answer.headers);
  }

  async #keep({ format, perform }: AutoRead, signal: StopSignal): Promise<Answer | undefined> {
    const kept = new BufferedRead(format);
    try {
      addCursor(kept, await perform(kept, signal));
      return { body: kept.take(), headers: kept.headers };
    } catch (error) {
      if (error instanceof ReadTooLarge) return undefined;
      throw error;
    }
  }
}

function addCursor(answer: AnswerSink, { cursor }: AutoResult): void {
  if (cursor !== undefined) answer.header('X-Next-Cursor', cursor);
}

class ReadTooLarge extends Error {}

class BufferedRead extends BufferedBody implements AnswerSink {
  readonly headers: string[] = [];

  constructor(format: Format) {
    super(format, MOST_BYTES, () => new ReadTooLarge());
  }

  header(name: string, value: string): void {
    setHeader(this.headers, name, value);
  }
}
