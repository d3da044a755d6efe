/**
 * Which reads are brief: the row of a key, or a page near the beginning of a table, also with what belongs to its rows when that comes in the same
 * statement. Any of them takes about as long as another of its kind, so that several may share a connection. Where that depends on the rows, as it does where the rules of a persona leave some of many, a kind has to show it
 * first; and one that has become slow, by a lock or by large rows, has to show it again.
 */
import type { Table } from '../model/table.ts';
import { type Access, visibleTable } from './access.ts';
import type { RawFilter } from './filter-syntax.ts';
import type { AutoRequest } from './request.ts';

/** How many rows of a table are passed over and read for such a page. */
const NEAR = 1000;
const PAGE_MOST = 100;
/** Milliseconds in which a brief read is over, waiting included. */
const QUICK_MS = 10;
/** Of one that waits for those before it on its connection. */
const SHARED_QUICK_MS = 80;
/** How much longer it takes to read what belongs to the rows. */
const EXPANDING = 4;
/** So many in a row have to be quick. */
const PROOF = 8;

/** Reads that take about as long as each other, as far as is known. */
export class BriefKind {
  readonly #slowness: number;
  #quick: number;
  #isHeavy = false;

  /** `slowness`: how many times as long as a plain read it may take. */
  constructor(isProven: boolean, slowness = 1) {
    this.#quick = isProven ? PROOF : 0;
    this.#slowness = slowness;
  }

  get isShared(): boolean {
    return this.#quick >= PROOF && !this.#isHeavy;
  }

  took(ms: number, wasShared: boolean): void {
    if (ms > (wasShared ? SHARED_QUICK_MS : QUICK_MS) * this.#slowness) this.#quick = 0;
    else if (this.#quick < PROOF) this.#quick++;
  }

  /** One of them needs a transaction, or its answer was more than its reader took at once: who shares a connection with such a one has to wait. */
  neverShare(): void {
    this.#isHeavy = true;
  }
}

export class BriefKinds {
  readonly #rows = new WeakMap<Table, BriefKind>();
  readonly #pages = new WeakMap<Table, BriefKind>();
  readonly #expanded = new WeakMap<Table, WeakMap<object, BriefKind>>();

  of(request: AutoRequest, table: Table, access: Access): BriefKind | undefined {
    if (table.kind !== 'table') return undefined;
    if (request.do === 'row') return request.expand === undefined ? kindIn(this.#rows, table, true) : undefined;
    if (request.do !== 'read' || request.count !== undefined) return undefined;
    const { filters, page, size, order, expand } = request;
    if (filters.length > 0) return expand === undefined && namesKey(table, filters) ? kindIn(this.#rows, table, true) : undefined;
    // Any other order may mean to sort them all.
    if (order !== undefined || table.primaryKey.length === 0 || size > PAGE_MOST || (page + 1) * size > NEAR) return undefined;
    const isFree = access.restriction === undefined;
    if (expand === undefined) return kindIn(this.#pages, visibleTable(table, access, 'read'), isFree);
    return isFree ? this.#expandedBy(expand, table) : undefined;
  }

  /** A text of `$expand` is the same object for all tables that are asked so. */
  #expandedBy(expand: object, table: Table): BriefKind {
    let kinds = this.#expanded.get(table);
    if (kinds === undefined) {
      kinds = new WeakMap();
      this.#expanded.set(table, kinds);
    }
    return kindIn(kinds, expand, true, EXPANDING);
  }
}

function kindIn<K extends object>(kinds: WeakMap<K, BriefKind>, of: K, isProven: boolean, slowness = 1): BriefKind {
  let kind = kinds.get(of);
  if (kind === undefined) {
    kind = new BriefKind(isProven, slowness);
    kinds.set(of, kind);
  }
  return kind;
}

/** Conditions on other tables may take longer than the row itself. */
function namesKey({ primaryKey, unique }: Table, filters: readonly RawFilter[]): boolean {
  if (!filters.every((filter) => 'column' in filter)) return false;
  return isNamed(primaryKey, filters) || unique.some((key) => isNamed(key, filters));
}

function isNamed(columns: Table['primaryKey'], filters: readonly RawFilter[]): boolean {
  return columns.length > 0 && columns.every(({ name }) => filters.some((filter) => filter.op === 'eq' && filter.column === name));
}
