/**
 * Turns the rows of a plan into as few INSERT statements as possible. A single row becomes VALUES, and so does a number of rows that came before:
 * such a statement is prepared once and costs the server least. Any other number of rows travels as one JSON document, which has one text for
 * all numbers. What JSON cannot carry becomes VALUES too.
 */
import { paramType, returningClause } from '../../../sql/compile/compile.ts';
import { InsertStatements } from '../../../sql/compile/insert-statements.ts';
import type { BoundStatement } from '../../../sql/dialect.ts';
import type { InsertPlan } from '../../../sql/plan.ts';
import type { RowValues } from '../../../sql/rows.ts';
import type { ParamType, ParamValue } from '../../../sql/statement.ts';
import { BoundedMap } from '../../../util/bounded-map.ts';
import type { MysqlStatement } from '../statement.ts';
import { jsonDocuments, jsonSource } from './insert-json.ts';
import { geometryOf, quote, selectItem, tableName } from './names.ts';
import { upsertClause } from './upsert.ts';

/** The protocol counts parameters in 16 bits. */
const PARAMETERS_MOST = 65_535;
/** Well below the smallest max_allowed_packet that the servers ship with (16 MiB). */
export const BYTES_MOST = 4 * 1024 * 1024;

export function insertStatements(plan: InsertPlan): readonly BoundStatement[] {
  const { rows } = plan;
  // What stands behind the rows has values of its own.
  if (plan.onConflict?.where !== undefined) return valuesStatements(plan);
  if (rows.count === 1) return [{ statement: ONE_ROW.of(plan), params: rows.row(0) }];
  // Only for VALUES, whose number of rows is known beforehand, do the servers give one key after the other.
  if (plan.keys === 'generated') return valuesStatements(plan);
  const own = ownStatement(plan);
  if (own !== undefined) return [{ statement: withRows(own, rows), params: [] }];
  const statement = FROM_JSON.of(plan);
  const documents = statement === undefined ? undefined : jsonDocuments(plan.columns, rows, BYTES_MOST);
  if (statement === undefined || documents === undefined) return valuesStatements(plan);
  return documents.map((document) => ({ statement, params: [document] }));
}

/** The statement is shared, the rows are this request's. */
function withRows(statement: MysqlStatement, rows: RowValues): MysqlStatement {
  return { ...statement, rows };
}

/** The most parameters that one statement is prepared for. Its rows must fit into a packet, too. */
const OWN_PARAMETERS_MOST = 10_000;
const SIZES_MOST = 8;

/** Recent numbers of rows, and their statements from the second time on. */
const SIZES = new InsertStatements(() => new BoundedMap<number, MysqlStatement | 'once'>(SIZES_MOST));

function ownStatement(plan: InsertPlan): MysqlStatement | undefined {
  const { columns, rows } = plan;
  const { count } = rows;
  if (columns.length === 0 || count * columns.length > OWN_PARAMETERS_MOST || rows.bytes > BYTES_MOST) return undefined;
  const known = SIZES.of(plan);
  const before = known.get(count);
  if (before === undefined) {
    known.set(count, 'once');
    return undefined;
  }
  if (before !== 'once') return before;
  const statement = valuesStatement(plan, count);
  known.set(count, statement);
  return statement;
}

const ONE_ROW = new InsertStatements((plan) => valuesStatement(plan, 1));

export const JSON_TYPE = { kind: 'json', cast: 'json' } as const;

/** Undefined when a column cannot travel this way. */
const FROM_JSON = new InsertStatements((plan): MysqlStatement | undefined => {
  const source = jsonSource(plan.columns);
  return source === undefined ? undefined : statementOf(plan, `SELECT * FROM ${source}`, [JSON_TYPE]);
});

function target({ table, columns }: InsertPlan): string {
  return `INSERT INTO ${tableName(table)} (${columns.map((column) => quote(column.name)).join(', ')})`;
}

function valuesStatements(plan: InsertPlan): readonly BoundStatement[] {
  const rowsMost = Math.max(1, Math.floor(PARAMETERS_MOST / Math.max(1, plan.columns.length)));
  const given = Array.from({ length: plan.rows.count }, (_, i) => plan.rows.row(i));
  return batches(given, rowsMost).map((rows) => ({ statement: valuesStatement(plan, rows.length), params: rows.flat() }));
}

function valuesStatement(plan: InsertPlan, count: number): MysqlStatement {
  const { columns } = plan;
  const row = `(${columns.map((column) => geometryOf(column, '?')).join(', ')})`;
  const types = columns.map(paramType);
  return statementOf(plan, `VALUES ${new Array(count).fill(row).join(', ')}`, new Array(count).fill(types).flat());
}

function statementOf(plan: InsertPlan, source: string, types: readonly ParamType[]): MysqlStatement {
  const clause = conflictClause(plan);
  const { text: returned, columns } = returningClause(plan.returning, selectItem);
  const text = `${target(plan)} ${source}${clause}${returned}`;
  return clause === '' ? { text, types, ...columns } : { text, types, ...columns, upsert: 'by_key' };
}

/** Without its whole key in the rows, an upsert can meet no row of that key: it is a plain insert. */
function conflictClause({ table, columns, upsert: key, onConflict }: InsertPlan): string {
  if (key === undefined || key.length === 0 || !key.every((column) => columns.includes(column))) return '';
  return upsertClause(table, key, onConflict?.set ?? columns.filter((column) => !key.includes(column)));
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
