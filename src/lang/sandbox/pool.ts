/**
 * Worker threads for programs that exceed their inline allowance. Tenants are served round robin;
 * extra workers are reserved for tenants with no running program. Bounded in workers, waiting jobs,
 * memory and time.
 */
import { availableParallelism } from 'node:os';
import { DEFAULT_LIMITS, type RunLimits } from '../budget.ts';
import { FairQueue } from './fair-queue.ts';
import { type Job, Sandbox } from './sandbox.ts';

/** Thrown if more programs are waiting than can run in reasonable time. */
export class SandboxBusyError extends Error {}

/** Workers that may run at once before the reserve is used. */
const MAX_BUSY = Math.max(2, Math.min(4, availableParallelism()));
/**
 * Extra workers for tenants with no running program, so that a short program does not wait for long
 * ones of other tenants.
 */
const RESERVE = 6;
const QUEUE_LIMITS = { max: 512, maxPerTenant: 128 };
const MEBIBYTE = 1024 * 1024;
/** Heap of a worker: values need more than their program is charged, plus the engine itself. */
const HEAP_FACTOR = 4;
const HEAP_BASE_MB = 128;

function heapFor(limits: RunLimits): number {
  return Math.ceil((limits.bytes / MEBIBYTE) * HEAP_FACTOR) + HEAP_BASE_MB;
}

export class SandboxPool {
  readonly #idle: Sandbox[] = [];
  readonly #busy = new Set<Sandbox>();
  readonly #queue = new FairQueue<Job>(QUEUE_LIMITS);

  run(job: Job): void {
    if (!this.#queue.add(job)) {
      job.failed(new SandboxBusyError('too many programs are running; try again later'));
      return;
    }
    this.#next();
  }

  /** Terminates the idle workers. Running ones end with their task. */
  close(): void {
    for (const sandbox of this.#idle.splice(0)) sandbox.close();
  }

  #next(): void {
    while (this.#queue.length > 0 && this.#busy.size < MAX_BUSY + RESERVE) {
      const job = this.#queue.take((tenant) => this.#busy.size < MAX_BUSY || !this.#runs(tenant));
      if (job === undefined) break;
      if (job.signal?.aborted === true) {
        job.failed(job.signal.reason);
        continue;
      }
      const sandbox = this.#take(heapFor(job.limits));
      this.#busy.add(sandbox);
      sandbox.start(job).catch(job.failed);
    }
    this.#warm();
  }

  #runs(tenant: string): boolean {
    for (const { job } of this.#busy) if (job?.tenant === tenant) return true;
    return false;
  }

  /** Starts a spare worker if all are busy, so that the next job does not wait for a start. */
  #warm(): void {
    if (this.#busy.size < MAX_BUSY || this.#busy.size >= MAX_BUSY + RESERVE || this.#idle.length > 0) return;
    const sandbox = this.#make(heapFor(DEFAULT_LIMITS));
    this.#idle.push(sandbox);
    sandbox.rest();
  }

  #take(heapMb: number): Sandbox {
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
