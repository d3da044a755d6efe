/**
 * Runs the steps of one attempt and either streams the result to the client or buffers it as bytes.
 * Runs them again if a connection was lost before anything began. Independent of versions and
 * caches.
 */
import type { StopSignal } from '../../engines/contract/engine.ts';
import type { Connections } from '../../engines/pool/connections.ts';
import type { RowSink } from '../../model/cells.ts';
import type { PlainValue } from '../../util/text/decimal.ts';
import { explainStep, withSideEffects } from '../failures.ts';
import type { Compiled } from '../program/compile.ts';
import { resolveEntry } from '../program/database-entry.ts';
import { BODILESS, type ResponseReply } from '../program/response.ts';
import { contextOf } from '../steps/context.ts';
import { CallSession } from '../steps/session.ts';
import type { StepFrame } from '../steps/step.ts';
import { ANSWERED, type Answered, type Attempt, type Failed, failedBy } from './attempt.ts';
import type { BufferedRows, CallOutput, RowOutput } from './call-output.ts';
import { type RowTarget, runSteps, type StepsDone, type Timings } from './run-steps.ts';

export interface BufferedResponse {
  readonly kind: 'buffered';
  readonly body: Buffer;
  /** `undefined` unless the definition has a `response` section. */
  readonly head: BufferedHead | undefined;
}

export interface BufferedHead {
  readonly status: number;
  readonly headers: readonly string[];
  /** Media type of a file. */
  readonly type?: string;
}

const EMPTY = Buffer.alloc(0);

export class StepRunner {
  readonly connections: Connections;

  constructor(connections: Connections) {
    this.connections = connections;
  }

  /** Streams rows to the client while the steps run. */
  async stream(attempt: Attempt, output: CallOutput): Promise<Answered | Failed> {
    const { compiled } = attempt.version;
    const timings: Timings = [];
    const target = new StreamedRows(attempt, timings, output);
    const outcome = await this.#run(attempt, attempt.call.signal, timings, target);
    if (outcome.kind === 'failed') {
      target.reset();
      return outcome;
    }
    try {
      const { value, reply } = outcome;
      if (value === undefined && target.isOpen) {
        target.end();
        return ANSWERED;
      }
      target.reset();
      const headers = [...attempt.headers, 'Server-Timing', timingText(compiled, timings)];
      if (reply === undefined) output.value(value ?? null, headers);
      else sendReply(reply, value ?? null, headers, output);
      return ANSWERED;
    } catch (error) {
      target.reset();
      return undeliverable(compiled, error);
    }
  }

  async buffer(attempt: Attempt, signal: StopSignal, timings: Timings, output: CallOutput): Promise<BufferedResponse | Failed> {
    const { compiled } = attempt.version;
    const { bytes } = compiled.limits;
    const target = new CollectedRows(output, bytes);
    const outcome = await this.#run(attempt, signal, timings, target);
    if (outcome.kind === 'failed') return outcome;
    const { value, reply } = outcome;
    try {
      if (reply !== undefined) return bufferReply(reply, value ?? null, bytes, output);
      const body = value === undefined && target.rows !== undefined ? target.rows.take() : output.bufferValue(value ?? null, bytes);
      return { kind: 'buffered', head: undefined, body };
    } catch (error) {
      return undeliverable(compiled, error);
    }
  }

  /** Repeats the run while the session allows it and the client has received nothing. */
  async #run(attempt: Attempt, signal: StopSignal, timings: Timings, target: RowTarget): Promise<StepsDone | Failed> {
    for (let tries = 0; ; tries++) {
      const outcome = await runSteps(attempt.version.compiled, this.#frame(attempt, signal), timings, target);
      if (outcome.kind === 'done' || tries >= outcome.maxRetries || signal.aborted || !target.reset()) return outcome;
      timings.length = 0;
    }
  }

  #frame({ call, version, input, modules }: Attempt, signal: StopSignal): StepFrame {
    const { compiled } = version;
    const { transaction, timeoutMs } = compiled;
    const entry = () => resolveEntry(compiled, call.context);
    return {
      input,
      context: contextOf(call.caller),
      results: new Array(compiled.steps.length),
      limits: compiled.limits,
      modules,
      session: new CallSession(this.connections, { entry, timeoutMs, signal, transaction, meter: call.meter }),
      signal,
      lease: call.lease,
    };
  }
}

/** Streams rows to the client. The timings in its headers grow until the first byte is sent. */
class StreamedRows implements RowTarget {
  readonly #attempt: Attempt;
  readonly #timings: Timings;
  readonly #output: CallOutput;
  #rows: RowOutput | undefined;

  constructor(attempt: Attempt, timings: Timings, output: CallOutput) {
    this.#attempt = attempt;
    this.#timings = timings;
    this.#output = output;
  }

  get isOpen(): boolean {
    return this.#rows !== undefined;
  }

  open(): RowSink {
    const { headers, version } = this.#attempt;
    const rows = this.#output.rows(version.compiled.rows);
    rows.headers.push(...headers, 'Server-Timing', timingText(version.compiled, this.#timings));
    this.#rows = rows;
    return rows;
  }

  reset(): boolean {
    this.#rows?.discard();
    this.#rows = undefined;
    return !this.#output.hasBegun;
  }

  end(): void {
    const rows = this.#rows;
    if (rows === undefined) return;
    rows.headers[rows.headers.length - 1] = timingText(this.#attempt.version.compiled, this.#timings);
    rows.end();
  }
}

class CollectedRows implements RowTarget {
  readonly #output: CallOutput;
  readonly #maxBytes: number;
  rows: BufferedRows | undefined;

  constructor(output: CallOutput, maxBytes: number) {
    this.#output = output;
    this.#maxBytes = maxBytes;
  }

  open(): RowSink {
    this.rows = this.#output.bufferRows(this.#maxBytes);
    return this.rows;
  }

  reset(): boolean {
    this.rows = undefined;
    return true;
  }
}

function sendReply(reply: ResponseReply, value: PlainValue, headers: readonly string[], output: CallOutput): void {
  const { status, file } = reply;
  const all = [...headers, ...reply.headers];
  if (BODILESS.has(status)) output.bytes(EMPTY, all, status);
  else if (file !== undefined) output.bytes(file.data, all, status, file.type);
  else output.value(value, all, status);
}

function bufferReply(reply: ResponseReply, value: PlainValue, maxBytes: number, output: CallOutput): BufferedResponse {
  const { status, headers, file } = reply;
  const head = file === undefined ? { status, headers } : { status, headers, type: file.type };
  const body = BODILESS.has(status) ? EMPTY : (file?.data ?? output.bufferValue(value, maxBytes));
  return { kind: 'buffered', head, body };
}

/**
 * The result cannot be written in the format or exceeds a limit. The writes of the steps are
 * committed already.
 */
function undeliverable({ steps, answer, timeoutMs }: Compiled, error: unknown): Failed {
  const { label = '' } = steps[answer] ?? {};
  const explained = explainStep(error, label, timeoutMs);
  const written = steps.filter(({ sql }) => sql?.reads === false).map((step) => step.label);
  if (written.length === 0) return failedBy(explained);
  return failedBy(withSideEffects(explained, label, { kind: 'committed', steps: written }), true);
}

/** Value of `Server-Timing`: one duration per finished step. */
export function timingText({ steps }: Compiled, timings: Timings): string {
  let text = '';
  for (let i = 0; i < timings.length; i++) {
    const name = steps[i]?.source.name ?? `step_${i}`;
    text += `${i === 0 ? '' : ', '}${name};dur=${Math.round((timings[i] as number) * 1000) / 1000}`;
  }
  return text === '' ? 'running' : text;
}
