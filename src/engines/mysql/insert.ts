/**
 * Rows of one plan → as few INSERT statements as the servers take them in. One row is VALUES; several travel as one JSON document,
 * which has one text for any number of rows and costs least on both sides; what JSON cannot carry is VALUES again. Pure.
 */
import type { Column } from '../../model/table.ts';
import { paramType } from '../../sql/compile.ts';
import type { Ready } from '../../sql/dialect.ts';
import type { InsertPlan } from '../../sql/plan.ts';
import type { ParamValue } from '../../sql/statement.ts';
import { jsonRows, jsonSource } from './insert-json.ts';
import { placeholder, quote, tableName } from './names.ts';
import { upsertClause } from './upsert.ts';

/** The protocol counts parameters in 16 bits. */
const PARAMETERS_MOST = 65_535;
/** Well below the smallest max_allowed_packet that the servers ship with (16 MiB). */
const BYTES_MOST = 4 * 1024 * 1024;

export function insertStatements(plan: InsertPlan): readonly Ready[] {
  const { columns } = plan;
  const target = `INSERT INTO ${tableName(plan.table)} (${columns.map((column) => quote(column.name)).join(', ')})`;
  const source = plan.rows.length > 1 ? jsonSource(columns) : undefined;
  const rows = source === undefined ? undefined : jsonRows(columns, plan.rows);
  if (source === undefined || rows === undefined) return valuesStatements(plan, `${target} VALUES `);
  const statement = { text: `${target} ${source}${conflictClause(plan)}`, types: [JSON_TYPE] };
  return batches(rows, rows.length).map((part) => ({ statement, params: [JSON.stringify(part)] }));
}

const JSON_TYPE = { kind: 'json', cast: 'json' } as const;

function valuesStatements(plan: InsertPlan, head: string): readonly Ready[] {
  const { columns } = plan;
  const row = `(${columns.map((column) => placeholder(column.cast)).join(', ')})`;
  const tail = conflictClause(plan);
  const types = columns.map(paramType);
  const rowsMost = Math.max(1, Math.floor(PARAMETERS_MOST / Math.max(1, columns.length)));
  return batches(plan.rows, rowsMost).map((rows) => ({
    statement: {
      text: head + Array.from(rows, () => row).join(', ') + tail,
      types: rows.flatMap(() => types),
    },
    params: rows.flat(),
  }));
}

/** Without its whole key in the rows, an upsert can meet no row of that key: it is a plain insert. */
function conflictClause(plan: InsertPlan): string {
  const { primaryKey } = plan.table;
  const given = new Set(plan.columns);
  if (!plan.upsert || primaryKey.length === 0 || !primaryKey.every((column) => given.has(column))) return '';
  const names = (columns: readonly Column[]) => columns.map((column) => quote(column.name));
  return upsertClause(tableName(plan.table), names(primaryKey), names(plan.columns.filter((column) => !primaryKey.includes(column))));
}

type Rows = readonly (readonly ParamValue[])[];

function batches(rows: Rows, rowsMost: number): readonly Rows[] {
  const found: (readonly ParamValue[])[][] = [];
  let current: (readonly ParamValue[])[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = rowBytes(row);
    if (current.length === rowsMost || (current.length > 0 && bytes + size > BYTES_MOST)) {
      found.push(current);
      current = [];
      bytes = 0;
    }
    current.push(row);
    bytes += size;
  }
  if (current.length > 0) found.push(current);
  return found;
}

/** An upper bound: a UTF-16 unit is at most three bytes of UTF-8, a length at most nine. */
function rowBytes(row: readonly ParamValue[]): number {
  let bytes = 0;
  for (const value of row) bytes += value === null ? 2 : (typeof value === 'string' ? value.length * 3 : value.length) + 11;
  return bytes;
}
