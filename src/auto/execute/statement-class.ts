/**
 * Which statements are brief: the row of a key, to be read or written, a few new rows, or a page near the beginning of a table, also with what belongs
 * to its rows when that comes in the same statement. Any of them takes about as long as another of its kind, so that several may share a connection.
 * Where that depends on the rows, as it does where the rules of a persona leave some of many, a kind has to show it first; and one that has become
 * slow, by a lock, by large rows or by a disk, has to show it again.
 */

import type { Engine } from '../../engines/contract/engine.ts';
import { type BriefKind, type KindTraits, kindIn } from '../../engines/pool/statement-class.ts';
import type { Table } from '../../model/table.ts';
import type { Access } from '../plan/access.ts';
import { visibleTable } from '../plan/authorize.ts';
import type { RawFilter } from '../request/filter-syntax.ts';
import { type AutoRequest, OPERATIONS, type RowSelector, type UpdateRequest, type WriteRequest } from '../request/request.ts';

/** How many rows of a table are passed over and read for such a page. */
const NEAR = 1000;
const PAGE_MOST = 100;
/** Of a body that is written: a few rows. */
const BODY_MOST = 4096;
/** How much longer it takes to read what belongs to the rows. */
const EXPANDING = 4;
/** How much longer a row takes that is written and read again. */
const READING_BACK = 2;

type EngineTraits = Pick<Engine, 'capabilities' | 'mergesWrites'>;

/** Those of one table share with those of others. */
const ROWS: KindTraits = { isProven: true, party: 'rows' };
const PAGES: KindTraits = { isProven: true, party: 'pages' };
const UNPROVEN: KindTraits = { isProven: false };
const EXPANDED: KindTraits = { isProven: true, slowness: EXPANDING };
const WRITES: KindTraits = { isProven: false, writes: true, party: 'writes' };
/** A part is made of them, which takes a while whatever is in it. */
const MERGED: KindTraits = { isProven: false, writes: true, slowness: 20, inOne: { enough: 2, waitMs: 100 } };
/** The server does them one after the other, however long that takes, and two that come at once take it several times as long as one. */
const MERGED_CHANGES: KindTraits = {
  isProven: true,
  slowness: Number.POSITIVE_INFINITY,
  writes: true,
  inOne: { enough: 1, waitMs: 10_000 },
};
const READ_BACK: KindTraits = { isProven: false, writes: true, slowness: READING_BACK, party: 'written and read back' };

export class BriefKinds {
  readonly #rows = new WeakMap<Table, BriefKind>();
  readonly #writes = new WeakMap<Table, BriefKind>();
  readonly #changes = new WeakMap<Table, BriefKind>();
  readonly #readBack = new WeakMap<Table, BriefKind>();
  readonly #pages = new WeakMap<Table, BriefKind>();
  readonly #expanded = new WeakMap<Table, WeakMap<object, BriefKind>>();

  of(request: AutoRequest, table: Table, access: Access, engine: EngineTraits): BriefKind | undefined {
    if (table.kind !== 'table') return undefined;
    if (engine.mergesWrites?.(table) === true) {
      if (isMergedInsert(request)) return kindIn(this.#writes, table, MERGED);
      if (isMergedChange(request, table, access)) return kindIn(this.#changes, table, MERGED_CHANGES);
    }
    if (!engine.capabilities.pipelining) return undefined;
    if (request.do === 'row') return request.expand === undefined ? kindIn(this.#rows, table, ROWS) : undefined;
    if (request.do === 'group') return undefined;
    if (request.do !== 'read') return this.#writing(request, table, engine);
    if (request.count !== undefined) return undefined;
    const { filters, page, size, order, expand } = request;
    if (filters.length > 0) return expand === undefined && namesKey(table, filters) ? kindIn(this.#rows, table, ROWS) : undefined;
    // Any other order may mean to sort them all.
    if (order !== undefined || table.primaryKey.length === 0 || size > PAGE_MOST || (page + 1) * size > NEAR) return undefined;
    const isFree = access.restriction === undefined;
    if (expand === undefined) return kindIn(this.#pages, visibleTable(table, access, 'read'), isFree ? PAGES : UNPROVEN);
    return isFree ? this.#expandedBy(expand, table) : undefined;
  }

  #writing(request: WriteRequest, table: Table, engine: EngineTraits): BriefKind | undefined {
    if (!isBriefWrite(request, table, engine)) return undefined;
    return isReadBack(request, engine) ? kindIn(this.#readBack, table, READ_BACK) : kindIn(this.#writes, table, WRITES);
  }

  /** A text of `$expand` is the same object for all tables that are asked so. */
  #expandedBy(expand: object, table: Table): BriefKind {
    let kinds = this.#expanded.get(table);
    if (kinds === undefined) {
      kinds = new WeakMap();
      this.#expanded.set(table, kinds);
    }
    return kindIn(kinds, expand, EXPANDED);
  }
}

/** The rows that it wrote are wanted, and the engine does not give them by itself. */
function isReadBack(request: WriteRequest, { capabilities }: Pick<Engine, 'capabilities'>): boolean {
  const operation = OPERATIONS[request.do] as 'insert' | 'update' | 'delete';
  return request.returning !== undefined && !capabilities.returning.includes(operation);
}

/** A few new rows, which are written together with those of others. */
function isMergedInsert(request: AutoRequest): boolean {
  if (request.do !== 'insert') return false;
  const { dryRun, maxAffected, returning, upsert, body } = request;
  return !dryRun && maxAffected === undefined && returning === undefined && upsert === undefined && body.length <= BODY_MOST;
}

/** Rows by what the table is sorted by, which no write changes: they are the same whatever others change meanwhile. */
function isMergedChange(request: AutoRequest, { sortedBy }: Table, { restriction }: Access): boolean {
  if ((request.do !== 'update' && request.do !== 'delete') || restriction !== undefined) return false;
  if (request.dryRun || request.returning !== undefined || request.ifMatch !== undefined) return false;
  if (request.do === 'update' && !isSmall(request.changes)) return false;
  if ('key' in request.where) return true;
  const isSorted = (filter: RawFilter): boolean => filter.op === 'eq' && sortedBy.some(({ name }) => name === filter.column);
  return request.where.filters.every(isSorted);
}

function isSmall(changes: UpdateRequest['changes']): boolean {
  return !('body' in changes) || changes.body.length <= BODY_MOST;
}

/** One row of a key, or a few new ones, by one statement that is a transaction by itself, or by one that is sent as a whole. What cannot be taken back is never stopped for others. */
function isBriefWrite(request: WriteRequest, table: Table, engine: Pick<Engine, 'capabilities'>): boolean {
  const { capabilities } = engine;
  if (!capabilities.transactions || !table.transactional || request.dryRun || request.maxAffected !== undefined) return false;
  if (isReadBack(request, engine) && !(capabilities.readsBack && request.do === 'insert')) return false;
  if (request.do === 'patch') return false;
  if (request.do === 'insert') return request.body.length <= BODY_MOST;
  if (request.ifMatch !== undefined || !namesRow(table, request.where)) return false;
  return request.do === 'delete' || isSmall(request.changes);
}

function namesRow(table: Table, where: RowSelector): boolean {
  return 'key' in where || namesKey(table, where.filters);
}

/** Conditions on other tables may take longer than the row itself. */
function namesKey({ primaryKey, unique }: Table, filters: readonly RawFilter[]): boolean {
  if (!filters.every((filter) => 'column' in filter)) return false;
  return isNamed(primaryKey, filters) || unique.some((key) => isNamed(key, filters));
}

function isNamed(columns: Table['primaryKey'], filters: readonly RawFilter[]): boolean {
  return columns.length > 0 && columns.every(({ name }) => filters.some((filter) => filter.op === 'eq' && filter.column === name));
}
