/**
 * Which reads are brief: the row of a key, or a page near the beginning of a table. Any of them takes about as long as another of its kind, so that
 * several may share a connection. Where that depends on the rows, as it does where the rules of a persona leave some of many, a kind has to show it
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
/** So many in a row have to be quick. */
const PROOF = 8;

/** Reads that take about as long as each other, as far as is known. */
export class BriefKind {
  #quick: number;
  #isHeavy = false;

  constructor(isProven: boolean) {
    this.#quick = isProven ? PROOF : 0;
  }

  get isShared(): boolean {
    return this.#quick >= PROOF && !this.#isHeavy;
  }

  took(ms: number, wasShared: boolean): void {
    if (ms > (wasShared ? SHARED_QUICK_MS : QUICK_MS)) this.#quick = 0;
    else if (this.#quick < PROOF) this.#quick++;
  }

  /** An answer was more than its reader took at once: who shares a connection with such a one has to wait. */
  wasPaused(): void {
    this.#isHeavy = true;
  }
}

export class BriefKinds {
  readonly #rows = new WeakMap<Table, BriefKind>();
  readonly #pages = new WeakMap<Table, BriefKind>();

  /** `request`: one that reaches no other table. */
  of(request: AutoRequest, table: Table, access: Access): BriefKind | undefined {
    if (table.kind !== 'table') return undefined;
    if (request.do === 'row') return request.expand === undefined ? kindIn(this.#rows, table, true) : undefined;
    if (request.do !== 'read' || request.expand !== undefined || request.count !== undefined) return undefined;
    const { filters, page, size, order } = request;
    if (filters.length > 0) return namesKey(table, filters) ? kindIn(this.#rows, table, true) : undefined;
    // Any other order may mean to sort them all.
    if (order !== undefined || table.primaryKey.length === 0 || size > PAGE_MOST || (page + 1) * size > NEAR) return undefined;
    return kindIn(this.#pages, visibleTable(table, access, 'read'), access.restriction === undefined);
  }
}

function kindIn(kinds: WeakMap<Table, BriefKind>, table: Table, isProven: boolean): BriefKind {
  let kind = kinds.get(table);
  if (kind === undefined) {
    kind = new BriefKind(isProven);
    kinds.set(table, kind);
  }
  return kind;
}

function namesKey({ primaryKey, unique }: Table, filters: readonly RawFilter[]): boolean {
  return isNamed(primaryKey, filters) || unique.some((key) => isNamed(key, filters));
}

function isNamed(columns: Table['primaryKey'], filters: readonly RawFilter[]): boolean {
  return columns.length > 0 && columns.every(({ name }) => filters.some((filter) => filter.op === 'eq' && filter.column === name));
}
