/**
 * Finds the table, acquires a connection, has the request planned and run, and releases the connection whatever happens. A statement that fails
 * because the catalogue's picture was old is planned and run again, and so is one that never reached its server, or had to make way for others. Nothing
 * else is repeated: reads may call functions that write.
 */

import { DbFailure, type FailureKind, MAX_UNSENT_RETRIES, type StopSignal } from '../../engines/contract/engine.ts';
import type { Connections } from '../../engines/pool/connections.ts';
import type { BriefKind } from '../../engines/pool/statement-class.ts';
import type { CatalogCache, TableId } from '../../engines/schema/catalog-cache.ts';
import type { RelationCache } from '../../engines/schema/relation-cache.ts';
import { ApiError, apiError } from '../../errors.ts';
import { ownerOf } from '../../model/entry.ts';
import type { Neighbours } from '../../model/relation.ts';
import type { Table } from '../../model/table.ts';
import type { MemoryBudget } from '../../util/bytes/memory-lease.ts';
import { noteRows, type WorkMeter } from '../../util/concurrency/work-meter.ts';
import type { Access } from '../plan/access.ts';
import { visibleColumnNames } from '../plan/authorize.ts';
import { relatedReferences, tablesReached } from '../plan/relations.ts';
import { type AutoRequest, OPERATIONS } from '../request/request.ts';
import { type AnswerSink, type AutoResult, type AutoSession, NeedsExclusiveConnection } from '../session.ts';
import { LocatedFailure } from '../write/bisect-batch.ts';
import { ROW_FAILURES } from '../write/transaction.ts';
import { needOf } from './acquire-options.ts';
import { explain } from './failures.ts';
import { RetryableSink } from './retryable-sink.ts';
import { BriefKinds } from './statement-class.ts';

export interface Target extends TableId {
  readonly requestId: string;
  readonly signal: StopSignal;
  readonly meter: WorkMeter;
  readonly access: Access;
  /** What reads is run in a transaction that only reads. */
  readonly readsOnly: boolean;
}

/** Plans a request for the table as it is now, and runs the plan. */
export type Work = (table: Table, session: AutoSession, sink: AnswerSink) => Promise<AutoResult>;

/** The catalogue's picture of the table is old. */
const STALE: ReadonlySet<FailureKind> = new Set<FailureKind>(['missing_table', 'missing_column', 'stale']);
/** Failures that an old picture can cause, but other things too. */
const SUSPECT: ReadonlySet<FailureKind> = new Set<FailureKind>(['invalid', 'unsupported', 'syntax', 'other']);
/** A name that the picture does not have may be that of a new column. */
const UNKNOWN_NAMES: ReadonlySet<string> = new Set(['column_unknown', 'row_key_unknown', 'row_column_unknown', 'persona_broken']);
/** How often a request is planned for a table that keeps changing. */
const TRIES_MOST = 60;
/** After this many results that disagree with a picture that stays the same, the catalogue itself is wrong (of some view, say). */
const DISAGREEMENTS = 3;
/** How often a statement is tried again that a table which has just changed may have refused: it may have changed once more, and back. */
const RESTLESS_TRIES = 24;
/** A younger picture is not read again for a name that it does not have. */
const TRUST_MS = 1000;

export class Auto {
  readonly #connections: Connections;
  readonly #catalog: CatalogCache;
  readonly #relations: RelationCache;
  readonly #memory: MemoryBudget;
  /** Tables whose catalogue disagrees with their rows. */
  readonly #misdescribed = new WeakSet<Table>();
  readonly #briefKinds = new BriefKinds();

  constructor(connections: Connections, catalog: CatalogCache, relations: RelationCache, memory: MemoryBudget) {
    this.#connections = connections;
    this.#catalog = catalog;
    this.#relations = relations;
    this.#memory = memory;
  }

  /** Are identical reads at one time coalesced? Sums take long on any engine. */
  sharesReads(request: AutoRequest, { entry }: Target): boolean {
    return request.do === 'group' || this.#connections.engine(entry.type).capabilities.sharedReads;
  }

  async attempt(request: AutoRequest, target: Target, sink: AnswerSink, work: Work): Promise<AutoResult> {
    const rows = new RetryableSink(sink);
    const reach = relatedReferences(request);
    let mayShare = true;
    for (let tries = 1; ; tries++) {
      let table: Table | undefined;
      let neighbours: Neighbours | undefined;
      let kind: BriefKind | undefined;
      try {
        if (target.access.isBlind) await this.#catalog.probeMissing(target);
        const found = target.access.isBlind ? undefined : this.#catalog.find(target);
        table = found instanceof Promise ? await found : found;
        if (table === undefined) throw apiError('table_unknown', target.table);
        target.meter.isKnown = true;
        const { entry, signal } = target;
        if (reach !== undefined) neighbours = await this.#relations.around(target, (keys) => tablesReached(target.table, reach, keys));
        const pool = this.#connections.pool(entry, 'auto');
        const engine = this.#connections.engine(entry.type);
        kind = target.readsOnly ? undefined : this.#briefKinds.of(request, table, target.access, engine);
        const isPipelined = mayShare && kind?.isPipelined === true;
        rows.brief = isPipelined ? kind : undefined;
        const taken = pool.acquire(signal, isPipelined ? { briefOf: kind, party: kind?.party } : needOf(request, engine));
        const connection = taken instanceof Promise ? await taken : taken;
        const began = performance.now();
        try {
          const result = await work(
            table,
            {
              connection,
              isPipelined,
              engine,
              options: { signal, timeoutMs: entry.queryTimeoutSecs * 1000 },
              owner: ownerOf(entry),
              kinds: this.#misdescribed.has(table) ? 'described' : undefined,
              neighbours,
              memory: this.#memory,
            },
            rows,
          );
          rows.finish();
          noteRows(target.meter, result.rows);
          return result;
        } finally {
          const ms = performance.now() - began;
          target.meter.databaseMs += ms;
          if (!isPipelined) kind?.took(ms);
          pool.release(connection);
        }
      } catch (error) {
        const hadToYield = isHeldUp(error) && !rows.started;
        if (hadToYield || error instanceof NeedsExclusiveConnection) {
          mayShare = false;
          if (hadToYield) kind?.heldUpOthers();
          else kind?.needsOwn();
          continue;
        }
        if (rows.brief !== undefined && spoilsOthers(error)) kind?.neverShare();
        const failure = table === undefined ? ofCatalogue(error) : error;
        const isOver = rows.started || !(await this.#isWorthAnother(failure, target, table, tries, neighbours).catch(never));
        if (isOver) throw explained(failure, request, target, table);
      }
    }
  }

  /** Reads the tables around anew; true when one of them is another by now. */
  async #renewAround(target: Target, { tables }: Neighbours): Promise<boolean> {
    await this.#relations.read(target);
    let hasChanged = false;
    for (const [name, table] of tables) {
      if (name === target.table) continue;
      const renewed = await this.#catalog.reload({ ...target, table: name });
      hasChanged ||= renewed !== table;
    }
    return hasChanged;
  }

  /** Another attempt is worthwhile when the table is not what the request was planned for. The catalogue has been read again by then. */
  async #isWorthAnother(
    error: unknown,
    target: Target,
    table: Table | undefined,
    tries: number,
    neighbours: Neighbours | undefined,
  ): Promise<boolean> {
    const failure = error instanceof LocatedFailure ? error.failure : error;
    if (failure instanceof ApiError) {
      const isUnknownName = UNKNOWN_NAMES.has(failure.key);
      if (!isUnknownName || tries > 1 || this.#catalog.age(target) <= TRUST_MS) return false;
      await this.#catalog.refresh(target);
      return true;
    }
    if (!(failure instanceof DbFailure) || tries >= TRIES_MOST) return false;
    if (failure.kind === 'lost') return failure.effect === 'unsent' && tries <= MAX_UNSENT_RETRIES;
    if (table === undefined) return false;
    if (failure.effect === 'unknown') {
      // What was written cannot be repeated; the next one need not fare the same.
      if (STALE.has(failure.kind)) await this.#catalog.reload(target);
      return false;
    }
    if (STALE.has(failure.kind)) {
      const isNear = neighbours !== undefined && (await this.#renewAround(target, neighbours));
      const hasChanged = (await this.#catalog.reload(target)) !== table || isNear;
      if (!hasChanged && failure.kind === 'stale' && tries >= DISAGREEMENTS) this.#misdescribed.add(table);
      return hasChanged || tries === 1 || failure.kind === 'stale';
    }
    if (!SUSPECT.has(failure.kind)) return false;
    const hasChanged = (await this.#catalog.refresh(target)) !== table;
    return hasChanged || (tries < RESTLESS_TRIES && this.#catalog.isRecentlyChanged(target));
  }
}

const never = (): boolean => false;

/** It was stopped for others behind it, and the server says that nothing is left of it. */
function isHeldUp(error: unknown): boolean {
  return error instanceof DbFailure && error.kind === 'preempted' && error.effect === 'nothing';
}

/** A row of one caller has failed after those of others were written with it (a materialized view has refused it). */
function spoilsOthers(error: unknown): boolean {
  return error instanceof DbFailure && error.effect === 'unknown' && ROW_FAILURES.has(error.kind);
}

/** The catalogue's statements are our own and only read: one that was cut off may be repeated. */
function ofCatalogue(error: unknown): unknown {
  return error instanceof DbFailure && error.effect === 'unknown' ? error.withEffect('unsent') : error;
}

function explained(error: unknown, request: AutoRequest, target: Target, table: Table | undefined): unknown {
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
