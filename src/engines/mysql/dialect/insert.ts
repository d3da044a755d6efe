/**
 * Turns rows into as few INSERT statements as possible. One row, or a number of rows that repeats,
 * becomes VALUES: prepared once, it costs the server least. Other numbers travel as one JSON
 * document, whose SQL text is always the same. Values that JSON cannot represent become VALUES too.
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
const MAX_PARAMETERS = 65_535;
/** Below the smallest default of max_allowed_packet (16 MiB). */
export const MAX_BYTES = 4 * 1024 * 1024;

export function insertStatements(plan: InsertPlan): readonly BoundStatement[] {
  const { rows } = plan;
  // The condition behind the rows has parameters too.
  if (plan.onConflict?.where !== undefined) return valuesStatements(plan);
  if (rows.count === 1) return [{ statement: ONE_ROW.of(plan), params: rows.row(0) }];
  // The servers generate consecutive keys only for VALUES, whose number of rows is known
  // beforehand.
  if (plan.keys === 'generated') return valuesStatements(plan);
  const own = ownStatement(plan);
  if (own !== undefined) return [{ statement: withRows(own, rows), params: [] }];
  const statement = FROM_JSON.of(plan);
  const documents = statement === undefined ? undefined : jsonDocuments(plan.columns, rows, MAX_BYTES);
  if (statement === undefined || documents === undefined) return valuesStatements(plan);
  return documents.map((document) => ({ statement, params: [document] }));
}

/** The statement is shared, the rows belong to this request. */
function withRows(statement: MysqlStatement, rows: RowValues): MysqlStatement {
  return { ...statement, rows };
}

/**
 * Maximum number of parameters of a statement for a fixed number of rows, which must also fit into
 * a packet.
 */
const MAX_FIXED_PARAMETERS = 10_000;
const MAX_SIZES = 8;

/** Recent numbers of rows, with their statements from the second time on. */
const SIZES = new InsertStatements(() => new BoundedMap<number, MysqlStatement | 'once'>(MAX_SIZES));

function ownStatement(plan: InsertPlan): MysqlStatement | undefined {
  const { columns, rows } = plan;
  const { count } = rows;
  if (columns.length === 0 || count * columns.length > MAX_FIXED_PARAMETERS || rows.bytes > MAX_BYTES) return undefined;
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

/** `undefined` if a column cannot travel as JSON. */
const FROM_JSON = new InsertStatements((plan): MysqlStatement | undefined => {
  const source = jsonSource(plan.columns);
  return source === undefined ? undefined : statementOf(plan, `SELECT * FROM ${source}`, [JSON_TYPE]);
});

function target({ table, columns }: InsertPlan): string {
  return `INSERT INTO ${tableName(table)} (${columns.map((column) => quote(column.name)).join(', ')})`;
}

function valuesStatements(plan: InsertPlan): readonly BoundStatement[] {
  const rowsMost = Math.max(1, Math.floor(MAX_PARAMETERS / Math.max(1, plan.columns.length)));
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

/**
 * Returns the conflict clause. An upsert whose rows lack a key column cannot meet a row of that
 * key, so it is an insert.
 */
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
    if (current.length === rowsMost || (current.length > 0 && bytes + size > MAX_BYTES)) {
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

/** Upper bound of the size: three bytes per UTF-16 unit, nine per length. */
function rowBytes(row: readonly ParamValue[]): number {
  let bytes = 0;
  for (const value of row) bytes += value === null ? 2 : (typeof value === 'string' ? value.length * 3 : value.length) + 11;
  return bytes;
}
