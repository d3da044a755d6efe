/**
 * Reads the rows of a body into groups with the same columns, checking every value. Nothing is
 * written before the whole body has been read.
 */
import { apiError } from '../../errors.ts';
import type { Column, Table } from '../../model/table.ts';
import type { Authorized, InsertPlan } from '../../sql/plan.ts';
import { RowValues } from '../../sql/rows.ts';
import type { ParamValue } from '../../sql/statement.ts';
import { BoundedMap } from '../../util/bounded-map.ts';
import { after, type MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import { type JsonCell, type JsonError, type JsonRow, NotRowsError, SPELLING } from '../../util/json/json.ts';
import { memo } from '../../util/memo.ts';
import { authorize, checkWritable, hasPreset } from '../plan/authorize.ts';
import type { InsertBodyPlan } from '../plan/plan-write.ts';
import type { UpsertKey } from '../plan/upsert-key.ts';
import { fromJson, InvalidValue, integerQuickCheck, type QuickCheck, textQuickCheck } from '../plan/values.ts';
import { type RowsTaker, readRows } from '../request/body-rows.ts';

export interface Batch {
  readonly count: number;
  readonly groups: readonly Group[];
}

/** Rows with the same columns. `places` are their positions in the body. */
export interface Group {
  readonly columns: readonly Column[];
  /** A required column that these upsert rows lack, so that they can only update existing rows. */
  readonly missingColumn: string | undefined;
  readonly rows: RowValues;
  readonly places: readonly number[];
}

interface Shape extends Group, Listed {
  readonly places: number[];
}

interface ColumnChecks {
  readonly column: Column;
  readonly text: QuickCheck;
  readonly integer: QuickCheck;
}

export function readBatch(body: Buffer, table: Table, owner: string, use: RowsUse = ROWS.insert): MaybePromise<Batch> {
  const batch = new BatchReader(table, body, use);
  const read = readRows(body, owner, batch);
  return after(read, (count) => {
    if (count === 0) throw apiError('rows_not_array');
    return { count, groups: batch.end() };
  });
}

/** Columns of rows with the same JSON keys, and their checks. */
interface Listed {
  readonly columns: readonly Column[];
  readonly missingColumn: string | undefined;
  readonly checks: readonly ColumnChecks[];
}

const MAX_LISTS = 100;

type ColumnLists = (table: Table) => BoundedMap<string, Listed>;

const columnLists = (): ColumnLists => memo(() => new BoundedMap<string, Listed>(MAX_LISTS));

/** Rules for the JSON keys of rows, by kind of write. */
export interface RowsUse {
  columnsOf(keys: readonly string[], table: Table, row: number): readonly Column[];
  /**
   * Column lists by JSON keys. The same list is returned again, because prepared statements are
   * found by it.
   */
  readonly lists: ColumnLists;
}

class BatchReader implements RowsTaker {
  readonly #table: Table;
  readonly #body: Buffer;
  readonly #use: RowsUse;
  readonly #lists: BoundedMap<string, Listed>;
  readonly #shapes = new Map<string, Shape>();
  #keys: readonly string[] | undefined;
  #shape: Shape | undefined;

  constructor(table: Table, body: Buffer, use: RowsUse) {
    this.#table = table;
    this.#body = body;
    this.#use = use;
    this.#lists = use.lists(table);
  }

  refusal(error: JsonError): Error | undefined {
    if (!(error instanceof NotRowsError)) return undefined;
    return error.row === undefined ? apiError('rows_not_array') : apiError('row_not_object', String(error.row));
  }

  take(index: number, keys: readonly string[], row: JsonRow): void {
    const { checks, rows, places } = this.#shape !== undefined && keys === this.#keys ? this.#shape : this.#enter(keys, index);
    for (let i = 0; i < checks.length; i++) {
      const { column, text, integer } = checks[i] as ColumnChecks;
      const spelled = row.spelled[i];
      const from = row.from[i] as number;
      let end = -1;
      if (spelled === SPELLING.plainText) end = text(column, row.bytes, from, row.to[i] as number);
      else if (spelled === SPELLING.integer) end = integer(column, row.bytes, from, row.to[i] as number);
      if (end < 0) rows.add(checked(column, row.cell(i), index));
      else rows.addRange(from, end);
    }
    rows.count++;
    places.push(index);
  }

  #enter(keys: readonly string[], row: number): Shape {
    const name = keys.join('\0');
    const shape = this.#shapes.get(name) ?? this.#addShape(name, keys, row);
    this.#keys = keys;
    this.#shape = shape;
    return shape;
  }

  #addShape(name: string, keys: readonly string[], row: number): Shape {
    let listed = this.#lists.get(name);
    if (listed === undefined) {
      listed = toList(this.#use.columnsOf(keys, this.#table, row), this.#table);
      this.#lists.set(name, listed);
    }
    const shape = newShape(listed, this.#body);
    this.#shapes.set(name, shape);
    return shape;
  }

  end(): readonly Shape[] {
    return [...this.#shapes.values()];
  }
}

function toList(columns: readonly Column[], table: Table): Listed {
  const missingColumn = table.columns.find((column) => column.required && !columns.includes(column))?.name;
  return {
    columns,
    missingColumn,
    checks: columns.map((column) => ({ column, text: textQuickCheck(column), integer: integerQuickCheck(column) })),
  };
}

function newShape({ columns, missingColumn, checks }: Listed, body: Buffer): Shape {
  return { columns, missingColumn, checks, rows: new RowValues(columns.length, body), places: [] };
}

function insertColumns(keys: readonly string[], table: Table, row: number): readonly Column[] {
  const columns = givenColumns(keys, table, row);
  for (const column of table.columns) if (column.required) demand(column, columns, row);
  return columns;
}

function givenColumns(keys: readonly string[], table: Table, row: number): readonly Column[] {
  const columns = keys.map((key) => writable(table.byName.get(key) ?? unknown('row_key_unknown', row, key), row));
  checkWritable(table, columns);
  return columns;
}

function demand(column: Column, columns: readonly Column[], row: number): void {
  if (!columns.includes(column)) throw apiError('row_key_missing', String(row), column.name);
}

/** Columns of a PATCH row: the whole key and at least one other column. */
function patchColumns(keys: readonly string[], table: Table, row: number): readonly Column[] {
  const columns = keys.map((key) => table.byName.get(key) ?? unknown('row_column_unknown', row, key));
  for (const column of table.primaryKey) {
    if (!columns.includes(column)) throw apiError('patch_key_missing', String(row), column.name);
  }
  if (columns.length === table.primaryKey.length) throw apiError('patch_nothing', String(row));
  const changed = columns.filter((column) => !table.primaryKey.includes(column));
  checkWritable(table, changed);
  for (const column of changed) writable(column, row);
  return columns;
}

/**
 * Rows of an upsert. A row with its whole key may exist already, so its required columns may be
 * absent.
 */
export function rowsToInsert(key: UpsertKey | undefined): RowsUse {
  return key === undefined ? ROWS.insert : upsertUse(key);
}

const upsertUse = memo(
  (key: UpsertKey): RowsUse => ({
    lists: columnLists(),
    columnsOf(keys, table, row) {
      const columns = givenColumns(keys, table, row);
      const absent = key.filter((column) => !columns.includes(column) && !hasPreset(table, column));
      // The database may generate a primary key; the columns of another key are all required.
      if (key === table.primaryKey && absent.length > 0) return insertColumns(keys, table, row);
      for (const column of absent) demand(column, columns, row);
      return columns;
    },
  }),
);

export const ROWS = {
  insert: { columnsOf: insertColumns, lists: columnLists() },
  patch: { columnsOf: patchColumns, lists: columnLists() },
} as const satisfies Record<string, RowsUse>;

function unknown(error: 'row_key_unknown' | 'row_column_unknown', row: number, key: string): never {
  throw apiError(error, String(row), key);
}

function writable(column: Column, row: number): Column {
  if (column.readOnly) throw apiError('row_value', String(row), column.name, 'the column is generated by the database');
  return column;
}

function checked(column: Column, cell: JsonCell, row: number): ParamValue {
  try {
    return fromJson(column, cell);
  } catch (error) {
    if (error instanceof InvalidValue) throw apiError('row_value', String(row), column.name, error.message);
    throw error;
  }
}

/**
 * Plans one insert per group, or a single one with absent columns for engines without transactions.
 */
export function planRows(
  batch: Batch,
  { table, upsert, access }: Pick<InsertBodyPlan, 'table' | 'upsert' | 'access'>,
  transactions: boolean,
  returning?: readonly Column[],
): readonly Authorized<InsertPlan>[] {
  if (!transactions && batch.groups.length > 1) return [authorize({ table, upsert, ...merged(batch) }, access, 'insert')];
  return batch.groups.map(({ columns, rows }) => authorize({ table, columns, rows, upsert, returning }, access, 'insert'));
}

function merged(batch: Batch): Pick<InsertPlan, 'columns' | 'rows' | 'absent'> {
  const columns = [...new Set(batch.groups.flatMap((group) => group.columns))];
  const rows: ParamValue[][] = new Array(batch.count);
  const absent: Set<number>[] = new Array(batch.count);
  for (const group of batch.groups) {
    const sources = columns.map((column) => group.columns.indexOf(column));
    const missing = new Set(sources.flatMap((source, index) => (source < 0 ? [index] : [])));
    group.places.forEach((place, index) => {
      const row = group.rows.row(index);
      rows[place] = sources.map((source) => (source < 0 ? null : (row[source] ?? null)));
      absent[place] = missing;
    });
  }
  return { columns, rows: RowValues.of(columns.length, rows), absent };
}

/** The first n rows of a batch. */
export function prefix(batch: Batch, n: number): Batch {
  const groups = batch.groups.flatMap((group): Group[] => {
    const end = group.places.findIndex((place) => place >= n);
    if (end === 0) return [];
    return [end < 0 ? group : { ...group, rows: group.rows.first(end), places: group.places.slice(0, end) }];
  });
  return { count: Math.min(n, batch.count), groups };
}
