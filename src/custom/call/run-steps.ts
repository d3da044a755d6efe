/**
 * Runs the steps of a definition once, in order, in one session. Independent of caches, versions
 * and HTTP.
 */
import type { RowSink } from '../../model/cells.ts';
import type { PlainValue } from '../../util/text/decimal.ts';
import { explainStep, withSideEffects } from '../failures.ts';
import type { Compiled } from '../program/compile.ts';
import type { CompiledResponse, ResponseReply } from '../program/response.ts';
import type { ResultUse, Step, StepFrame } from '../steps/step.ts';
import { type Failed, failedBy } from './attempt.ts';

/** Duration of each step so far, in ms. */
export type Timings = number[];

/** Receives the rows of the last step without collecting them. */
export interface RowTarget {
  open(): RowSink;
  /** Drops the rows of a failed run. `false` if the client has received some of them. */
  reset(): boolean;
}

export interface StepsDone {
  readonly kind: 'done';
  /** `undefined` if the rows went to the target. */
  readonly value: PlainValue | undefined;
  /** Evaluated `response` section. */
  readonly reply: ResponseReply | undefined;
}

export interface StepsFailed extends Failed {
  /** How many times the steps may be run again from the start. */
  readonly maxRetries: number;
}

/** Commits the session on success, rolls it back otherwise, and releases it in either case. */
export async function runSteps(
  compiled: Compiled,
  frame: StepFrame,
  timings: Timings,
  target: RowTarget,
): Promise<StepsDone | StepsFailed> {
  const { session } = frame;
  try {
    await runAll(compiled, frame, timings, target);
    const { response } = compiled;
    if (response !== undefined) return await evaluateAndSettle(response, compiled, frame);
    const commit = session.commit();
    if (commit !== undefined) await commit;
    return { kind: 'done', value: frame.results[compiled.answer], reply: undefined };
  } catch (error) {
    await session.rollback();
    const index = Math.min(timings.length, compiled.steps.length - 1);
    const label = compiled.steps[index]?.label ?? '';
    const origin = compiled.fromCaller.has(index) ? 'caller' : 'version';
    const explained = withSideEffects(explainStep(error, label, compiled.timeoutMs, origin), label, session.sideEffects);
    return { ...failedBy(explained, session.isFinal), maxRetries: session.maxRestarts };
  } finally {
    session.release();
  }
}

/** Responses with this status or a higher one roll the session back. */
export const MIN_ROLLBACK_STATUS = 400;

async function evaluateAndSettle(response: CompiledResponse, { answer }: Compiled, frame: StepFrame): Promise<StepsDone> {
  const { session, results } = frame;
  const reply = await response.evaluate(frame);
  const value = response.hasBody ? reply.value : results[answer];
  if (reply.status < MIN_ROLLBACK_STATUS) {
    await session.commit();
    return { kind: 'done', value, reply };
  }
  await session.rollback();
  const { sideEffects } = session;
  const outcome = sideEffects === undefined ? [] : ['X-Outcome', sideEffects.kind === 'none' ? 'none' : 'unknown'];
  return { kind: 'done', value, reply: { ...reply, headers: [...reply.headers, ...outcome] } };
}

async function runAll(compiled: Compiled, frame: StepFrame, timings: Timings, target: RowTarget): Promise<void> {
  const { steps } = compiled;
  let start = performance.now();
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as Step;
    const result = step.run(frame, resultUse(compiled, i, target));
    frame.results[i] = result instanceof Promise ? await result : result;
    const end = performance.now();
    timings.push(end - start);
    start = end;
  }
}

/**
 * Rows of the last step stream to the target. Results that no step and no response reads are
 * dropped.
 */
function resultUse({ steps, answer, read, response }: Compiled, index: number, target: RowTarget): ResultUse {
  if (read.has(index)) return 'kept';
  if (index !== answer) return 'dropped';
  if (response !== undefined) return response.hasBody || response.answersFile ? 'dropped' : 'kept';
  return index === steps.length - 1 && steps[index]?.sql !== undefined ? target.open() : 'kept';
}
