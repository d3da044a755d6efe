/**
 * Rows as one JSON document that the server takes apart again (JSON_TABLE). Every value is a JSON string and becomes a column's value by
 * the same conversion that a text parameter would go through, so what is refused and how it is said stay the same. Pure.
 */
import type { Column, Kind } from '../../model/table.ts';
import type { ParamValue } from '../../sql/statement.ts';
import { BIT, floatOf, YEAR, yearText } from './parameters.ts';
import { temporalText } from './temporal.ts';

/** Longer texts go as LONGTEXT, which costs the server more. */
const VARCHAR_MOST = 1000;
/** What the servers allow a row to have outside of LONGTEXT, less some room, in characters of four bytes. */
const ROW_MOST = 15_000;

interface Carrier {
  /** Characters that the longest value can have; MariaDB cuts longer ones off without a word. */
  size(column: Column): number;
  text(value: string, column: Column): string;
}

const same = (value: string) => value;
const sized = (size: number, text: Carrier['text'] = same): Carrier => ({ size: () => size, text });
const longest = (values: readonly string[] | undefined) => (values ?? []).reduce((most, value) => Math.max(most, value.length), 1);
const temporal = sized(48, temporalText);

/** Kinds without an entry (bytes) travel as parameters. */
const CARRIERS: Partial<Readonly<Record<Kind, Carrier>>> = {
  int: sized(24, (value, column) => (column.cast === YEAR ? yearText(value) : value)),
  decimal: sized(160),
  float: sized(32, (value, column) => String(floatOf(value, column.cast))),
  text: { size: (column) => column.maxLength ?? Number.POSITIVE_INFINITY, text: same },
  enum: { size: (column) => longest(column.values), text: same },
  set: { size: (column) => (column.values ?? []).join(',').length + 1, text: same },
  uuid: sized(48),
  date: temporal,
  time: temporal,
  timestamp: temporal,
  timestamptz: temporal,
  json: sized(Number.POSITIVE_INFINITY),
};

/** `SELECT * FROM JSON_TABLE(?, …)` for the columns; undefined when one of them cannot travel so. */
export function jsonSource(columns: readonly Column[]): string | undefined {
  if (columns.length === 0) return undefined;
  let room = ROW_MOST;
  const items: string[] = [];
  for (const [i, column] of columns.entries()) {
    const size = CARRIERS[column.kind]?.size(column);
    if (size === undefined) return undefined;
    const fits = size <= VARCHAR_MOST && size <= room;
    if (fits) room -= size;
    items.push(`_${i} ${itemType(column, fits ? size : undefined)} PATH '$[${i}]' ERROR ON ERROR`);
  }
  return `SELECT * FROM JSON_TABLE(?, '$[*]' COLUMNS (${items.join(', ')})) AS given`;
}

/** Texts name their character set: MariaDB would take the database's own, which may not hold every character. */
function itemType(column: Column, size: number | undefined): string {
  // A text given to a BIT column would be taken for the bits themselves.
  if (column.cast === BIT) return 'BIGINT UNSIGNED';
  return `${size === undefined ? 'LONGTEXT' : `VARCHAR(${size})`} CHARACTER SET utf8mb4`;
}

/** The rows with every value as text; undefined when a value is longer than its column, which VALUES reports better. */
export function jsonRows(
  columns: readonly Column[],
  rows: readonly (readonly ParamValue[])[],
): readonly (readonly (string | null)[])[] | undefined {
  const carriers = columns.map(sizedFor);
  const written: (string | null)[][] = [];
  for (const row of rows) {
    const line: (string | null)[] = new Array(carriers.length).fill(null);
    for (let i = 0; i < carriers.length; i++) {
      const { column, text, most } = carriers[i] as Sized;
      const value = row[i] ?? null;
      if (value === null) continue;
      if (typeof value !== 'string') return undefined;
      const carried = text(value, column);
      if (carried.length > most) return undefined;
      line[i] = carried;
    }
    written.push(line);
  }
  return written;
}

interface Sized {
  readonly column: Column;
  readonly most: number;
  readonly text: Carrier['text'];
}

function sizedFor(column: Column): Sized {
  const carrier = CARRIERS[column.kind];
  return { column, most: carrier?.size(column) ?? 0, text: carrier?.text ?? same };
}
