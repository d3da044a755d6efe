/**
 * Helps to develop a definition: tells everything that deploy would refuse and, on demand, runs it in a transaction that is rolled back, with each
 * step's result, duration, printed lines and bound SQL. A step that fails is part of the answer.
 */
import type { StopSignal } from '../../engines/contract/engine.ts';
import { ApiError, apiError, describeResidue } from '../../errors.ts';
import type { MemoryLease } from '../../util/bytes/memory-lease.ts';
import { type PlainMap, type PlainValue, plainOf } from '../../util/text/decimal.ts';
import { FIRST_REFUSAL } from '../call/run-steps.ts';
import { BODILESS, entryOf } from '../call/step-runner.ts';
import { explainStep } from '../failures.ts';
import type { Compiled } from '../program/compile.ts';
import { contextOf } from '../steps/context.ts';
import { CallSession } from '../steps/session.ts';
import type { Step, StepFrame, Trace } from '../steps/step.ts';
import type { Author, Management } from './definitions.ts';
import { type DryRunInput, readDryInput } from './dry-run-input.ts';
import { conflicts, type Finding, type InspectOptions, inOrder, inspectDefinition } from './inspection.ts';
import { readSide, type SideStatements, sideStatements } from './side-statements.ts';

/** Without a trial nothing is run. */
export interface Trial extends DryRunInput {
  readonly signal: StopSignal;
  readonly lease: MemoryLease;
  /** Whose call it is; undefined: the author's. */
  readonly roles: readonly string[] | undefined;
  /** SQL around the call, in the same transaction. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Where nothing can be taken back: is it run all the same, refused, or run if it only reads? */
  readonly lasting: 'kept' | 'refused' | 'read';
}

export async function check(
  management: Management,
  author: Author,
  source: string,
  options: InspectOptions,
  trial: Trial | undefined,
): Promise<PlainMap> {
  const { document, compiled, findings, warnings } = await inspectDefinition(management, author, source, options);
  const all = [...findings, ...(document === undefined ? [] : await conflicts(management, author, document))];
  const told = new Map<string, PlainValue>([
    ['valid', all.length === 0],
    ['problems', inOrder(all).map(describeFinding)],
    ['warnings', warnings],
  ]);
  if (document !== undefined) for (const name of ['uri', 'method', 'version'] as const) told.set(name, document[name]);
  if (compiled === undefined) return told;
  const isRun = trial !== undefined && findings.length === 0;
  const more = isRun ? await execute(management, author, compiled, trial) : [['steps', compiled.steps.map(describeStep)] as const];
  for (const [name, value] of more) told.set(name, value);
  return told;
}

function describeFinding({ message, line, column, step }: Finding): PlainMap {
  const told = new Map<string, PlainValue>([
    ['message', message],
    ['line', line],
    ['column', column],
  ]);
  if (step !== undefined) told.set('step', `step_${step}`);
  return told;
}

function describeStep({ source }: Step): PlainMap {
  return new Map<string, PlainValue>([
    ['step', `step_${source.index}`],
    ['kind', source.kind],
    ...(source.name === undefined ? [] : ([['name', source.name]] as const)),
    ['omit', source.omit],
  ]);
}

type Told = readonly (readonly [string, PlainValue])[];

async function execute(management: Management, author: Author, compiled: Compiled, trial: Trial): Promise<Told> {
  const { connections } = management;
  if (trial.lasting !== 'kept') refuseLasting(compiled, trial);
  const { timeoutMs, limits } = compiled;
  const entry = () => entryOf(compiled, author.context);
  const session = new CallSession(connections, { entry, timeoutMs, signal: trial.signal, transaction: 'all' });
  const notes = new Notes();
  const caller = trial.roles === undefined ? author.caller : { ...author.caller, roles: new Set(trial.roles) };
  const steps: PlainMap[] = [];
  const side = sideStatements(compiled, session);
  const refuse = (error: unknown): never => {
    throw explainStep(error, 'of the trial', timeoutMs);
  };
  const began = performance.now();
  try {
    await side.run(trial.before, 'before');
    const isMarked = trial.after.length > 0 && (await session.mark().catch(refuse));
    const { status, answered } = await answerOf(compiled, steps, notes, async () => ({
      input: await readDryInput(trial, compiled.rules, { mostBytes: limits.bytes, lease: trial.lease, signal: trial.signal }),
      context: contextOf(caller),
      results: new Array(compiled.steps.length),
      limits,
      modules: await management.resolver.modules(author.caller),
      session,
      signal: trial.signal,
      lease: trial.lease,
      trace: notes,
      caller,
    }));
    // As a caller would find it: what a call that fails has written is taken back.
    if (isMarked && status >= FIRST_REFUSAL) await session.returnToMark().catch(refuse);
    const after = await afterwards(side, trial.after);
    const duration = milliseconds(began);
    await session.rollback();
    const { stays } = session;
    return [
      ['steps', steps],
      ...answered,
      ...after,
      ['duration_ms', duration],
      // A procedure may commit by itself, and not every table can roll back.
      ...(stays === undefined || stays.kind === 'nothing' ? [] : ([['stays', describeResidue(stays.steps, stays.kind)]] as const)),
    ];
  } finally {
    await session.rollback();
    session.release();
  }
}

async function afterwards(side: SideStatements, statements: readonly string[]): Promise<Told> {
  return statements.length === 0 ? [] : [['after', await side.run(statements, 'after')]];
}

interface TrialAnswer {
  readonly status: number;
  readonly answered: Told;
}

/** What a caller would have heard. */
async function answerOf(
  compiled: Compiled,
  steps: PlainMap[],
  notes: Notes,
  frameOf: () => Promise<StepFrame & { readonly caller: Author['caller'] }>,
): Promise<TrialAnswer> {
  const served = ['X-Served-Version', compiled.document.version];
  try {
    const frame = await frameOf();
    const { permission, response } = compiled;
    if (!permission.some((role) => frame.caller.roles.has(role))) throw apiError('role_needed', permission.join(', '));
    await runTraced(compiled, frame, steps, notes);
    const result = frame.results[compiled.answer] ?? null;
    if (response === undefined) return told(200, served, result);
    const reply = await response.evaluate(frame);
    const { status, headers, file } = reply;
    if (BODILESS.has(status)) return told(status, [...served, ...headers], null);
    if (file !== undefined) return told(status, [...served, ...headers, 'Content-Type', file.type], file.data.toString('base64'));
    return told(status, [...served, ...headers], response.hasBody ? (reply.value ?? null) : result);
  } catch (error) {
    const explained = explainStep(error, 'of the trial', compiled.timeoutMs);
    if (!(explained instanceof ApiError)) throw explained;
    const { status, answered } = told(explained.status, [], null);
    return { status, answered: [...answered, ['error', errorOf(explained)]] };
  }
}

function told(status: number, headers: readonly string[], result: PlainValue): TrialAnswer {
  const named = new Map<string, PlainValue>();
  for (let i = 0; i < headers.length; i += 2) named.set(headers[i] as string, headers[i + 1] as string);
  const answered: Told = [
    ['result', result],
    ['status', status],
    ['headers', named],
  ];
  return { status, answered };
}

/** The error as callers hear it, and where it came from. */
function errorOf(error: ApiError): PlainMap {
  const shown = plainOf(error.body()) as PlainMap;
  const place = error.loggable()['place'];
  if (place !== undefined) shown.set('place', place);
  return shown;
}

/** What cannot be rolled back is not tried. */
function refuseLasting({ steps, document }: Compiled, { before, after, lasting }: Trial): void {
  const { capabilities, label, syntax } = document.database.engine;
  const { transactions, transactionalDdl } = capabilities;
  if (!transactions && lasting === 'refused')
    throw apiError('not_on_engine', 'A test that takes back what it does (without keep: true)', label);
  if (!transactions && before.length > 0) throw apiError('not_on_engine', 'Running SQL before a trial', label);
  for (const { sql, label: step } of steps) {
    if (sql === undefined) continue;
    if (!transactions && !sql.reads) throw apiError('not_on_engine', `Trying step ${step}, which writes,`, label);
    if (!transactionalDdl && sql.changesSchema) throw apiError('not_on_engine', `Trying step ${step}, which ends the transaction,`, label);
  }
  for (const text of [...before, ...after])
    if (!transactionalDdl && readSide(text, syntax).facts.changesSchema)
      throw apiError('not_on_engine', 'SQL around a trial that ends the transaction', label);
}

async function runTraced(compiled: Compiled, frame: StepFrame, steps: PlainMap[], notes: Notes): Promise<void> {
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
      shown.set('error', errorOf(explained));
      throw explained;
    } finally {
      shown.set('duration_ms', milliseconds(began));
    }
  }
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
