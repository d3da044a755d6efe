/**
 * Runs programs without blocking the event loop: first inline for at most INLINE_MILLIS, then from
 * the start in a worker thread with the full budget. Programs are pure, so an abandoned run has no
 * effect.
 */
import type { PlainValue } from '../../util/text/decimal.ts';
import { BudgetError, type RunLimits } from '../budget.ts';
import type { Ran } from '../task-kind.ts';
import { KINDS, type KindName, type Tasks } from '../tasks.ts';
import { SandboxPool } from './pool.ts';

export { SandboxBusyError } from './pool.ts';

/** Allowance of a program on the thread that serves requests. */
const INLINE_MILLIS = 2;
const INLINE_BYTES = 2 * 1024 * 1024;
/**
 * Runs that go straight to a worker after a program exceeded its inline allowance. The number
 * starts at 1, because the first time may be a hiccup of the machine, and doubles up to this limit.
 */
const MAX_WORKER_RUNS = 16;

interface WorkerRuns {
  readonly total: number;
  left: number;
}

const pool = new SandboxPool();
/** Keyed by the identity of their program. */
const slowPrograms = new WeakMap<object, WorkerRuns>();

export interface StepOptions {
  /** Tenant of the program. Tenants share the workers fairly. */
  readonly tenant?: string;
  /** Resolves at the tenant's next time slice. Large values are sent one piece per slice. */
  readonly nextSlice?: () => Promise<void>;
  /** `worker` if the values are too large to be inspected on this thread. */
  readonly place?: 'inline' | 'worker';
  readonly signal?: AbortSignal;
  /** Receives the printed lines after the program ended. */
  readonly print?: ((line: string) => void) | undefined;
}

/** Returns the result directly if the program ended inline, otherwise a promise. */
export function runStep<K extends KindName>(
  kind: K,
  task: Tasks[K],
  limits: RunLimits,
  options: StepOptions = {},
): PlainValue | Promise<PlainValue> {
  const identity = KINDS[kind].identity(task);
  const workerRuns = slowPrograms.get(identity);
  if (options.place === 'worker') return inWorker(kind, task, limits, options);
  if (workerRuns !== undefined && workerRuns.left > 0) {
    workerRuns.left--;
    return inWorker(kind, task, limits, options);
  }
  try {
    const ran = KINDS[kind].run(task, inlineLimits(limits));
    if (workerRuns !== undefined) slowPrograms.delete(identity);
    return delivered(ran, options);
  } catch (error) {
    if (!isAbandoned(error, limits)) throw error;
    const total = workerRuns === undefined ? 1 : Math.min(MAX_WORKER_RUNS, workerRuns.total * 2);
    slowPrograms.set(identity, { total, left: total });
    return inWorker(kind, task, limits, options);
  }
}

function inlineLimits(limits: RunLimits): RunLimits {
  return { ...limits, millis: Math.min(limits.millis, INLINE_MILLIS), bytes: Math.min(limits.bytes, INLINE_BYTES) };
}

/** `true` if the program exceeded only the inline allowance, not its own budget. */
function isAbandoned(error: unknown, limits: RunLimits): boolean {
  if (!(error instanceof BudgetError)) return false;
  return (error.kind === 'time' && limits.millis > INLINE_MILLIS) || (error.kind === 'memory' && limits.bytes > INLINE_BYTES);
}

function delivered(ran: Ran, options: StepOptions): PlainValue {
  if (options.print !== undefined) ran.prints.forEach(options.print);
  return ran.value;
}

function inWorker<K extends KindName>(kind: K, task: Tasks[K], limits: RunLimits, options: StepOptions): Promise<PlainValue> {
  const { program, values } = KINDS[kind].pack(task);
  return new Promise((resolve, failed) => {
    const done = (ran: Ran): void => resolve(delivered(ran, options));
    const { tenant = '', nextSlice = yieldToLoop, signal } = options;
    pool.run({ tenant, kind, program, values, limits, signal, nextSlice, done, failed });
  });
}

const yieldToLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Terminates the idle workers. */
export function closeSandbox(): void {
  pool.close();
}
