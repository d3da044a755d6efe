/**
 * Keeps and shares answers as bytes: they may come from an earlier call, serve later ones, or be made for several callers at once. Failures are
 * shared with those who wait for them, and never kept.
 */
import type { StopSignal } from '../../engines/contract/engine.ts';
import type { Observer } from '../../observe.ts';
import { SingleFlight } from '../../util/concurrency/single-flight.ts';
import { ANSWERED, type Answered, type Attempt, type Failed } from './attempt.ts';
import type { ResponseCache } from './cache.ts';
import { keyOf } from './cache-key.ts';
import type { CallOutput } from './call-output.ts';
import type { Timings } from './run-steps.ts';
import { type Made, type ReplyHead, type StepRunner, timingText } from './step-runner.ts';

/** Answers to larger inputs are neither kept nor shared: hardly any repeats, and the key would cost more than the steps. */
const MOST_KEYED = 4 * 1024 * 1024;

export class CachedCalls {
  readonly #runner: StepRunner;
  readonly #cache: ResponseCache;
  readonly #observer: Observer;
  readonly #inFlight = new SingleFlight<Made | Failed>();

  constructor(runner: StepRunner, cache: ResponseCache, observer: Observer) {
    this.#runner = runner;
    this.#cache = cache;
    this.#observer = observer;
  }

  takes({ call, version }: Attempt): boolean {
    return version.compiled.keeps && call.lease.held <= MOST_KEYED;
  }

  async answer(attempt: Attempt, answer: CallOutput): Promise<Answered | Failed> {
    const { call, endpoint, version, modules, input, headers } = attempt;
    const { cacheResult, coalesce, cacheTtlSecs } = version.compiled.document.config;
    const hasHead = version.compiled.response !== undefined;
    const key = keyOf({ caller: call.caller, endpoint, version, modules, input, format: call.format });
    if (cacheResult) {
      const found = this.#cache.get(key);
      const hit = found instanceof Promise ? await found : found;
      this.#observer.cacheLookup(hit === undefined ? 'miss' : 'hit');
      if (hit !== undefined) {
        const told = [...headers, 'X-Cache', 'HIT', 'Server-Timing', 'cache;desc="hit"'];
        if (hasHead) sendPacked(hit, told, answer);
        else answer.bytes(hit, told);
        return ANSWERED;
      }
    }
    const timings: Timings = [];
    const make = async (signal: StopSignal): Promise<Made | Failed> => {
      const made = await this.#runner.make(attempt, signal, timings, answer);
      if (cacheResult && made.kind === 'made' && isSuccess(made)) this.#cache.set(key, hasHead ? pack(made) : made.body, cacheTtlSecs);
      return made;
    };
    if (coalesce && this.#inFlight.has(key)) this.#observer.cacheLookup('shared');
    const made = await (coalesce ? this.#inFlight.join(key, call.signal, make) : make(call.signal));
    if (made.kind === 'failed') return made;
    const timing = timings.length === 0 ? 'shared' : timingText(version.compiled, timings);
    const told = [...headers, ...(cacheResult ? ['X-Cache', 'MISS'] : []), 'Server-Timing', timing];
    sendMade(made, told, answer);
    return ANSWERED;
  }
}

/** Only successes are kept. */
function isSuccess({ head }: Made): boolean {
  return head === undefined || head.status < FIRST_REFUSAL;
}

const FIRST_REFUSAL = 400;

function sendMade({ head, body }: Made, headers: readonly string[], answer: CallOutput): void {
  if (head === undefined) answer.bytes(body, headers);
  else answer.bytes(body, [...headers, ...head.headers], head.status, head.type);
}

/** Head and body in one buffer, behind the length of the head. */
function pack({ head, body }: Made): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, body]);
}

function sendPacked(packed: Buffer, headers: readonly string[], answer: CallOutput): void {
  const end = 4 + packed.readUInt32BE(0);
  const head = JSON.parse(packed.toString('utf8', 4, end)) as ReplyHead;
  sendMade({ kind: 'made', head, body: packed.subarray(end) }, headers, answer);
}
