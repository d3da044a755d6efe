/**
 * A few worker threads for programs that need longer than a moment, warm after their first use.
 * Bounded in number, in waiting tasks, in memory, and by the clock: a worker that does not come back is ended.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { PlainValue } from '../../util/decimal.ts';
import { BudgetError, type Limits } from '../budget.ts';
import type { Ran } from '../task-kind.ts';
import { KINDS, type KindName } from '../tasks.ts';
import { type FromWorker, PART, type ToWorker } from './messages.ts';
import { revive, unwireError } from './wire.ts';

/** More programs wait than will be run in reasonable time. */
export class SandboxBusyError extends Error {}

export interface Job {
  readonly kind: KindName;
  readonly program: unknown;
  readonly values: ReadonlyMap<string, PlainValue>;
  readonly limits: Limits;
  readonly signal: AbortSignal | undefined;
  readonly done: (ran: Ran) => void;
  readonly failed: (error: unknown) => void;
}

const MAX_WORKERS = Math.max(2, Math.min(4, availableParallelism()));
const MAX_WAITING = 256;
/** After the program's own time is up, its worker gets this long to notice. */
const GRACE_MILLIS = 250;
const MEBIBYTE = 1024 * 1024;
/** What values need beyond what their program is charged with, and the engine itself. */
const HEAP_FACTOR = 4;
const HEAP_BASE_MB = 128;
/** A worker that has grown beyond this is replaced, so that the memory comes back. */
const KEEP_BYTES = 96 * MEBIBYTE;
/** A worker that nobody has needed for so long is ended: it may have grown, and a new one is there in a moment. */
const IDLE_MILLIS = 10_000;

/** TypeScript cannot run in a worker: from the sources (as in tests) the built file is taken. */
function entry(): URL {
  const built = import.meta.url.endsWith('.ts') ? '../../../dist/lang/sandbox/worker.js' : './worker.js';
  return new URL(built, import.meta.url);
}

class Sandbox {
  readonly #worker: Worker;
  readonly heapMb: number;
  job: Job | undefined;
  #parts: PlainValue[] = [];
  #timer: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  readonly #free: (sandbox: Sandbox, fate: 'keep' | 'drop') => void;
  #abort: (() => void) | undefined;

  constructor(heapMb: number, free: (sandbox: Sandbox, fate: 'keep' | 'drop') => void) {
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
    const short = new Map<string, PlainValue>();
    for (const [name, value] of job.values) {
      if (!Array.isArray(value) || value.length <= PART) {
        short.set(name, value);
        continue;
      }
      for (let from = 0; from < value.length; from += PART) {
        this.#post({ type: 'part', name, items: value.slice(from, from + PART) });
        await new Promise((resolve) => setImmediate(resolve));
        if (this.job !== job) return;
      }
    }
    this.#post({ type: 'run', kind: job.kind, program: job.program, values: short, limits: job.limits });
    this.#timer = setTimeout(() => this.#overdue(job), job.limits.millis * 2 + GRACE_MILLIS * 8);
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
        for (const item of message.items) this.#parts.push(revive(item));
        setImmediate(() => this.#post({ type: 'more' }));
        return;
      case 'done': {
        const value = this.#parts.length > 0 ? this.#parts : revive(message.value);
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

  /** The thread is gone: out of memory is told apart by its code. */
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

  #finish(fate: 'keep' | 'drop'): void {
    clearTimeout(this.#timer);
    if (this.#abort !== undefined) this.job?.signal?.removeEventListener('abort', this.#abort);
    this.#abort = undefined;
    this.job = undefined;
    this.#parts = [];
    if (fate === 'drop') this.close();
    else this.#rest();
    this.#free(this, fate);
  }

  #rest(): void {
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

export class SandboxPool {
  readonly #idle: Sandbox[] = [];
  readonly #busy = new Set<Sandbox>();
  readonly #waiting: Job[] = [];

  run(job: Job): void {
    if (this.#waiting.length >= MAX_WAITING) {
      job.failed(new SandboxBusyError('too many programs are running; try again later'));
      return;
    }
    this.#waiting.push(job);
    this.#next();
  }

  /** Ends the idle workers; running ones end with their task. */
  close(): void {
    for (const sandbox of this.#idle.splice(0)) sandbox.close();
  }

  #next(): void {
    while (this.#waiting.length > 0 && this.#busy.size < MAX_WORKERS) {
      const job = this.#waiting.shift();
      if (job === undefined) return;
      if (job.signal?.aborted === true) {
        job.failed(job.signal.reason);
        continue;
      }
      const sandbox = this.#take(job.limits);
      this.#busy.add(sandbox);
      sandbox.start(job).catch(job.failed);
    }
  }

  #take(limits: Limits): Sandbox {
    const heapMb = Math.ceil((limits.bytes / MEBIBYTE) * HEAP_FACTOR) + HEAP_BASE_MB;
    const fitting = this.#idle.findIndex((sandbox) => sandbox.heapMb >= heapMb);
    if (fitting >= 0) return this.#idle.splice(fitting, 1)[0] ?? this.#make(heapMb);
    this.#idle.pop()?.close();
    return this.#make(heapMb);
  }

  #make(heapMb: number): Sandbox {
    return new Sandbox(heapMb, (sandbox, fate) => {
      const was = this.#busy.delete(sandbox);
      const idle = this.#idle.indexOf(sandbox);
      if (fate === 'drop' && idle >= 0) this.#idle.splice(idle, 1);
      if (fate === 'keep' && was) this.#idle.push(sandbox);
      this.#next();
    });
  }
}
