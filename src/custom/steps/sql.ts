/**
 * `sql` steps: a template with bound values, run on the call's connection. Must not know engines:
 * each has its own syntax and binder.
 */

import { DbFailure } from '../../engines/contract/engine.ts';
import { apiError } from '../../errors.ts';
import { BudgetError } from '../../lang/budget.ts';
import { isLongText } from '../../lang/compile.ts';
import type { BoundStatement } from '../../sql/dialect.ts';
import type { StatementParam } from '../../sql/statement.ts';
import { templateSlices } from '../../sql/template/parse-template.ts';
import { SqlProblem } from '../../sql/template/scan.ts';
import type { StatementFacts, Template } from '../../sql/template/template.ts';
import type { SlotType } from '../../sql/template/template-binder.ts';
import type { Path } from '../../sql/template/token.ts';
import { bytesOf } from '../../util/bytes/buffer-pool.ts';
import { MemoryBusy } from '../../util/bytes/memory-lease.ts';
import { after, type MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import { runCooperatively, runToEnd } from '../../util/concurrency/slices.ts';
import { Decimal, type PlainMap, type PlainValue } from '../../util/text/decimal.ts';
import { placeAtOffset, type StepSource } from '../document/document-logic.ts';
import type { Declaration, Declarations, DeclaredType } from '../inputs/declaration.ts';
import { slotTypeOf } from '../inputs/slot-types.ts';
import { placeOf, type SourcePlace } from '../yaml/yaml-tree.ts';
import { PathProblem, type PathReader, resolvePath } from './paths.ts';
import { RowCollector } from './row-collector.ts';
import { type CodeProblem, type ResultUse, type Step, type StepFrame, StepProblems, type StepScope, stepLabel } from './step.ts';
import { TypedStepBinder } from './typed-binder.ts';

export function compileSql(source: StepSource, scope: StepScope): MaybePromise<Step> {
  return after(readTemplate(source, scope), (template) => stepOf(source, scope, template));
}

function stepOf(source: StepSource, scope: StepScope, template: Template): Step {
  const { engine } = scope;
  const readers = new Map<string, PathReader>();
  const needs = new Set<number>();
  const inputNames = new Set<string>();
  let readsContext = false;
  let readsInput = false;
  const types = new Map<string, SlotType>();
  const hiding = new Map<string, (frame: StepFrame) => boolean>();
  for (const { path } of template.slots) {
    if (readers.has(path.text)) continue;
    try {
      const resolved = resolvePath(path, scope);
      readers.set(path.text, resolved.read);
      for (const index of resolved.needs) needs.add(index);
      readsContext ||= resolved.readsContext;
      readsInput ||= resolved.inInput !== undefined;
      if (resolved.inputName !== undefined) inputNames.add(resolved.inputName);
      const type = resolved.inInput && slotTypeOf(scope.inputs, resolved.inInput);
      if (type !== undefined) types.set(path.text, type);
      if (type !== undefined && resolved.isHidden !== undefined) hiding.set(path.text, resolved.isHidden);
    } catch (error) {
      if (!(error instanceof PathProblem)) throw error;
      throw new StepProblems([problemIn(source, placeOf(source.codeAt), error.message)]);
    }
  }
  const binder = new TypedStepBinder(engine, template, types);
  return new SqlStep(source, template, { binder, readers, hiding }, { needs, readsContext, readsInput, inputNames: [...inputNames] });
}

/** A long statement in turns with others. */
function readTemplate(source: StepSource, { engine, owner, stage }: StepScope): MaybePromise<Template> {
  const slices = templateSlices(source.code, engine.syntax, stage === 'deploy');
  const told = (error: unknown): never => {
    if (!(error instanceof SqlProblem)) throw error;
    throw new StepProblems([problemIn(source, placeAtOffset(source, error.at), error.message)]);
  };
  if (isLongText(source.code)) return runCooperatively(slices, owner).catch(told);
  try {
    return runToEnd(slices);
  } catch (error) {
    return told(error);
  }
}

function problemIn(source: StepSource, place: SourcePlace, message: string): CodeProblem {
  return { ...place, message: `step ${stepLabel(source)}: ${message}`, kind: 'document', step: source.index };
}

interface Slots {
  readonly binder: TypedStepBinder;
  /** By path. */
  readonly readers: ReadonlyMap<string, PathReader>;
  /** Whether an earlier result hides the declared input, by path. */
  readonly hiding: ReadonlyMap<string, (frame: StepFrame) => boolean>;
}

class SqlStep implements Step {
  readonly source: StepSource;
  readonly label: string;
  readonly needs: ReadonlySet<number>;
  readonly readsContext: boolean;
  readonly readsInput: boolean;
  readonly modules: readonly string[] = [];
  readonly inputNames: readonly string[];
  readonly sql: StatementFacts;
  readonly tables: readonly string[];
  /** Slots that are a number of rows. */
  readonly #counts: ReadonlySet<string>;
  readonly #slots: Slots;

  constructor(
    source: StepSource,
    template: Template,
    slots: Slots,
    { needs, readsContext, readsInput, inputNames }: Pick<Step, 'needs' | 'readsContext' | 'readsInput' | 'inputNames'>,
  ) {
    this.source = source;
    this.label = stepLabel(source);
    this.needs = needs;
    this.readsContext = readsContext;
    this.readsInput = readsInput;
    this.inputNames = inputNames;
    this.sql = template.facts;
    this.tables = template.tables;
    this.#counts = new Set(template.slots.filter(({ place }) => place === 'limit').map(({ path }) => path.text));
    this.#slots = slots;
  }

  async run(frame: StepFrame, wanted: ResultUse): Promise<PlainValue | undefined> {
    const bound = this.#bind(frame);
    frame.trace?.statement(bound.statement.text, bound.params.map(shown));
    if (wanted === 'dropped') {
      const { rows, selected } = await frame.session.run(bound, this);
      return selected ? undefined : affected(rows);
    }
    if (wanted !== 'kept') {
      const { rows, selected } = await frame.session.run(bound, this, wanted);
      return selected ? undefined : affected(rows);
    }
    const collector = new RowCollector(frame.limits.bytes / 1024 / 1024, frame.lease);
    const { rows, selected } = await frame.session.run(bound, this, collector).catch(budgetFirst);
    return selected ? collector.rows : affected(rows);
  }

  probe(inputs: Declarations | undefined): BoundStatement {
    return this.#slots.binder.bind((path) => {
      const name = path.first === 'input' ? path.rest[0] : path.first;
      return sampleOf(inputs?.get(String(name)), this.#counts.has(path.text));
    });
  }

  relaxer(): () => boolean {
    const { binder } = this.#slots;
    const { mode } = binder;
    return () => binder.relax(mode);
  }

  #bind(frame: StepFrame): BoundStatement {
    const { binder, readers, hiding } = this.#slots;
    const resolve = (path: Path): PlainValue => {
      const value = readers.get(path.text)?.(frame);
      if (value === undefined) throw apiError('input_missing', this.label, path.text);
      return value;
    };
    const hidden = hiding.size === 0 ? [] : [...hiding].filter(([, isHidden]) => isHidden(frame)).map(([path]) => path);
    return binder.bind(resolve, hidden);
  }
}

const SAMPLES: Readonly<Record<DeclaredType, PlainValue>> = {
  string: '',
  integer: 1,
  number: new Decimal('1.0'),
  boolean: true,
  date: '2024-01-01',
  timestamp: '2024-01-01T00:00:00Z',
  uuid: '00000000-0000-0000-0000-000000000000',
  array: [],
  object: new Map(),
  file: null,
  any: null,
};

function sampleOf(declaration: Declaration | undefined, isCount: boolean): PlainValue {
  if (isCount) return 1;
  return declaration === undefined ? null : SAMPLES[declaration.type];
}

/** If a sink refused a row, that is why the statement was stopped. */
export function budgetFirst(error: unknown): never {
  throw error instanceof DbFailure && (error.cause instanceof BudgetError || error.cause instanceof MemoryBusy) ? error.cause : error;
}

function affected(rows: number): PlainMap {
  return new Map([['rows_affected', rows]]);
}

function shown(value: StatementParam): PlainValue {
  return value === null || typeof value === 'string' ? value : Buffer.from(bytesOf(value)).toString('base64');
}
