/**
 * A step of any kind: compiled once with its definition, run with each call. The kinds are a table (index.ts); whoever runs steps knows only this.
 */

import type { Engine, StopSignal } from '../../engines/contract/engine.ts';
import type { RunLimits } from '../../lang/budget.ts';
import { type CompileOwner, isLongText } from '../../lang/compile.ts';
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

/** What a step is compiled in: who came before it, and what the space offers. */
export interface StepScope {
  readonly engine: Engine;
  /** Earlier steps by name, and how many there are. */
  readonly names: ReadonlyMap<string, number>;
  readonly count: number;
  readonly modules: LarkModules;
  /** The project, for turns and workers. */
  readonly owner: string;
  /** `deploy`: what cannot be found is the author's mistake. Later it may have been removed. */
  readonly stage: 'deploy' | 'call';
}

/** What a running step sees. */
export interface StepFrame {
  readonly input: PlainMap;
  /** Made when a step first asks for it. */
  readonly context: () => PlainMap;
  /** Of the steps so far; undefined where nobody needs the result. */
  readonly results: (PlainValue | undefined)[];
  readonly limits: RunLimits;
  readonly modules: LarkModules;
  readonly session: CallSession;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: StopSignal;
  /** The memory that the call holds. */
  readonly lease: MemoryLease;
  /** Told to whoever develops a definition. */
  readonly trace?: Trace | undefined;
}

export interface Trace {
  statement(text: string, values: readonly PlainValue[]): void;
  print(line: string): void;
}

/** What happens to a result: kept for others, sent on as rows, or dropped. */
export type ResultUse = 'kept' | 'dropped' | RowSink;

export interface Step {
  readonly source: StepSource;
  /** How messages call it. */
  readonly label: string;
  /** Earlier results that it may read. */
  readonly needs: ReadonlySet<number>;
  readonly readsContext: boolean;
  /** Names of modules that it loads. */
  readonly modules: readonly string[];
  /** Names of the input that it surely reads. */
  readonly inputNames: readonly string[];
  /** Of an sql step. */
  readonly sql?: StatementFacts;
  /** Of an sql step: the tables that it names. */
  readonly tables?: readonly string[];
  /** Of an sql step: the statement with values that could be, for a server that is asked about it. */
  probe?(inputs: Declarations | undefined): BoundStatement;
  /** The result; undefined when the rows went to the sink. */
  run(frame: StepFrame, wanted: ResultUse): PlainValue | undefined | Promise<PlainValue | undefined>;
}

export interface CodeProblem extends LineProblem {
  /** A mistake in the document, or code that does not compile. */
  readonly kind: 'document' | 'code';
  /** The step that it is about, by its index. */
  readonly step?: number;
}

/** A step that cannot be compiled, with all reasons. */
export class StepProblems extends Error {
  readonly problems: readonly CodeProblem[];
  /** Those beside them that compiled. */
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

/** The environment of lark and expr steps: the names that they may use. */
export function environmentNames(scope: StepScope): readonly string[] {
  return ['input', 'context', ...Array.from({ length: scope.count }, (_, index) => `step_${index}`), ...scope.names.keys()];
}

/** Which results stand behind the names that a program reads. */
export function resultsBehind(names: Iterable<string>, scope: StepScope): Set<number> {
  const needs = new Set<number>();
  for (const name of names) {
    const index = scope.names.get(name) ?? (name.startsWith('step_') ? Number(name.slice(5)) : -1);
    if (index >= 0) needs.add(index);
  }
  return needs;
}

/** The values behind the names that a program reads. */
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

/** A call that holds more than this brings its values to a worker at once. */
const LARGE = 2 * 1024 * 1024;

/** Who compiles, for the languages. */
export function compileOwner({ owner }: Pick<StepScope, 'owner'>): CompileOwner {
  return { owner, turn: () => nextSlice(owner) };
}

/** A long text is compiled in workers only, and so runs there. */
export function lengthOf(code: string): 'short' | 'long' {
  return isLongText(code) ? 'long' : 'short';
}

/**
 * Options for programs: they are stopped when nobody waits, and their output is reported. A class, since the runtime keeps each getter that is not of a
 * prototype, and with it all of the call, until the next full collection.
 */
export class ProgramOptions implements StepOptions {
  readonly owner: string;
  readonly turn: () => Promise<void>;
  readonly place: 'here' | 'worker';
  readonly print: ((line: string) => void) | undefined;
  readonly #stop: StopSignal;

  constructor({ signal, trace, lease: { owner, held } }: StepFrame, length: 'short' | 'long') {
    this.owner = owner;
    this.turn = () => nextSlice(owner);
    this.place = length === 'long' || held > LARGE ? 'worker' : 'here';
    this.print = trace === undefined ? undefined : (line) => trace.print(line);
    this.#stop = signal;
  }

  /** Made only for those that take long. */
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
