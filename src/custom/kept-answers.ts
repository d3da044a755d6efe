/**
 * Keeping and sharing: answers as bytes, which may come from an earlier call, may serve later ones, and may be made for several callers at
 * once. Failures are shared with those who wait for them and are never kept.
 */
import type { StopSignal } from '../engines/engine.ts';
import type { Observer } from '../observe.ts';
import { SingleFlight } from '../util/single-flight.ts';
import type { CallAnswer } from './answer.ts';
import { ANSWERED, type Answered, type Attempt, type Failed } from './attempt.ts';
import type { ResponseCache } from './cache.ts';
import { type Execution, type Made, timingText } from './execution.ts';
import { keyOf } from './keys.ts';
import type { Timings } from './run.ts';

/** Answers to larger inputs are neither kept nor shared: hardly any comes twice, and its key would take longer than its steps. */
const MOST_KEYED = 4 * 1024 * 1024;

export class KeptAnswers {
  readonly #execution: Execution;
  readonly #cache: ResponseCache;
  readonly #observer: Observer;
  readonly #inFlight = new SingleFlight<Made | Failed>();

  constructor(execution: Execution, cache: ResponseCache, observer: Observer) {
    this.#execution = execution;
    this.#cache = cache;
    this.#observer = observer;
  }

  takes({ call, version }: Attempt): boolean {
    return version.compiled.keeps && call.lease.held <= MOST_KEYED;
  }

  async answer(attempt: Attempt, answer: CallAnswer): Promise<Answered | Failed> {
    const { call, endpoint, version, modules, input, headers } = attempt;
    const { cacheResult, coalesce, cacheTtlSecs } = version.compiled.document.config;
    const key = keyOf({ caller: call.caller, endpoint, version, modules, input, format: call.format });
    if (cacheResult) {
      const found = this.#cache.get(key);
      const hit = found instanceof Promise ? await found : found;
      this.#observer.cacheLookup(hit === undefined ? 'miss' : 'hit');
      if (hit !== undefined) {
        answer.bytes(hit, [...headers, 'X-Cache', 'HIT', 'Server-Timing', 'cache;desc="hit"']);
        return ANSWERED;
      }
    }
    const timings: Timings = [];
    const make = async (signal: StopSignal): Promise<Made | Failed> => {
      const made = await this.#execution.make(attempt, signal, timings, answer);
      if (cacheResult && made.kind === 'made') this.#cache.set(key, made.body, cacheTtlSecs);
      return made;
    };
    if (coalesce && this.#inFlight.has(key)) this.#observer.cacheLookup('shared');
    const made = await (coalesce ? this.#inFlight.join(key, call.signal, make) : make(call.signal));
    if (made.kind === 'failed') return made;
    const timing = timings.length === 0 ? 'shared' : timingText(version.compiled, timings);
    answer.bytes(made.body, [...headers, ...(cacheResult ? ['X-Cache', 'MISS'] : []), 'Server-Timing', timing]);
    return ANSWERED;
  }
}
