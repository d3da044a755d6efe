/**
 * Keys of rows in memory: which rows have equal keys, and which key values to ask the database for.
 */
import { apiError } from '../../errors.ts';
import type { Cells } from '../../model/cells.ts';
import type { Column } from '../../model/table.ts';
import type { Dialect } from '../../sql/dialect.ts';
import type { Link } from '../../sql/plan.ts';
import type { Operand } from '../../sql/statement.ts';
import { withoutTrailingZeros } from '../../util/text/decimal.ts';
import { cellText } from '../plan/cursor.ts';
import { fromText, InvalidValue } from '../plan/values.ts';
import type { RowStore } from '../rows/row-store.ts';

/** Key values of one statement. Servers allow 65,535 parameters. */
const MAX_KEY_VALUES = 60_000;

/** Equal for keys that the database considers equal. */
export type KeyId = string | number;

/** Matches no key: every text key starts with `=`. */
export const NO_KEY = 'NULL';

/** Positions of a key in a row: its values, and the cells whose bytes decide equality. */
export interface KeyCells {
  /** `true` if the key is a single integer on both sides of the relation. */
  readonly isNumber: boolean;
  readonly columns: readonly Column[];
  readonly values: readonly number[];
  readonly equal: readonly number[];
  readonly kinds: readonly Column['kind'][];
}

/** Key columns on the side of the related rows. */
export const relatedKey = ({ key, through }: Link): readonly Column[] => through?.columns ?? key;

/** Cells of the key in the parent rows, whose columns are `columns`. */
export function parentKeyCells(link: Link, columns: readonly Column[], dialect: Dialect): KeyCells {
  const values = link.columns.map((column) => columns.indexOf(column));
  const equal = link.columns.map((column, i) => {
    const other = dialect.equalityColumn?.(column) ?? column;
    if (other === column) return values[i] as number;
    return columns.findIndex((one) => one !== column && one.name === column.name && one.kind === other.kind);
  });
  const kinds = equal.map((index) => columns[index]?.kind ?? 'text');
  return { isNumber: isNumber(link), columns: link.columns, values, equal, kinds };
}

/** Cells of the key in related rows: it follows their own columns, from `start`. */
export function relatedKeyCells(start: number, link: Link, dialect: Dialect): KeyCells {
  const key = relatedKey(link);
  const equal = key.map((_, i) => start + i);
  const kinds = key.map((column) => (dialect.equalityColumn?.(column) ?? column).kind);
  return { isNumber: isNumber(link), columns: key, values: equal, equal, kinds };
}

function isNumber(link: Link): boolean {
  const related = relatedKey(link);
  return related.length === 1 && related[0]?.kind === 'int' && link.columns[0]?.kind === 'int';
}

/**
 * Appends columns whose bytes are equal when the keys are, where the key's own bytes may differ.
 */
export function withEqualityColumns(columns: readonly Column[], keys: readonly Column[], dialect: Dialect): readonly Column[] {
  if (dialect.equalityColumn === undefined) return columns;
  const added = new Map<Column, Column>();
  for (const column of keys) {
    const equal = dialect.equalityColumn(column);
    if (equal !== column) added.set(column, equal);
  }
  return added.size === 0 ? columns : [...columns, ...added.values()];
}

/** `undefined` for a key with NULL, which has no related rows. */
export function keyId(store: RowStore, row: number, cells: KeyCells): KeyId | undefined {
  if (!cells.isNumber) return textId(store, row, cells);
  const index = cells.equal[0] as number;
  const from = store.from(row, index);
  if (from < 0) return undefined;
  return smallNumber(store.bytes, from, store.to(row, index)) ?? textId(store, row, cells);
}

/** Numbers with this many digits are exact. */
const EXACT_DIGITS = 15;
const ZERO = 48;

/** Parses digits; `undefined` for a long or signed number. */
function smallNumber(bytes: Buffer, from: number, to: number): number | undefined {
  if (to - from > EXACT_DIGITS) return undefined;
  let number = 0;
  for (let i = from; i < to; i++) {
    const digit = (bytes[i] as number) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    number = number * 10 + digit;
  }
  return number;
}

function textId(store: RowStore, row: number, { equal, kinds }: KeyCells): string | undefined {
  let text = '';
  for (let i = 0; i < equal.length; i++) {
    const index = equal[i] as number;
    const from = store.from(row, index);
    if (from < 0) return undefined;
    const value = store.bytes.toString('latin1', from, store.to(row, index));
    const isDecimal = kinds[i] === 'decimal' || kinds[i] === 'float';
    text += `${equal.length === 1 ? '' : `${value.length}:`}${isDecimal ? withoutTrailingZeros(value) : value}`;
  }
  return `=${text}`;
}

/** Keys of rows: each key once, and the id of the key of each row. */
export interface DistinctKeys {
  readonly keys: readonly (readonly Operand[])[];
  readonly ids: readonly (KeyId | undefined)[];
}

/**
 * `rows`: the rows to consider; all if undefined. Values that do not fit the related column are
 * skipped.
 */
export function distinctKeys(
  store: RowStore,
  rows: readonly number[] | undefined,
  cells: KeyCells,
  related: readonly Column[],
): DistinctKeys {
  const keys = new Map<KeyId, readonly Operand[]>();
  const ids = new Array<KeyId | undefined>(store.count);
  const count = rows === undefined ? store.count : rows.length;
  for (let i = 0; i < count; i++) {
    const row = rows === undefined ? i : (rows[i] as number);
    const id = keyId(store, row, cells);
    ids[row] = id;
    if (id === undefined || keys.has(id)) continue;
    const key = cells.values.map((index, at) => operand(store, row, index, cells.columns[at] as Column, related[at] as Column));
    if (!key.includes(undefined)) keys.set(id, key as readonly Operand[]);
    if (keys.size * related.length > MAX_KEY_VALUES) throw apiError('expand_too_many', String(MAX_KEY_VALUES));
  }
  return { keys: [...keys.values()], ids };
}

/** Reused for the one cell that is read. */
const CELL: Cells = { bytes: Buffer.alloc(0), from: new Int32Array(1), to: new Int32Array(1) };

function operand(store: RowStore, row: number, index: number, column: Column, related: Column): Operand | undefined {
  CELL.bytes = store.bytes;
  CELL.from[0] = store.from(row, index);
  CELL.to[0] = store.to(row, index);
  const text = cellText(CELL, 0, column.kind);
  if (text === null) return undefined;
  try {
    return fromText(related, text, 'compare');
  } catch (error) {
    if (error instanceof InvalidValue) return undefined;
    throw error;
  }
}
