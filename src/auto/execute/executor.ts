/**
 * Runs an Auto request: finds its table, acquires a connection, plans and runs it, and releases the
 * connection.
 */

import { type Connection, DbFailure, type StopSignal } from '../../engines/contract/engine.ts';
import type { Connections } from '../../engines/pool/connections.ts';
import type { StatementClass } from '../../engines/pool/statement-class.ts';
import type { CatalogCache, TableId } from '../../engines/schema/catalog-cache.ts';
import type { RelationCache } from '../../engines/schema/relation-cache.ts';
import { apiError } from '../../errors.ts';
import { tenantOf } from '../../model/entry.ts';
import type { Neighbours } from '../../model/relation.ts';
import type { Table } from '../../model/table.ts';
import type { MemoryBudget } from '../../util/bytes/memory-lease.ts';
import { noteRows, type WorkMeter } from '../../util/concurrency/work-meter.ts';
import type { Access } from '../plan/access.ts';
import { visibleColumnNames, visibleKeys } from '../plan/authorize.ts';
import { relatedReferences, tablesReached } from '../plan/relations.ts';
import { type AutoRequest, OPERATIONS } from '../request/request.ts';
import { type AnswerSink, type AutoResult, type AutoSession, NeedsExclusiveConnection } from '../session.ts';
import { LocatedFailure } from '../write/bisect-batch.ts';
import { explain } from './failures.ts';
import { RetryPolicy } from './retry-policy.ts';
import { RetryableSink } from './retryable-sink.ts';
import { classOf, exclusiveClassOf } from './statement-class.ts';
import { TimeBudget } from './time-budget.ts';

export interface Target extends TableId {
  readonly requestId: string;
  readonly signal: StopSignal;
  readonly meter: WorkMeter;
  readonly access: Access;
  /** Reads run in a read-only transaction. */
  readonly readsOnly: boolean;
  /** Dry runs count their rows where the engine cannot roll them back. */
  readonly countsDryRuns: boolean;
}

/** Plans a request for the table as it is now, and runs the plan. */
export type Work = (table: Table, session: AutoSession, sink: AnswerSink) => Promise<AutoResult>;

/** One attempt to run a request, as far as it has come. */
interface Try {
  readonly request: AutoRequest;
  readonly target: Target;
  readonly rows: RetryableSink;
  readonly budget: TimeBudget;
  readonly mayPipeline: boolean;
  table: Table | undefined;
  neighbours: Neighbours | undefined;
}

export class Auto {
  readonly #connections: Connections;
  readonly #catalog: CatalogCache;
  readonly #relations: RelationCache;
  readonly #memory: MemoryBudget;
  readonly #retries: RetryPolicy;

  constructor(connections: Connections, catalog: CatalogCache, relations: RelationCache, memory: MemoryBudget) {
    this.#connections = connections;
    this.#catalog = catalog;
    this.#relations = relations;
    this.#memory = memory;
    this.#retries = new RetryPolicy(catalog, relations);
  }

  /**
   * Returns whether identical concurrent reads are coalesced. Aggregates take long on any engine.
   */
  sharesReads(request: AutoRequest, { entry }: Target): boolean {
    return request.do === 'group' || this.#connections.engine(entry.type).capabilities.sharedReads;
  }

  async execute(request: AutoRequest, target: Target, sink: AnswerSink, work: Work): Promise<AutoResult> {
    const rows = new RetryableSink(sink);
    const budget = new TimeBudget(target.entry.queryTimeoutSecs * 1000);
    let mayPipeline = !target.readsOnly;
    for (let tries = 1; ; tries++) {
      const current: Try = { request, target, rows, budget, mayPipeline, table: undefined, neighbours: undefined };
      try {
        const found = this.#findTable(current);
        const table = found instanceof Promise ? await found : found;
        return await this.#runOnce(table, current, work);
      } catch (error) {
        if (!rows.started && needsExclusive(error)) {
          if (rows.statementClass?.kind === 'pipelined') rows.statementClass.coolDown();
          mayPipeline = false;
          continue;
        }
        const isOver = rows.started || budget.isSpent || !(await this.#retries.shouldRetry(error, { ...current, tries }));
        if (isOver) throw explained(error, current);
      }
    }
  }

  /** The table and the related ones, at once if they are cached. */
  #findTable(current: Try): Table | Promise<Table> {
    const { target, request } = current;
    const references = relatedReferences(request);
    const found = target.access.isBlind ? undefined : this.#catalog.find(target);
    if (found === undefined || found instanceof Promise || references !== undefined) return this.#lookUp(found, references, current);
    return setTable(current, found);
  }

  async #lookUp(found: ReturnType<CatalogCache['find']>, references: ReturnType<typeof relatedReferences>, current: Try): Promise<Table> {
    const { target, budget } = current;
    const began = performance.now();
    try {
      if (target.access.isBlind) await this.#catalog.probeMissing(target);
      const table = await found;
      if (table === undefined) throw apiError('table_unknown', target.table);
      setTable(current, table);
      if (references !== undefined)
        current.neighbours = await this.#relations.around(target, (keys) =>
          tablesReached(target.table, references, visibleKeys(keys, target.access)),
        );
      return table;
    } finally {
      budget.spend(performance.now() - began);
    }
  }

  async #runOnce(table: Table, current: Try, work: Work): Promise<AutoResult> {
    const { request, target, rows, budget, mayPipeline } = current;
    const { entry, signal, meter, access } = target;
    const engine = this.#connections.engine(entry.type);
    const statementClass = mayPipeline ? classOf(request, table, access, engine) : exclusiveClassOf(request, engine);
    const pool = this.#connections.pool(entry, 'auto');
    const acquired = pool.acquire({ class: statementClass, signal });
    const connection = acquired instanceof Promise ? await acquired : acquired;
    const began = performance.now();
    rows.statementClass = statementClass;
    try {
      const result = await work(table, this.#sessionOn(connection, table, statementClass, current), rows);
      rows.finish();
      noteRows(meter, result.rows);
      return result;
    } finally {
      const ms = performance.now() - began;
      meter.databaseMs += ms;
      budget.spend(ms);
      pool.release(connection);
    }
  }

  #sessionOn(connection: Connection, table: Table, { kind }: StatementClass, { target, neighbours, budget }: Try): AutoSession {
    const { entry, signal, countsDryRuns } = target;
    const isPipelined = kind === 'pipelined';
    return {
      connection,
      isPipelined,
      engine: this.#connections.engine(entry.type),
      options: { signal, timeoutMs: budget.leftMs, pipelined: isPipelined },
      owner: tenantOf(entry),
      kinds: this.#retries.isMisdescribed(table) ? 'described' : undefined,
      neighbours,
      countsDryRuns,
      memory: this.#memory,
    };
  }
}

function setTable(current: Try, table: Table): Table {
  current.table = table;
  current.target.meter.isKnown = true;
  return table;
}

/**
 * A pipelined statement was cancelled without effect because it blocked others, or needs a
 * transaction.
 */
function needsExclusive(error: unknown): boolean {
  if (error instanceof NeedsExclusiveConnection) return true;
  return error instanceof DbFailure && error.kind === 'preempted' && error.effect === 'nothing';
}

function explained(error: unknown, { request, target, table }: Try): unknown {
  const failure = error instanceof LocatedFailure ? error.failure : error;
  if (!(failure instanceof DbFailure)) return error;
  return explain(failure.at(target.entry), {
    operation: OPERATIONS[request.do],
    table: target.table,
    timeoutSecs: target.entry.queryTimeoutSecs,
    requestId: target.requestId,
    row: error instanceof LocatedFailure ? error.row : undefined,
    known: visibleColumnNames(target.access, table),
  });
}
