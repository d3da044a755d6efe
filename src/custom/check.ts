/**
 * Helps to develop a definition: checks it as at deploy and, on demand, runs it in a transaction that is rolled back, with each step's result,
 * duration, printed lines and bound SQL. A step that fails is part of the answer.
 */
import type { StopSignal } from '../engines/engine.ts';
import { ApiError, apiError, staysOf } from '../errors.ts';
import type { PlainMap, PlainValue } from '../util/decimal.ts';
import { JsonDepthError, JsonError, parseJson } from '../util/json.ts';
import type { MemoryLease } from '../util/memory-lease.ts';
import type { Compiled } from './compile.ts';
import { contextOf } from './context.ts';
import { type Author, checkDefinition, type Management } from './definitions.ts';
import { entryOf } from './execution.ts';
import { explainStep } from './failures.ts';
import { CallSession } from './session.ts';
import type { Step, StepFrame, Trace } from './steps/step.ts';

const MOST_DEPTH = 64;

export async function checkOnly(management: Management, author: Author, source: string): Promise<PlainMap> {
  const { compiled } = await checkDefinition(management, author, source);
  return describe(compiled, compiled.steps.map(describeStep), []);
}

function describe({ document }: Compiled, steps: readonly PlainMap[], more: readonly (readonly [string, PlainValue])[]): PlainMap {
  return new Map<string, PlainValue>([
    ['valid', true],
    ['uri', document.uri],
    ['method', document.method],
    ['version', document.version],
    ['steps', steps],
    ...more,
  ]);
}

function describeStep({ source }: Step): PlainMap {
  return new Map<string, PlainValue>([
    ['step', `step_${source.index}`],
    ['kind', source.kind],
    ...(source.name === undefined ? [] : ([['name', source.name]] as const)),
    ['omit', source.omit],
  ]);
}

export interface Trial {
  /** A JSON object, as text. */
  readonly input: string | undefined;
  readonly signal: StopSignal;
  readonly lease: MemoryLease;
}

export async function execute(management: Management, author: Author, source: string, trial: Trial): Promise<PlainMap> {
  const { connections } = management;
  const { compiled } = await checkDefinition(management, author, source);
  const input = parseInput(trial.input);
  refuseLasting(compiled);
  const { timeoutMs, limits } = compiled;
  const session = new CallSession(connections, {
    entry: () => entryOf(compiled, author.context),
    timeoutMs,
    signal: trial.signal,
    transaction: 'all',
  });
  const notes = new Notes();
  const frame: StepFrame = {
    input,
    context: contextOf(author.caller),
    results: new Array(compiled.steps.length),
    limits,
    modules: await management.finder.modules(author.caller),
    session,
    signal: trial.signal,
    lease: trial.lease,
    trace: notes,
  };
  const began = performance.now();
  try {
    const steps = await runTraced(compiled, frame, notes);
    const result = steps.length === compiled.steps.length ? (frame.results[compiled.answer] ?? null) : null;
    const duration = milliseconds(began);
    await session.rollback();
    const { stays } = session;
    return describe(compiled, steps, [
      ['result', result],
      ['duration_ms', duration],
      // // A procedure may commit by itself, and not every table can roll back.
      ...(stays === undefined || stays.kind === 'nothing' ? [] : ([['stays', staysOf(stays.steps, stays.kind)]] as const)),
    ]);
  } finally {
    await session.rollback();
    session.release();
  }
}

function parseInput(text: string | undefined): PlainMap {
  if (text === undefined) return new Map();
  try {
    const value = parseJson(Buffer.from(text), { maxDepth: MOST_DEPTH });
    if (value instanceof Map) return value;
  } catch (error) {
    if (!(error instanceof JsonError || error instanceof JsonDepthError)) throw error;
  }
  throw apiError('bad_parameter', 'input', 'it must be a JSON object');
}

/** What cannot be rolled back is not tried. */
function refuseLasting({ steps, document }: Compiled): void {
  const { capabilities, label } = document.database.engine;
  for (const { sql, label: step } of steps) {
    if (sql === undefined) continue;
    if (!capabilities.transactions && !sql.reads) throw apiError('not_on_engine', `Trying step ${step}, which writes,`, label);
    if (!capabilities.transactionalDdl && sql.ofSchema)
      throw apiError('not_on_engine', `Trying step ${step}, which ends the transaction,`, label);
  }
}

async function runTraced(compiled: Compiled, frame: StepFrame, notes: Notes): Promise<readonly PlainMap[]> {
  const steps: PlainMap[] = [];
  for (const step of compiled.steps) {
    const began = performance.now();
    const shown = describeStep(step);
    steps.push(shown);
    try {
      const result = (await step.run(frame, 'kept')) ?? null;
      frame.results[step.source.index] = result;
      notes.take(shown);
      shown.set('result', result);
    } catch (error) {
      const explained = explainStep(error, step.label, compiled.timeoutMs);
      if (!(explained instanceof ApiError)) throw explained;
      notes.take(shown);
      shown.set('error', plainOf(explained.body()));
    }
    shown.set('duration_ms', milliseconds(began));
    if (shown.has('error')) break;
  }
  return steps;
}

/** A document of our own as a plain value. */
export function plainOf(value: unknown): PlainValue {
  if (Array.isArray(value)) return value.map(plainOf);
  if (typeof value !== 'object' || value === null) return value as PlainValue;
  return new Map(Object.entries(value).map(([name, field]) => [name, plainOf(field)]));
}

function milliseconds(began: number): number {
  return Math.round((performance.now() - began) * 1000) / 1000;
}

/** What the running step told of itself. */
class Notes implements Trace {
  #statement: { readonly text: string; readonly values: readonly PlainValue[] } | undefined;
  #lines: string[] = [];

  statement(text: string, values: readonly PlainValue[]): void {
    this.#statement = { text, values };
  }

  print(line: string): void {
    this.#lines.push(line);
  }

  take(into: PlainMap): void {
    if (this.#statement !== undefined) {
      into.set('sql', this.#statement.text);
      into.set('parameters', this.#statement.values);
    }
    if (this.#lines.length > 0) into.set('printed', this.#lines);
    this.#statement = undefined;
    this.#lines = [];
  }
}
