/**
 * Auto reads. Where the smallest SELECT is expensive, identical ones that come while one is under way take turns: one statement, begun
 * after all of them have come, answers them all, and the bytes of its answer are everybody's. Everywhere else, and when an answer is large,
 * rows flow from the database to the one who asked.
 */
import type { Auto, Target } from '../auto/attempt.ts';
import type { ReadRequest } from '../auto/request.ts';
import type { AnswerSink, AutoResult } from '../auto/session.ts';
import type { Format } from '../formats/format.ts';
import type { Observer } from '../observe.ts';
import { BoundedMap } from '../util/bounded-map.ts';
import { Coalescer } from '../util/coalescer.ts';
import type { StopSignal } from '../util/stop-signal.ts';
import type { Exchange } from './exchange.ts';
import { KeptBody } from './kept-body.ts';
import { RowResponse, sendBytes, setHeader } from './respond.ts';

/** So long anyone waits for an identical read to end before they begin their own. */
const PATIENCE_MS = 50;
/** Larger answers are not shared: they would lie in memory for whoever reads slowest. */
const MOST_BYTES = 1024 * 1024;
/** Requests whose answers were too large are remembered, so many. */
const MOST_LARGE = 100;

/** Plans and runs a request; its rows go to the sink. */
export type Perform = (sink: AnswerSink, signal: StopSignal) => Promise<AutoResult>;

export interface AutoRead {
  readonly exchange: Exchange;
  readonly request: ReadRequest;
  readonly target: Target;
  readonly format: Format;
  readonly perform: Perform;
}

interface Answer {
  readonly body: Buffer;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

export class AutoReads {
  readonly #auto: Auto;
  readonly #observer: Observer;
  /** Undefined: the answer was too large. */
  readonly #coalescer = new Coalescer<Answer | undefined>(PATIENCE_MS);
  readonly #large = new BoundedMap<string, true>(MOST_LARGE);

  constructor(auto: Auto, observer: Observer) {
    this.#auto = auto;
    this.#observer = observer;
  }

  answer(read: AutoRead): Promise<void> {
    const { target, exchange } = read;
    if (!this.#auto.sharesReads(target)) return this.#readAlone(read);
    // The entry is the project's own; all else that an answer depends on is in the request's target and in what the caller may see.
    const key = `${target.entry.id} ${exchange.head.target} ${target.access.key}`;
    const isAlone = this.#coalescer.isFree(key) || this.#large.get(key) === true;
    return isAlone ? this.#coalescer.lead(key, () => this.#readAlone(read)) : this.#readTogether(key, read);
  }

  async #readAlone({ exchange, request, format, perform }: AutoRead): Promise<void> {
    const response = new RowResponse(exchange, format, request.after === undefined ? 'flowing' : 'held');
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
    sendBytes(exchange, 200, format.contentType, answer.body, answer.headers);
  }

  async #keep({ format, perform }: AutoRead, signal: StopSignal): Promise<Answer | undefined> {
    const kept = new KeptRows(format);
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

class KeptRows extends KeptBody implements AnswerSink {
  readonly headers: string[] = [];

  constructor(format: Format) {
    super(format, MOST_BYTES, () => new ReadTooLarge());
  }

  header(name: string, value: string): void {
    setHeader(this.headers, name, value);
  }
}
