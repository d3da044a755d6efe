/**
 * Answers calls from the response cache and coalesces identical concurrent calls. Failures are
 * shared with the callers that wait for them, but never cached.
 */
import type { StopSignal } from '../../engines/contract/engine.ts';
import type { Observer } from '../../observe/observer.ts';
import { SingleFlight } from '../../util/concurrency/single-flight.ts';
import { ANSWERED, type Answered, type Attempt, type Failed } from './attempt.ts';
import { cacheKey } from './cache-key.ts';
import type { CallOutput } from './call-output.ts';
import type { ResponseCache } from './memory-cache.ts';
import { MIN_ROLLBACK_STATUS, type Timings } from './run-steps.ts';
import { type BufferedHead, type BufferedResponse, type StepRunner, timingText } from './step-runner.ts';

/**
 * Calls with larger inputs hardly ever repeat, and hashing them would cost more than running the
 * steps.
 */
const MAX_KEYED_BYTES = 4 * 1024 * 1024;

export class CachedCalls {
  readonly #runner: StepRunner;
  readonly #cache: ResponseCache;
  readonly #observer: Observer;
  readonly #inFlight = new SingleFlight<BufferedResponse | Failed>();

  constructor(runner: StepRunner, cache: ResponseCache, observer: Observer) {
    this.#runner = runner;
    this.#cache = cache;
    this.#observer = observer;
  }

  accepts({ call, version }: Attempt): boolean {
    return version.compiled.isCacheable && call.lease.held <= MAX_KEYED_BYTES;
  }

  async respond(attempt: Attempt, output: CallOutput): Promise<Answered | Failed> {
    const { call, version, headers } = attempt;
    const { cacheResult, coalesce, cacheTtlSecs } = version.compiled.document.config;
    const hasHead = version.compiled.response !== undefined;
    const key = cacheKey(attempt);
    if (cacheResult) {
      const lookup = this.#cache.get(key);
      const hit = lookup instanceof Promise ? await lookup : lookup;
      this.#observer.cacheLookup(hit === undefined ? 'miss' : 'hit', call.caller.projectId);
      if (hit !== undefined) {
        send(hasHead ? unpack(hit) : bodyOnly(hit), [...headers, 'X-Cache', 'HIT', 'Server-Timing', 'cache;desc="hit"'], output);
        return ANSWERED;
      }
    }
    const timings: Timings = [];
    const run = async (signal: StopSignal): Promise<BufferedResponse | Failed> => {
      const response = await this.#runner.buffer(attempt, signal, timings, output);
      if (cacheResult && response.kind === 'buffered' && isSuccess(response))
        this.#cache.set(key, hasHead ? pack(response) : response.body, cacheTtlSecs);
      return response;
    };
    if (coalesce && this.#inFlight.has(key)) this.#observer.cacheLookup('shared', call.caller.projectId);
    const response = await (coalesce ? this.#inFlight.join(key, call.signal, run) : run(call.signal));
    if (response.kind === 'failed') return response;
    // No step was timed by this caller if it joined the run of another.
    const timing = timings.length === 0 ? 'shared' : timingText(version.compiled, timings);
    send(response, [...headers, ...(cacheResult ? ['X-Cache', 'MISS'] : []), 'Server-Timing', timing], output);
    return ANSWERED;
  }
}

function isSuccess({ head }: BufferedResponse): boolean {
  return head === undefined || head.status < MIN_ROLLBACK_STATUS;
}

function send({ head, body }: BufferedResponse, headers: readonly string[], output: CallOutput): void {
  if (head === undefined) output.bytes(body, headers);
  else output.bytes(body, [...headers, ...head.headers], head.status, head.type);
}

function bodyOnly(body: Buffer): BufferedResponse {
  return { kind: 'buffered', head: undefined, body };
}

/** Cache entry with a head: length of the head (4 bytes), head as JSON, body. */
function pack({ head, body }: BufferedResponse): Buffer {
  const json = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, body]);
}

function unpack(packed: Buffer): BufferedResponse {
  const end = 4 + packed.readUInt32BE(0);
  const head = JSON.parse(packed.toString('utf8', 4, end)) as BufferedHead;
  return { kind: 'buffered', head, body: packed.subarray(end) };
}
