/**
 * A step of any kind: compiled once with its definition, run with each call. index.ts lists the
 * kinds.
 */
import type { Engine, StopSignal } from '../../engines/contract/engine.ts';
import type { RunLimits } from '../../lang/budget.ts';
import { type CompileTenant, isLongText } from '../../lang/compile.ts';
import type { StepOptions } from '../../lang/sandbox/index.ts';
import type { RowSink } from '../../model/cells.ts';
import type { LarkModules } from '../../model/lark-module.ts';
import type { BoundStatement } from '../../sql/dialect.ts';
import type { StatementFacts } from '../../sql/template/template.ts';
import type { MemoryLease } from '../../util/bytes/memory-lease.ts';
import { nextSlice } from '../../util/concurrency/loop-scheduler.ts';
import type { PlainMap, PlainValue } from '../../util/text/decimal.ts';
import type { StepSource } from '../document/document-logic.ts';
import type { Declarations } from '../inputs/declaration.ts';
import type { LineProblem } from '../yaml/yaml-tree.ts';
import type { CallSession } from './session.ts';

/** Compile-time scope of a step: the earlier steps, and the modules of the space. */
export interface StepScope {
  readonly engine: Engine;
  /** Indices of earlier steps by name. */
  readonly names: ReadonlyMap<string, number>;
  /** Number of earlier steps. */
  readonly count: number;
  readonly modules: LarkModules;
  /** `undefined` if the definition declares no input. */
  readonly inputs: Declarations | undefined;
  /** Project, for fair scheduling. */
  readonly owner: string;
  /**
   * At `deploy`, an unknown name is the author's mistake. At `call`, it may have been removed
   * since.
   */
  readonly stage: 'deploy' | 'call';
}

/** Run-time environment of a step. */
export interface StepFrame {
  readonly input: PlainMap;
  /** Builds the context on first use. */
  readonly context: () => PlainMap;
  /** Results of the steps so far; `undefined` if no step needs the result. */
  readonly results: (PlainValue | undefined)[];
  readonly limits: RunLimits;
  readonly modules: LarkModules;
  readonly session: CallSession;
  /** Aborted when no client waits for the response any more. */
  readonly signal: StopSignal;
  /** Memory that the call has reserved. */
  readonly lease: MemoryLease;
  /** Present in a dry run. */
  readonly trace?: Trace | undefined;
}

export interface Trace {
  statement(text: string, values: readonly PlainValue[]): void;
  print(line: string): void;
}

/** Whether a result is kept for later steps, dropped, or streamed to a sink. */
export type ResultUse = 'kept' | 'dropped' | RowSink;

export interface Step {
  readonly source: StepSource;
  /** Name in messages. */
  readonly label: string;
  /** Indices of earlier results that it may read. */
  readonly needs: ReadonlySet<number>;
  readonly readsContext: boolean;
  readonly readsInput: boolean;
  /** Names of the modules that it loads. */
  readonly modules: readonly string[];
  /** Names of the inputs that it certainly reads. */
  readonly inputNames: readonly string[];
  /** sql steps only. */
  readonly sql?: StatementFacts;
  /** Tables that an sql step names. */
  readonly tables?: readonly string[];
  /** Returns the statement of an sql step with sample values, to be checked by the server. */
  probe?(inputs: Declarations | undefined): BoundStatement;
  /**
   * Returns a function for when the server rejects the next statement because of its parameters:
   * it lets the server infer more of them, and returns whether another attempt is worthwhile.
   */
  relaxer?(): () => boolean;
  /** Returns `undefined` if the rows went to a sink. */
  run(frame: StepFrame, use: ResultUse): PlainValue | undefined | Promise<PlainValue | undefined>;
}

export interface CodeProblem extends LineProblem {
  /** `document`: a mistake in the document; `code`: code that does not compile. */
  readonly kind: 'document' | 'code';
  /** Index of the step. */
  readonly step?: number;
}

/** One or more steps do not compile. */
export class StepProblems extends Error {
  readonly problems: readonly CodeProblem[];
  /** Steps that compiled. */
  readonly others: readonly Step[];

  constructor(problems: readonly CodeProblem[], others: readonly Step[] = []) {
    super(problems.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`).join('; '));
    this.problems = problems;
    this.others = others;
  }
}

export function stepLabel({ index, kind, name }: StepSource): string {
  return name === undefined ? `${index} (${kind})` : `${index} (${kind} ${name})`;
}

/** Names that lark and expr steps may use. */
export function environmentNames(scope: StepScope): readonly string[] {
  return ['input', 'context', ...Array.from({ length: scope.count }, (_, index) => `step_${index}`), ...scope.names.keys()];
}

/** Indices of the results that the names refer to. */
export function resultsBehind(names: Iterable<string>, scope: StepScope): Set<number> {
  const needs = new Set<number>();
  for (const name of names) {
    const index = scope.names.get(name) ?? (name.startsWith('step_') ? Number(name.slice(5)) : -1);
    if (index >= 0) needs.add(index);
  }
  return needs;
}

/** Values of the names that a program reads. */
export function environmentValues(
  reads: Iterable<string>,
  frame: StepFrame,
  names: ReadonlyMap<string, number>,
): ReadonlyMap<string, PlainValue> {
  const values = new Map<string, PlainValue>();
  for (const name of reads) values.set(name, environmentValue(name, frame, names) ?? null);
  return values;
}

function environmentValue(name: string, frame: StepFrame, names: ReadonlyMap<string, number>): PlainValue | undefined {
  if (name === 'input') return frame.input;
  if (name === 'context') return frame.context();
  const index = names.get(name) ?? (name.startsWith('step_') ? Number(name.slice(5)) : -1);
  return index < 0 ? undefined : frame.results[index];
}

/** Calls that hold more memory run their programs in a worker from the start. */
const LARGE_BYTES = 2 * 1024 * 1024;

/** Tenant on whose behalf a text is compiled. */
export function compileTenant({ owner }: Pick<StepScope, 'owner'>): CompileTenant {
  return { tenant: owner, nextSlice: () => nextSlice(owner) };
}

/** Long code is compiled in workers only, so it also runs there. */
export function lengthOf(code: string): 'short' | 'long' {
  return isLongText(code) ? 'long' : 'short';
}

/**
 * Options of a running program. A class, because V8 retains a getter of an object literal, and with
 * it the whole call, until the next full garbage collection.
 */
export class ProgramOptions implements StepOptions {
  readonly tenant: string;
  readonly nextSlice: () => Promise<void>;
  readonly place: 'inline' | 'worker';
  readonly print: ((line: string) => void) | undefined;
  readonly #stop: StopSignal;

  constructor({ signal, trace, lease: { owner, held } }: StepFrame, length: 'short' | 'long') {
    this.tenant = owner;
    this.nextSlice = () => nextSlice(owner);
    this.place = length === 'long' || held > LARGE_BYTES ? 'worker' : 'inline';
    this.print = trace === undefined ? undefined : (line) => trace.print(line);
    this.#stop = signal;
  }

  /** Created on demand: only long-running programs need it. */
  get signal(): AbortSignal {
    return abortSignalOf(this.#stop);
  }
}

function abortSignalOf(stop: StopSignal): AbortSignal {
  const controller = new AbortController();
  if (stop.aborted) controller.abort();
  else stop.addEventListener('abort', () => controller.abort());
  return controller.signal;
}
