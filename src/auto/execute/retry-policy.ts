/**
 * Decides whether a failed request is planned and run again: after its table has changed, or if its
 * statement never reached the server. Nothing else is repeated, since reads may call functions that
 * write.
 */
import { DbFailure, type FailureKind, MAX_UNSENT_RETRIES } from '../../engines/contract/engine.ts';
import type { CatalogCache, TableId } from '../../engines/schema/catalog-cache.ts';
import type { RelationCache } from '../../engines/schema/relation-cache.ts';
import { ApiError } from '../../errors.ts';
import type { Neighbours } from '../../model/relation.ts';
import type { Table } from '../../model/table.ts';
import { LocatedFailure } from '../write/bisect-batch.ts';

/** The cached description of the table is outdated. */
const STALE: ReadonlySet<FailureKind> = new Set<FailureKind>(['missing_table', 'missing_column', 'stale']);
/** Failures that an outdated description can cause, among other reasons. */
const SUSPECT: ReadonlySet<FailureKind> = new Set<FailureKind>(['invalid', 'unsupported', 'syntax', 'other']);
/** Errors about a name that may belong to a new column. */
const UNKNOWN_NAMES: ReadonlySet<string> = new Set(['column_unknown', 'row_key_unknown', 'row_column_unknown', 'persona_broken']);
/** Attempts for a table that keeps changing. */
const MAX_TRIES = 60;
/**
 * Results that disagree with an unchanged description, after which the catalogue itself is
 * considered wrong (of some view, say).
 */
const MAX_DISAGREEMENTS = 3;
/** Attempts for a table that changed recently: it may have changed once more, and back. */
const MAX_TRIES_RECENTLY_CHANGED = 24;
/** A younger description is not read again because of an unknown name. */
const FRESH_MS = 1000;

/** A request that has failed. */
export interface FailedTry {
  readonly target: TableId;
  /** The description that the request was planned for, if it came as far. */
  readonly table: Table | undefined;
  readonly neighbours: Neighbours | undefined;
  /** Number of attempts so far. */
  readonly tries: number;
}

export class RetryPolicy {
  readonly #catalog: CatalogCache;
  readonly #relations: RelationCache;
  readonly #misdescribed = new WeakSet<Table>();

  constructor(catalog: CatalogCache, relations: RelationCache) {
    this.#catalog = catalog;
    this.#relations = relations;
  }

  /** `true` if the catalogue disagrees with the rows of the table. */
  isMisdescribed(table: Table): boolean {
    return this.#misdescribed.has(table);
  }

  /** Returns whether another attempt is worthwhile. The catalogue is read again before. */
  async shouldRetry(error: unknown, failed: FailedTry): Promise<boolean> {
    try {
      const failure = error instanceof LocatedFailure ? error.failure : error;
      if (failure instanceof ApiError) return await this.#afterUnknownName(failure, failed);
      return failure instanceof DbFailure && failed.tries < MAX_TRIES && (await this.#afterFailure(failure, failed));
    } catch {
      return false;
    }
  }

  async #afterUnknownName({ key }: ApiError, { target, tries }: FailedTry): Promise<boolean> {
    if (!UNKNOWN_NAMES.has(key) || tries > 1 || this.#catalog.age(target) <= FRESH_MS) return false;
    await this.#catalog.refresh(target);
    return true;
  }

  async #afterFailure({ kind, effect }: DbFailure, failed: FailedTry): Promise<boolean> {
    const { target, table, tries } = failed;
    // The catalogue's statements only read: one that was cut off may be repeated.
    if (kind === 'lost') return (effect === 'unsent' || (table === undefined && effect === 'unknown')) && tries <= MAX_UNSENT_RETRIES;
    if (table === undefined) return false;
    if (effect === 'unknown') {
      // A write cannot be repeated; the next one will find the new description.
      if (STALE.has(kind)) await this.#catalog.reload(target);
      return false;
    }
    if (STALE.has(kind)) return this.#afterStale(kind, table, failed);
    if (!SUSPECT.has(kind)) return false;
    const hasChanged = (await this.#catalog.refresh(target)) !== table;
    return hasChanged || (tries < MAX_TRIES_RECENTLY_CHANGED && this.#catalog.isRecentlyChanged(target));
  }

  async #afterStale(kind: FailureKind, table: Table, { target, neighbours, tries }: FailedTry): Promise<boolean> {
    const hasNewNeighbour = neighbours !== undefined && (await this.#reloadNeighbours(target, neighbours));
    const hasChanged = (await this.#catalog.reload(target)) !== table || hasNewNeighbour;
    if (!hasChanged && kind === 'stale' && tries >= MAX_DISAGREEMENTS) this.#misdescribed.add(table);
    return hasChanged || tries === 1 || kind === 'stale';
  }

  /** Returns whether one of the related tables has changed. */
  async #reloadNeighbours(target: TableId, { tables }: Neighbours): Promise<boolean> {
    await this.#relations.read(target);
    let hasChanged = false;
    for (const [name, table] of tables) {
      if (name === target.table) continue;
      const reloaded = await this.#catalog.reload({ ...target, table: name });
      hasChanged ||= reloaded !== table;
    }
    return hasChanged;
  }
}
