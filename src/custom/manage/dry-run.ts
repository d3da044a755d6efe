/**
 * Checks a definition for its author: reports everything that a deploy would reject and, on demand,
 * runs it in a transaction that is rolled back. Reports each step's result, duration, output and
 * SQL.
 */
import type { StopSignal } from '../../engines/contract/engine.ts';
import { ApiError, apiError, describeResidue } from '../../errors.ts';
import type { MemoryLease } from '../../util/bytes/memory-lease.ts';
import { type PlainMap, type PlainValue, plainOf } from '../../util/text/decimal.ts';
import { MIN_ROLLBACK_STATUS } from '../call/run-steps.ts';
import { explainStep } from '../failures.ts';
import type { Compiled } from '../program/compile.ts';
import { resolveEntry } from '../program/database-entry.ts';
import { BODILESS } from '../program/response.ts';
import { contextOf } from '../steps/context.ts';
import { CallSession } from '../steps/session.ts';
import type { Step, StepFrame, Trace } from '../steps/step.ts';
import { type DryRunInput, readDryRunInput } from './dry-run-input.ts';
import type { Author, Management } from './management.ts';
import { parseStatement, runStatements } from './surrounding-sql.ts';
import { type Conflicts, conflicts, type Finding, inOrder, type ValidateOptions, validateDefinition } from './validate.ts';

export interface Trial extends DryRunInput {
  readonly signal: StopSignal;
  readonly lease: MemoryLease;
  /** Roles of the simulated caller. `undefined` uses the author's. */
  readonly roles: readonly string[] | undefined;
  /** SQL that runs before the call, in the same transaction. */
  readonly before: readonly string[];
  /** SQL that runs after the call, in the same transaction. */
  readonly after: readonly string[];
  /**
   * Policy for engines that cannot roll back: run anyway, reject the trial, or allow reads only.
   */
  readonly withoutRollback: 'run' | 'reject' | 'allow_reads';
}

type Fields = readonly (readonly [string, PlainValue])[];

/** Without a trial, no step runs. */
export async function checkDefinition(
  management: Management,
  author: Author,
  source: string,
  options: ValidateOptions & { readonly existing: 'refuse' | 'update' },
  trial: Trial | undefined,
): Promise<PlainMap> {
  const { document, compiled, findings, warnings } = await validateDefinition(management, author, source, options);
  const stored: Conflicts =
    document === undefined ? { findings: [], warnings: [] } : await conflicts(management, author, document, options.existing);
  const all = [...findings, ...stored.findings];
  const report = new Map<string, PlainValue>([
    ['valid', all.length === 0],
    ['problems', inOrder(all).map(describeFinding)],
    ['warnings', [...warnings, ...stored.warnings]],
  ]);
  if (document !== undefined) for (const name of ['uri', 'method', 'version'] as const) report.set(name, document[name]);
  if (compiled === undefined) return report;
  if (trial === undefined || findings.length > 0) return report.set('steps', compiled.steps.map(describeStep));
  for (const [name, value] of await runTrial(management, author, compiled, trial)) report.set(name, value);
  return report;
}

function describeFinding({ message, line, column, step }: Finding): PlainMap {
  const fields = new Map<string, PlainValue>([
    ['message', message],
    ['line', line],
    ['column', column],
  ]);
  if (step !== undefined) fields.set('step', `step_${step}`);
  return fields;
}

function describeStep({ source }: Step): PlainMap {
  return new Map<string, PlainValue>([
    ['step', `step_${source.index}`],
    ['kind', source.kind],
    ...(source.name === undefined ? [] : ([['name', source.name]] as const)),
    ['omit', source.omit],
  ]);
}

async function runTrial(management: Management, author: Author, compiled: Compiled, trial: Trial): Promise<Fields> {
  if (trial.withoutRollback !== 'run') requireRollback(compiled, trial);
  const { timeoutMs } = compiled;
  const entry = () => resolveEntry(compiled, author.context);
  const session = new CallSession(management.connections, { entry, timeoutMs, signal: trial.signal, transaction: 'all' });
  const explain = (error: unknown): never => {
    throw explainStep(error, 'of the trial', timeoutMs);
  };
  const start = performance.now();
  try {
    await runStatements(compiled, session, trial.before, 'before');
    const hasSavepoint = trial.after.length > 0 && (await session.mark().catch(explain));
    const steps: PlainMap[] = [];
    const { status, fields } = await respond(management, author, compiled, trial, session, steps);
    // The SQL that follows sees what a real call would leave behind, so a failed call is undone
    // first.
    if (hasSavepoint && status >= MIN_ROLLBACK_STATUS) await session.returnToMark().catch(explain);
    const after = await runStatements(compiled, session, trial.after, 'after');
    const duration = millisecondsSince(start);
    await session.rollback();
    const { sideEffects } = session;
    return [
      ['steps', steps],
      ...fields,
      ...(trial.after.length === 0 ? [] : ([['after', after]] as const)),
      ['duration_ms', duration],
      // A procedure may commit, and not every table can roll back.
      ...(sideEffects === undefined || sideEffects.kind === 'none'
        ? []
        : ([['stays', describeResidue(sideEffects.steps, sideEffects.kind)]] as const)),
    ];
  } finally {
    await session.rollback();
    session.release();
  }
}

interface TrialResponse {
  readonly status: number;
  readonly fields: Fields;
}

/** Runs the steps and returns the response that a caller would receive. */
async function respond(
  management: Management,
  author: Author,
  compiled: Compiled,
  trial: Trial,
  session: CallSession,
  steps: PlainMap[],
): Promise<TrialResponse> {
  const { limits, permission, response, rules } = compiled;
  const { signal, lease } = trial;
  const caller = trial.roles === undefined ? author.caller : { ...author.caller, roles: new Set(trial.roles) };
  const served = ['X-Served-Version', compiled.document.version];
  const trace = new StepTrace();
  try {
    const frame: StepFrame = {
      input: await readDryRunInput(trial, rules, { maxBytes: limits.bytes, lease, signal }),
      context: contextOf(caller),
      results: new Array(compiled.steps.length),
      limits,
      modules: await management.resolver.modules(author.caller),
      session,
      signal,
      lease,
      trace,
    };
    if (!permission.some((role) => caller.roles.has(role))) throw apiError('role_needed', permission.join(', '));
    await runTraced(compiled, frame, steps, trace);
    const result = frame.results[compiled.answer] ?? null;
    if (response === undefined) return toTrialResponse(200, served, result);
    const reply = await response.evaluate(frame);
    const { status, file } = reply;
    const headers = [...served, ...reply.headers];
    if (BODILESS.has(status)) return toTrialResponse(status, headers, null);
    if (file !== undefined) return toTrialResponse(status, [...headers, 'Content-Type', file.type], file.data.toString('base64'));
    return toTrialResponse(status, headers, response.hasBody ? (reply.value ?? null) : result);
  } catch (error) {
    const explained = explainStep(error, 'of the trial', compiled.timeoutMs);
    if (!(explained instanceof ApiError)) throw explained;
    const { status, fields } = toTrialResponse(explained.status, [], null);
    return { status, fields: [...fields, ['error', describeError(explained)]] };
  }
}

function toTrialResponse(status: number, headers: readonly string[], result: PlainValue): TrialResponse {
  const byName = new Map<string, PlainValue>();
  for (let i = 0; i < headers.length; i += 2) byName.set(headers[i] as string, headers[i + 1] as string);
  const fields: Fields = [
    ['result', result],
    ['status', status],
    ['headers', byName],
  ];
  return { status, fields };
}

/**
 * Returns the error body that callers receive, and the place in the definition that only authors
 * see.
 */
function describeError(error: ApiError): PlainMap {
  const body = plainOf(error.body()) as PlainMap;
  const place = error.loggable()['place'];
  if (place !== undefined) body.set('place', place);
  return body;
}

/** Rejects a trial whose effects could not be rolled back. */
function requireRollback({ steps, document }: Compiled, { before, after, withoutRollback }: Trial): void {
  const { capabilities, label, syntax } = document.database.engine;
  const { transactions, transactionalDdl } = capabilities;
  if (!transactions && withoutRollback === 'reject')
    throw apiError('not_on_engine', 'A test that takes back what it does (without keep: true)', label);
  if (!transactions && before.length > 0) throw apiError('not_on_engine', 'Running SQL before a trial', label);
  for (const { sql, label: step } of steps) {
    if (sql === undefined) continue;
    if (!transactions && !sql.reads) throw apiError('not_on_engine', `Trying step ${step}, which writes,`, label);
    if (!transactionalDdl && sql.changesSchema) throw apiError('not_on_engine', `Trying step ${step}, which ends the transaction,`, label);
  }
  for (const text of [...before, ...after])
    if (!transactionalDdl && parseStatement(text, syntax).facts.changesSchema)
      throw apiError('not_on_engine', 'SQL around a trial that ends the transaction', label);
}

async function runTraced(compiled: Compiled, frame: StepFrame, steps: PlainMap[], trace: StepTrace): Promise<void> {
  for (const step of compiled.steps) {
    const start = performance.now();
    const report = describeStep(step);
    steps.push(report);
    try {
      const result = (await step.run(frame, 'kept')) ?? null;
      frame.results[step.source.index] = result;
      trace.moveTo(report);
      report.set('result', result);
    } catch (error) {
      const origin = compiled.fromCaller.has(step.source.index) ? 'caller' : 'version';
      const explained = explainStep(error, step.label, compiled.timeoutMs, origin);
      if (!(explained instanceof ApiError)) throw explained;
      trace.moveTo(report);
      report.set('error', describeError(explained));
      throw explained;
    } finally {
      report.set('duration_ms', millisecondsSince(start));
    }
  }
}

function millisecondsSince(start: number): number {
  return Math.round((performance.now() - start) * 1000) / 1000;
}

/** Collects the SQL and the printed lines of the running step. */
class StepTrace implements Trace {
  #statement: { readonly text: string; readonly values: readonly PlainValue[] } | undefined;
  #lines: string[] = [];

  statement(text: string, values: readonly PlainValue[]): void {
    this.#statement = { text, values };
  }

  print(line: string): void {
    this.#lines.push(line);
  }

  moveTo(report: PlainMap): void {
    if (this.#statement !== undefined) {
      report.set('sql', this.#statement.text);
      report.set('parameters', this.#statement.values);
    }
    if (this.#lines.length > 0) report.set('printed', this.#lines);
    this.#statement = undefined;
    this.#lines = [];
  }
}
