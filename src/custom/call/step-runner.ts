/**
 * Runs the steps of one attempt in a session, again from the start if nothing of them has begun, and sends their result to the client or into
 * bytes. Knows neither versions nor caches.
 */

import type { StopSignal } from '../../engines/contract/engine.ts';
import type { Connections } from '../../engines/pool/connections.ts';
import { ApiError, apiError } from '../../errors.ts';
import type { Entry } from '../../model/entry.ts';
import { findEntry, type ProjectContext } from '../../model/project.ts';
import type { PlainValue } from '../../util/text/decimal.ts';
import { explainStays, explainStep } from '../failures.ts';
import type { Compiled } from '../program/compile.ts';
import type { ResponseReply } from '../response/reply.ts';
import { contextOf } from '../steps/context.ts';
import { CallSession } from '../steps/session.ts';
import type { StepFrame } from '../steps/step.ts';
import { ANSWERED, type Answered, type Attempt, type Failed, failedBy } from './attempt.ts';
import type { BufferedRows, CallOutput, RowOutput } from './call-output.ts';
import { runSteps, type StepsDone, type Timings } from './run-steps.ts';

/** The bytes of an answer. */
export interface Made {
  readonly kind: 'made';
  readonly body: Buffer;
  /** Of a definition with a `response`. */
  readonly head: ReplyHead | undefined;
}

/** What stands before the bytes of an answer that is not as usual. */
export interface ReplyHead {
  readonly status: number;
  readonly headers: readonly string[];
  /** Of a file. */
  readonly type?: string;
}

const EMPTY = Buffer.alloc(0);
export const BODILESS: ReadonlySet<number> = new Set([204, 304]);

function headOf({ status, headers, file }: ResponseReply): ReplyHead {
  return file === undefined ? { status, headers } : { status, headers, type: file.type };
}

function bodyOf({ status, file }: ResponseReply, written: () => Buffer): Buffer {
  if (BODILESS.has(status)) return EMPTY;
  return file === undefined ? written() : file.data;
}

function send(reply: ResponseReply, value: PlainValue, headers: readonly string[], answer: CallOutput): void {
  const { status, file } = reply;
  const all = [...headers, ...reply.headers];
  if (BODILESS.has(status)) answer.bytes(EMPTY, all, status);
  else if (file !== undefined) answer.bytes(file.data, all, status, file.type);
  else answer.value(value, all, status);
}

export class StepRunner {
  readonly connections: Connections;

  constructor(connections: Connections) {
    this.connections = connections;
  }

  /** Sends rows straight from the steps to the client. */
  async answer(attempt: Attempt, answer: CallOutput): Promise<Answered | Failed> {
    const { compiled } = attempt.version;
    const timings: Timings = [];
    let rows: RowOutput | undefined;
    const sink = (): RowOutput => {
      rows = answer.rows(compiled.rows);
      rows.headers.push(...attempt.headers, 'Server-Timing', timingText(compiled, timings));
      return rows;
    };
    const discard = (): void => {
      rows?.discard();
      rows = undefined;
    };
    const ran = await this.#run(attempt, attempt.call.signal, timings, sink, () => {
      discard();
      return !answer.hasBegun;
    });
    if (ran.kind === 'failed') {
      discard();
      return ran;
    }
    const timing = timingText(compiled, timings);
    const { value } = ran;
    try {
      if (value === undefined && rows !== undefined) {
        rows.headers[rows.headers.length - 1] = timing;
        rows.end();
      } else {
        discard();
        const headers = [...attempt.headers, 'Server-Timing', timing];
        if (ran.reply === undefined) answer.value(value ?? null, headers);
        else send(ran.reply, value ?? null, headers, answer);
      }
      return ANSWERED;
    } catch (error) {
      discard();
      return undeliverable(compiled, error);
    }
  }

  /** As bytes. */
  async make(attempt: Attempt, signal: StopSignal, timings: Timings, answer: CallOutput): Promise<Made | Failed> {
    const { compiled } = attempt.version;
    const { bytes } = compiled.limits;
    let rows: BufferedRows | undefined;
    const sink = (): BufferedRows => {
      rows = answer.bufferRows(bytes);
      return rows;
    };
    const ran = await this.#run(attempt, signal, timings, sink, () => true);
    if (ran.kind === 'failed') return ran;
    const { value, reply } = ran;
    try {
      if (reply !== undefined)
        return { kind: 'made', head: headOf(reply), body: bodyOf(reply, () => answer.bufferValue(value ?? null, bytes)) };
      const body = value === undefined && rows !== undefined ? rows.take() : answer.bufferValue(value ?? null, bytes);
      return { kind: 'made', head: undefined, body };
    } catch (error) {
      return undeliverable(compiled, error);
    }
  }

  /** Runs from the start again when a connection had died or a prepared statement was stale, and nothing was left behind. */
  async #run(
    attempt: Attempt,
    signal: StopSignal,
    timings: Timings,
    sink: () => RowOutput | BufferedRows,
    again: () => boolean,
  ): Promise<StepsDone | Failed> {
    const { compiled } = attempt.version;
    for (let tries = 0; ; tries++) {
      const ran = await runSteps(compiled, this.#frame(attempt, signal, tries > 0), timings, sink);
      if (ran.kind === 'done' || tries >= ran.repeats || signal.aborted || !again()) return ran;
      timings.length = 0;
    }
  }

  #frame({ call, version, input, modules }: Attempt, signal: StopSignal, isAgain: boolean): StepFrame {
    const { compiled } = version;
    const { transaction, timeoutMs } = compiled;
    const entry = (): Entry => entryOf(compiled, call.context);
    return {
      input,
      context: contextOf(call.caller),
      results: new Array(compiled.steps.length),
      limits: compiled.limits,
      modules,
      session: new CallSession(this.connections, { entry, timeoutMs, signal, transaction, meter: call.meter, isAgain }),
      signal,
      lease: call.lease,
    };
  }
}

/** What the steps made cannot always be written; by then their own writes stand. */
function undeliverable(compiled: Compiled, error: unknown): Failed {
  const { label = '' } = compiled.steps[compiled.answer] ?? {};
  const explained = explainStep(error, label, compiled.timeoutMs);
  const written = compiled.steps.filter(({ sql }) => sql?.reads === false).map((step) => step.label);
  if (written.length === 0) return failedBy(explained);
  return failedBy(explainStays(explained, label, { kind: 'stays', steps: written }), 'lasting');
}

/** A registered database may have been removed since. */
export function entryOf({ entry, document }: Pick<Compiled, 'entry' | 'document'>, context: ProjectContext): Entry {
  if (entry !== undefined) return entry;
  const { name, engine } = document.database;
  const { type } = engine;
  try {
    return findEntry(context, type, name);
  } catch (error) {
    if (error instanceof ApiError && error.key === 'database_unknown')
      throw apiError('step_unreachable', '0', `the database ${type}/${name} is not registered in the project`);
    throw error;
  }
}

/** A figure for each step that has run. */
export function timingText({ steps }: Compiled, timings: Timings): string {
  let text = '';
  for (let i = 0; i < timings.length; i++) {
    const name = steps[i]?.source.name ?? `step_${i}`;
    text += `${i === 0 ? '' : ', '}${name};dur=${Math.round((timings[i] as number) * 1000) / 1000}`;
  }
  return text === '' ? 'running' : text;
}
