/**
 * Cursors of keyset paging. A cursor holds the order columns of the last row as text. The dialects
 * sort NULL before all values. Pure.
 */
import { apiError } from '../../errors.ts';
import type { Cells } from '../../model/cells.ts';
import type { Column } from '../../model/table.ts';
import type { Condition, OrderTerm } from '../../sql/plan.ts';
import type { ParamValue } from '../../sql/statement.ts';
import type { CursorSeal } from './access.ts';
import { fromText, InvalidValue } from './values.ts';

/** Boundary between two pages. */
export interface CursorPosition {
  /** Values of the order columns as text. */
  readonly texts: readonly (string | null)[];
  /** Set if the next page begins with further rows that have these values. */
  readonly ties: Ties | undefined;
}

/** Rows that the order does not tell apart, which only tables without a primary key have. */
export interface Ties {
  /** Number of them that were sent. */
  readonly sent: number;
  /** Digest of their values as the database compares them. */
  readonly digest: string;
}

const shapeOf = (order: readonly OrderTerm[]): string => order.map(({ column, direction }) => `${column.name} ${direction}`).join();

/**
 * A cursor may contain values that the caller may not read, so it is encrypted for restricted
 * callers.
 */
export function encodeCursor(order: readonly OrderTerm[], { texts, ties }: CursorPosition, seal: CursorSeal | undefined): string {
  const text = JSON.stringify([shapeOf(order), ...texts, ...(ties === undefined ? [] : [ties.sent, ties.digest])]);
  return seal === undefined ? Buffer.from(text).toString('base64url') : seal.seal(text);
}

const wrong = (): Error => apiError('parameter_invalid', '$after', 'it is not a cursor of this table and order; begin with an empty one');

export function decodeCursor(cursor: string, order: readonly OrderTerm[], seal: CursorSeal | undefined): CursorPosition {
  let parsed: unknown;
  try {
    parsed = JSON.parse(seal === undefined ? Buffer.from(cursor, 'base64url').toString('utf8') : (seal.open(cursor) ?? ''));
  } catch {
    throw wrong();
  }
  if (!Array.isArray(parsed) || parsed[0] !== shapeOf(order)) throw wrong();
  const texts: unknown[] = parsed.slice(1, order.length + 1);
  if (texts.length < order.length || !texts.every(isTextOrNull)) throw wrong();
  return { texts, ties: readTies(parsed.slice(order.length + 1)) };
}

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string';

function readTies([sent, digest, ...rest]: readonly unknown[]): Ties | undefined {
  if (sent === undefined) return undefined;
  if (typeof sent !== 'number' || !Number.isSafeInteger(sent) || sent < 1 || typeof digest !== 'string' || rest.length > 0) throw wrong();
  return { sent, digest };
}

/**
 * Matches the rows behind a position: (a > x) OR (a = x AND b > y) OR …, in the direction of each
 * term. Tied rows match as well, and the page skips the number that was sent.
 */
export function behindPosition({ texts, ties }: CursorPosition, order: readonly OrderTerm[]): Condition {
  const values = order.map(({ column }, index) => operandOf(column, texts[index] ?? null));
  const equal = order.map(({ column }, i) => same(column, values[i] ?? null));
  const alternatives = order.map(
    (term, index): Condition => ({ op: 'and', of: [...equal.slice(0, index), behind(term, values[index] ?? null)] }),
  );
  return { op: 'or', of: ties === undefined ? alternatives : [...alternatives, { op: 'and', of: equal }] };
}

function operandOf(column: Column, text: string | null): ParamValue {
  if (text === null) return null;
  try {
    return fromText(column, text, 'compare');
  } catch (error) {
    if (error instanceof InvalidValue) throw wrong();
    throw error;
  }
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

/** Returns a cell as text that is accepted as a value again; `null` for NULL. */
export function cellText(cells: Cells, index: number, kind: string | undefined): string | null {
  const from = cells.from[index] ?? -1;
  if (from < 0) return null;
  const text = cells.bytes.toString(kind === 'bytes' ? 'base64' : 'utf8', from, cells.to[index]);
  if (kind === 'bool') return text.startsWith('t') ? 'true' : 'false';
  return text;
}
