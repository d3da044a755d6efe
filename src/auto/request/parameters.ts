/**
 * The query parameters of the Auto API, used by the parser, the OpenAPI document and the reference
 * page. No other parameter is accepted.
 */

/** Operations on a table, and on one row by its key. */
export type ApiOperation =
  | 'read'
  | 'query'
  | 'insert'
  | 'update'
  | 'patch'
  | 'delete'
  | 'row.read'
  | 'row.update'
  | 'row.patch'
  | 'row.delete';

type Schema = { readonly [name: string]: unknown };

export interface ParameterRow {
  readonly operations: readonly ApiOperation[];
  readonly required?: boolean;
  readonly schema: Schema;
  readonly description: string;
  readonly example?: unknown;
  /** `true` for a filter. It may be repeated; all filters apply. */
  readonly isFilter?: boolean;
}

/** Operations that accept filters on columns. */
export const FILTERED: readonly ApiOperation[] = ['read', 'query', 'update', 'patch', 'delete'];
const READ: readonly ApiOperation[] = ['read', 'query'];
const WRITES: readonly ApiOperation[] = ['insert', 'update', 'patch', 'delete', 'row.update', 'row.patch', 'row.delete'];
const ALL: readonly ApiOperation[] = ['read', 'query', 'row.read', ...WRITES];
const FLAG: Schema = { type: 'boolean', default: false };
const TEXT: Schema = { type: 'string' };
const GROUP: Schema = { type: 'string', pattern: '^\\([\\s\\S]+\\)$' };

export const PARAMETERS: Readonly<Record<string, ParameterRow>> = {
  pg: {
    operations: READ,
    required: true,
    schema: { type: 'integer', minimum: 0, maximum: 9_999_999_999 },
    description: 'Page number, starting at 0.',
    example: 0,
  },
  ps: {
    operations: READ,
    required: true,
    schema: { type: 'integer', minimum: 1 },
    description: 'Page size in rows.',
    example: 20,
  },
  format: {
    operations: ALL,
    schema: { type: 'string', enum: ['json', 'xml', 'yaml', 'csv', 'bson'], default: 'json' },
    description: 'Format of the response.',
  },
  $select: {
    operations: ALL,
    schema: TEXT,
    description: 'Comma-separated columns of the response. On writes only with $return=rows.',
  },
  $order: { operations: READ, schema: TEXT, description: 'Comma-separated columns to sort by, each optionally with .asc or .desc.' },
  $count: {
    operations: READ,
    schema: { type: 'string', enum: ['exact', 'estimated'] },
    description:
      'Returns the number of matching rows in X-Total-Count: counted (exact) or as estimated by the engine, where it has an estimate.',
  },
  $after: {
    operations: READ,
    schema: TEXT,
    description: 'Cursor paging, with pg=0: empty for the first page, then the X-Next-Cursor of the previous page.',
  },
  $expand: {
    operations: ['read', 'query', 'row.read'],
    schema: TEXT,
    description: 'Related rows to include in each row: customer($select=name),items.',
  },
  $agg: {
    operations: READ,
    schema: TEXT,
    description: 'Aggregates instead of rows: count,total:sum.amount,avg.price,min.at,max.at,countd.customer_id.',
  },
  $group: { operations: READ, schema: TEXT, description: 'Columns to group by: status,month:placed_at.month.' },
  $having: { operations: READ, schema: GROUP, description: 'Filters on the columns of the response, with $agg or $group: (total=gt.100).' },
  $has: {
    operations: FILTERED,
    isFilter: true,
    schema: TEXT,
    description: 'Matches rows that have such a related row: items(quantity=gt.1).',
  },
  $hasnot: { operations: FILTERED, isFilter: true, schema: TEXT, description: 'Matches rows without such a related row.' },
  $or: {
    operations: FILTERED,
    isFilter: true,
    schema: GROUP,
    description: 'Matches if at least one of these filters does: (a=eq.1,b=gt.2).',
  },
  $and: { operations: FILTERED, isFilter: true, schema: GROUP, description: 'Matches if all of these filters do, inside a group.' },
  $not: { operations: FILTERED, isFilter: true, schema: GROUP, description: 'Matches unless all of these filters do: (a=eq.1).' },
  $null: { operations: FILTERED, isFilter: true, schema: TEXT, description: 'Column that must be NULL.' },
  $notnull: { operations: FILTERED, isFilter: true, schema: TEXT, description: 'Column that must not be NULL.' },
  version: {
    operations: ['read', 'query', 'row.read'],
    schema: TEXT,
    description: 'Ignored for tables, so that a client may send it with every GET.',
  },
  set: {
    operations: ['update', 'row.update'],
    required: true,
    schema: { type: 'string', pattern: '^[^.]+\\.|^"' },
    description: 'Column and new value: <column>.<value>.',
  },
  $upsert: {
    operations: ['insert'],
    schema: TEXT,
    description: 'true: updates rows whose primary key exists, with the given columns. A list of columns selects another unique key.',
    example: 'true',
  },
  $return: {
    operations: WRITES,
    schema: { type: 'string', enum: ['count', 'rows'], default: 'count' },
    description: 'rows: returns the rows as they are after the write, and their number in X-Rows-Affected.',
  },
  $dry_run: { operations: WRITES, schema: FLAG, description: 'Executes the write, counts the rows, and rolls back.' },
  $max_affected: {
    operations: WRITES,
    schema: { type: 'integer', minimum: 0 },
    description: 'If more rows would be affected, nothing is changed (422).',
    example: 100,
  },
};

/** Parameters that an operation accepts once, beside `format` and `pwt`. */
export function namesOf(operation: ApiOperation): readonly string[] {
  return Object.entries(PARAMETERS).flatMap(([name, { operations, isFilter }]) =>
    operations.includes(operation) && isFilter !== true && name !== 'format' ? [name] : [],
  );
}

export const FILTER_NAMES: ReadonlySet<string> = new Set(
  Object.entries(PARAMETERS).flatMap(([name, { isFilter }]) => (isFilter === true ? [name] : [])),
);
