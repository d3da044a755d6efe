/**
 * Runs programs so that none keeps the others waiting: first here, for a few milliseconds, which is enough for nearly all of them. What needs
 * longer is started again in a worker thread with its full budget. Programs are pure, so an abandoned start leaves nothing behind.
 */
import type { PlainValue } from '../../util/text/decimal.ts';
import { BudgetError, type RunLimits } from '../budget.ts';
import type { Ran } from '../task-kind.ts';
import { KINDS, type KindName, type Tasks } from '../tasks.ts';
import { SandboxPool } from './pool.ts';

export { SandboxBusyError } from './pool.ts';

/** What a program may use on the thread that answers requests. */
const INLINE_MILLIS = 2;
const INLINE_BYTES = 2 * 1024 * 1024;
/**
 * A program that was too long for this thread goes straight to a worker this many times before it is tried here again: once after the first
 * time, which may have been an accident of the machine, and twice as often after every further one, up to this limit.
 */
const MOST_REMEMBERED = 16;

interface Remembered {
  readonly calls: number;
  left: number;
}

const pool = new SandboxPool();
const tooLong = new WeakMap<object, Remembered>();

export interface StepOptions {
  /** For whom the program runs: owners share the workers fairly. */
  readonly owner?: string;
  /** Resolves when the owner may use this thread again. Large values are handed over one piece per slice. */
  readonly turn?: () => Promise<void>;
  /** `worker`: its values are so large that even inspecting them here would take long. */
  readonly place?: 'here' | 'worker';
  readonly signal?: AbortSignal;
  /** Receives what the program printed when it has ended. */
  readonly print?: ((line: string) => void) | undefined;
}

/** The result at once if the program was short, else a promise. */
export function runStep<K extends KindName>(
  kind: K,
  task: Tasks[K],
  limits: RunLimits,
  options: StepOptions = {},
): PlainValue | Promise<PlainValue> {
  const identity = KINDS[kind].identity(task);
  const remembered = tooLong.get(identity);
  if (options.place === 'worker') return inWorker(kind, task, limits, options);
  if (remembered !== undefined && remembered.left > 0) {
    remembered.left--;
    return inWorker(kind, task, limits, options);
  }
  try {
    const ran = KINDS[kind].run(task, inlineLimits(limits));
    if (remembered !== undefined) tooLong.delete(identity);
    return delivered(ran, options);
  } catch (error) {
    if (!isAbandoned(error, limits)) throw error;
    const calls = remembered === undefined ? 1 : Math.min(MOST_REMEMBERED, remembered.calls * 2);
    tooLong.set(identity, { calls, left: calls });
    return inWorker(kind, task, limits, options);
  }
}

function inlineLimits(limits: RunLimits): RunLimits {
  return { ...limits, millis: Math.min(limits.millis, INLINE_MILLIS), bytes: Math.min(limits.bytes, INLINE_BYTES) };
}

/** Was only the allowance of this thread used up, not the budget of the program? */
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
    const { owner = '', turn = nextTurn, signal } = options;
    pool.run({ owner, kind, program, values, limits, signal, turn, done, failed });
  });
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Ends the idle workers, as when the service stops. */
export function closeSandbox(): void {
  pool.close();
}
