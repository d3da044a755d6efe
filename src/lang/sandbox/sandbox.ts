/**
 * One worker thread. Runs one job at a time within its budget and deadline; a worker that misses
 * the deadline is terminated. Values are sent in pieces, one per time slice of the tenant.
 */
import { Worker } from 'node:worker_threads';
import type { PlainValue } from '../../util/text/decimal.ts';
import { BudgetError, type RunLimits } from '../budget.ts';
import type { Ran } from '../task-kind.ts';
import { KINDS, type KindName } from '../tasks.ts';
import { type FlatPiece, Packer, Unpacker } from './flat.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { unwireError } from './wire.ts';

export interface Job {
  readonly tenant: string;
  readonly kind: KindName;
  readonly program: unknown;
  readonly values: ReadonlyMap<string, PlainValue>;
  readonly limits: RunLimits;
  readonly signal: AbortSignal | undefined;
  /** Resolves at the tenant's next time slice. */
  readonly nextSlice: () => Promise<void>;
  readonly done: (ran: Ran) => void;
  readonly failed: (error: unknown) => void;
}

export type Fate = 'keep' | 'drop';

/** Grace period of a worker after the program's own time limit. */
const GRACE_MILLIS = 250;
/** Maximum time until the program starts: the thread starts and compiles it. */
const START_MILLIS = 30_000;
const MEBIBYTE = 1024 * 1024;
/** Heap size beyond which a worker is replaced, to free its memory. */
const KEEP_BYTES = 96 * MEBIBYTE;
/**
 * A worker that is idle for this long is terminated, to free its memory. A new one starts quickly.
 */
const IDLE_MILLIS = 10_000;

/**
 * A worker cannot load TypeScript, so running from the sources (as in tests) uses the built file.
 */
function entry(): URL {
  const built = import.meta.url.endsWith('.ts') ? '../../../dist/lang/sandbox/worker.js' : './worker.js';
  return new URL(built, import.meta.url);
}

export class Sandbox {
  readonly #worker: Worker;
  readonly heapMb: number;
  job: Job | undefined;
  #result = new Unpacker();
  #timer: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  readonly #free: (sandbox: Sandbox, fate: Fate) => void;
  #abort: (() => void) | undefined;

  constructor(heapMb: number, free: (sandbox: Sandbox, fate: Fate) => void) {
    this.heapMb = heapMb;
    this.#free = free;
    this.#worker = new Worker(entry(), {
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
      env: {},
      execArgv: [],
      stdin: false,
    });
    this.#worker.on('message', (message: FromWorker) => this.#receive(message));
    this.#worker.on('error', (error) => this.#lost(error));
    this.#worker.on('exit', () => this.#lost(new Error('the worker of the program ended')));
    this.#worker.unref();
  }

  async start(job: Job): Promise<void> {
    this.job = job;
    clearTimeout(this.#idle);
    this.#worker.ref();
    this.#abort = () => this.#end(job.signal?.reason);
    job.signal?.addEventListener('abort', this.#abort, { once: true });
    const values = new Map<string, FlatPiece>();
    for (const [name, value] of job.values) {
      const packer = new Packer(value);
      for (let piece = packer.piece(); ; piece = packer.piece()) {
        values.set(name, piece);
        if (packer.done) break;
        this.#post({ type: 'part', name, piece });
        await job.nextSlice();
        if (this.job !== job) return;
      }
    }
    this.#post({ type: 'run', kind: job.kind, program: job.program, values, limits: job.limits });
    this.#timer = setTimeout(() => this.#overdue(job), job.limits.millis * 2 + START_MILLIS);
  }

  #post(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #overdue(job: Job): void {
    this.#end(new BudgetError('time', `the program ran longer than its ${job.limits.millis} ms`));
  }

  #receive(message: FromWorker): void {
    const job = this.job;
    if (job === undefined) return;
    switch (message.type) {
      case 'started':
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#overdue(job), job.limits.millis + GRACE_MILLIS);
        return;
      case 'part':
        clearTimeout(this.#timer);
        this.#result.add(message.piece);
        void job.nextSlice().then(() => {
          if (this.job === job) this.#post({ type: 'more' });
        });
        return;
      case 'done': {
        this.#result.add(message.piece);
        const { value } = this.#result;
        this.#finish(message.heapBytes > KEEP_BYTES ? 'drop' : 'keep');
        job.done({ value, prints: message.prints });
        return;
      }
      case 'failed':
        this.#finish(message.heapBytes > KEEP_BYTES ? 'drop' : 'keep');
        job.failed(unwireError(message.error, KINDS[job.kind].specialError));
        return;
    }
  }

  /** The thread ended. Running out of memory has its own error code. */
  #lost(error: Error): void {
    const job = this.job;
    this.#finish('drop');
    if (job === undefined) return;
    const memory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    const limit = Math.floor(job.limits.bytes / MEBIBYTE);
    job.failed(memory ? new BudgetError('memory', `the program needed more than its ${limit} MiB of memory`) : error);
  }

  #end(reason: unknown): void {
    const job = this.job;
    this.#finish('drop');
    job?.failed(reason);
  }

  #finish(fate: Fate): void {
    clearTimeout(this.#timer);
    if (this.#abort !== undefined) this.job?.signal?.removeEventListener('abort', this.#abort);
    this.#abort = undefined;
    this.job = undefined;
    this.#result = new Unpacker();
    if (fate === 'drop') this.close();
    else this.rest();
    this.#free(this, fate);
  }

  /** Waits for the next job until the idle timeout. */
  rest(): void {
    this.#worker.unref();
    this.#idle = setTimeout(() => this.#end(undefined), IDLE_MILLIS).unref();
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#worker.removeAllListeners('exit');
    this.#worker.removeAllListeners('error');
    this.#worker.on('error', () => {});
    void this.#worker.terminate();
  }
}
