/**
 * Keyset paging. A cursor holds the order columns of the last row as text. The dialects sort NULL
 * before all values.
 */
import { apiError } from '../../errors.ts';
import type { Backpressure, Cells, ResultColumn, RowSink } from '../../model/cells.ts';
import type { Column } from '../../model/table.ts';
import type { Condition, OrderTerm } from '../../sql/plan.ts';
import type { ParamValue } from '../../sql/statement.ts';
import type { CursorSeal } from './access.ts';
import { fromText, InvalidValue } from './values.ts';

const shapeOf = (order: readonly OrderTerm[]): string => order.map(({ column, direction }) => `${column.name} ${direction}`).join();

/**
 * A cursor may contain values that the caller may not read, so it is encrypted for restricted
 * callers.
 */
export function encodeCursor(order: readonly OrderTerm[], values: readonly (string | null)[], seal: CursorSeal | undefined): string {
  const text = JSON.stringify([shapeOf(order), ...values]);
  return seal === undefined ? Buffer.from(text).toString('base64url') : seal.seal(text);
}

/** Builds (a > x) OR (a = x AND b > y) OR …, in the direction of each term. */
export function cursorCondition(cursor: string, order: readonly OrderTerm[], seal: CursorSeal | undefined): Condition {
  const values = decode(cursor, order, seal);
  const alternatives = order.map((term, index): Condition => {
    const equal = order.slice(0, index).map(({ column }, i) => same(column, values[i] ?? null));
    return { op: 'and', of: [...equal, behind(term, values[index] ?? null)] };
  });
  return { op: 'or', of: alternatives };
}

function same(column: Column, value: ParamValue): Condition {
  return value === null ? { op: 'null', column } : { op: 'eq', column, values: [value] };
}

const NEVER: Condition = { op: 'or', of: [] };

function behind({ column, direction }: OrderTerm, value: ParamValue): Condition {
  if (direction === 'asc') return value === null ? { op: 'notnull', column } : { op: 'gt', column, values: [value] };
  if (value === null) return NEVER;
  const less: Condition = { op: 'lt', column, values: [value] };
  return column.nullable ? { op: 'or', of: [less, { op: 'null', column }] } : less;
}

function decode(cursor: string, order: readonly OrderTerm[], seal: CursorSeal | undefined): readonly ParamValue[] {
  const wrong = (): Error => apiError('parameter_invalid', '$after', 'it is not a cursor of this table and order; begin with an empty one');
  let parsed: unknown;
  try {
    parsed = JSON.parse(seal === undefined ? Buffer.from(cursor, 'base64url').toString('utf8') : (seal.open(cursor) ?? ''));
  } catch {
    throw wrong();
  }
  if (!Array.isArray(parsed) || parsed[0] !== shapeOf(order) || parsed.length !== order.length + 1) throw wrong();
  return order.map(({ column }, index) => {
    const value: unknown = parsed[index + 1];
    if (value === null) return null;
    if (typeof value !== 'string') throw wrong();
    try {
      return fromText(column, value, 'compare');
    } catch (error) {
      if (error instanceof InvalidValue) throw wrong();
      throw error;
    }
  });
}

/** Passes rows on without the hidden columns and remembers the position of the last row. */
export class CursorSink implements RowSink {
  readonly #inner: RowSink;
  readonly #order: readonly OrderTerm[];
  readonly #visible: number;
  readonly #seal: CursorSeal | undefined;
  #positions: readonly number[] = [];
  #last: (string | null)[] | undefined;

  constructor(inner: RowSink, order: readonly OrderTerm[], visible: number, seal: CursorSeal | undefined) {
    this.#inner = inner;
    this.#order = order;
    this.#visible = visible;
    this.#seal = seal;
  }

  /** Cursor after the last row; `undefined` without rows. */
  get cursor(): string | undefined {
    return this.#last === undefined ? undefined : encodeCursor(this.#order, this.#last, this.#seal);
  }

  start(columns: readonly ResultColumn[], flow: Backpressure): void {
    this.#positions = this.#order.map((term) => columns.findIndex((column) => column.name === term.column.name));
    this.#inner.start(columns.slice(0, this.#visible), flow);
  }

  row(cells: Cells): void {
    this.#last = this.#positions.map((position, index) => cellText(cells, position, this.#order[index]?.column.kind));
    this.#inner.row(cells);
  }
}

/** Returns a cell as text that is accepted as a value again; `null` for NULL. */
export function cellText(cells: Cells, index: number, kind: string | undefined): string | null {
  const from = cells.from[index] ?? -1;
  if (from < 0) return null;
  const text = cells.bytes.toString(kind === 'bytes' ? 'base64' : 'utf8', from, cells.to[index]);
  if (kind === 'bool') return text.startsWith('t') ? 'true' : 'false';
  return text;
}
