/**
 * Runs the steps of a compiled definition, in order, within one session. Rows of the last step go straight to their sink; results that nobody reads
 * are not kept. Knows neither caches, nor versions, nor HTTP.
 */
import type { RowSink } from '../../model/cells.ts';
import type { PlainValue } from '../../util/text/decimal.ts';
import { explainStays, explainStep } from '../failures.ts';
import type { Compiled } from '../program/compile.ts';
import type { CompiledResponse, ResponseReply } from '../response/reply.ts';
import type { ResultUse, Step, StepFrame } from '../steps/step.ts';
import { type Failed, failedBy } from './attempt.ts';

/** How long each step took, in milliseconds. */
export type Timings = number[];

export interface StepsDone {
  readonly kind: 'done';
  /** Undefined when the rows went to the sink. */
  readonly value: PlainValue | undefined;
  /** What the definition's `response` says. */
  readonly reply: ResponseReply | undefined;
}

export interface StepsFailed extends Failed {
  /** How often the steps may run from the start again. */
  readonly repeats: number;
}

/** Commits the session on success, rolls it back otherwise, and releases it in either case. */
export async function runSteps(
  compiled: Compiled,
  frame: StepFrame,
  timings: Timings,
  sink: (() => RowSink) | undefined,
): Promise<StepsDone | StepsFailed> {
  const { session } = frame;
  try {
    await runAll(compiled, frame, timings, sink);
    const { response } = compiled;
    if (response !== undefined) return await finish(response, compiled, frame);
    const commit = session.commit();
    if (commit !== undefined) await commit;
    return { kind: 'done', value: frame.results[compiled.answer], reply: undefined };
  } catch (error) {
    await session.rollback();
    const label = compiled.steps[Math.min(timings.length, compiled.steps.length - 1)]?.label ?? '';
    const told = explainStays(explainStep(error, label, compiled.timeoutMs), label, session.stays);
    return { ...failedBy(told, session.final ? 'lasting' : undefined), repeats: session.repeats };
  } finally {
    session.release();
  }
}

/** From this status on, nothing is committed. */
export const FIRST_REFUSAL = 400;

async function finish(response: CompiledResponse, { answer }: Compiled, frame: StepFrame): Promise<StepsDone> {
  const { session, results } = frame;
  const reply = await response.evaluate(frame);
  const value = response.hasBody ? reply.value : results[answer];
  if (reply.status < FIRST_REFUSAL) {
    await session.commit();
    return { kind: 'done', value, reply };
  }
  await session.rollback();
  const { stays } = session;
  const outcome = stays === undefined ? [] : ['X-Outcome', stays.kind === 'nothing' ? 'none' : 'unknown'];
  return { kind: 'done', value, reply: { ...reply, headers: [...reply.headers, ...outcome] } };
}

async function runAll(compiled: Compiled, frame: StepFrame, timings: Timings, sink: (() => RowSink) | undefined): Promise<void> {
  const { steps } = compiled;
  let before = performance.now();
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as Step;
    const ran = step.run(frame, wantedOf(compiled, i, sink));
    frame.results[i] = ran instanceof Promise ? await ran : ran;
    const now = performance.now();
    timings.push(now - before);
    before = now;
  }
}

function wantedOf({ steps, answer, read, response }: Compiled, index: number, sink: (() => RowSink) | undefined): ResultUse {
  if (response !== undefined)
    return read.has(index) || (index === answer && !response.hasBody && !response.answersFile) ? 'kept' : 'dropped';
  if (index === answer && index === steps.length - 1 && sink !== undefined && steps[index]?.sql !== undefined) return sink();
  return index === answer || read.has(index) ? 'kept' : 'dropped';
}
