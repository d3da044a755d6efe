/**
 * The query parameters of the Auto REST API, one row each: the parser of requests takes these and no others, the OpenAPI document lists them, and the
 * reference page has them. Knows no table.
 */

/** What can be done with a table, and with one row of it by its key. */
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

/** JSON Schema. */
type Schema = { readonly [name: string]: unknown };

export interface ParameterRow {
  readonly operations: readonly ApiOperation[];
  readonly required?: boolean;
  readonly schema: Schema;
  readonly description: string;
  readonly example?: unknown;
  /** A condition on rows; it may be given again: all of them hold. */
  readonly isFilter?: boolean;
}

/** Those that take filters on columns. */
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
    description: 'The page, from 0.',
    example: 0,
  },
  ps: {
    operations: READ,
    required: true,
    schema: { type: 'integer', minimum: 1 },
    description: 'Rows a page.',
    example: 20,
  },
  format: {
    operations: ALL,
    schema: { type: 'string', enum: ['json', 'xml', 'yaml', 'csv', 'bson'], default: 'json' },
    description: 'The format of the answer.',
  },
  $select: {
    operations: ALL,
    schema: TEXT,
    description: 'Columns of the answer, separated by commas; of a write together with $return=rows.',
  },
  $order: { operations: READ, schema: TEXT, description: 'Columns to sort by, separated by commas, each with .asc or .desc.' },
  $count: {
    operations: READ,
    schema: { type: 'string', enum: ['exact', 'estimated'] },
    description: 'Counts all rows that match, in X-Total-Count; estimated: as the engine guesses.',
  },
  $after: {
    operations: READ,
    schema: TEXT,
    description: 'Paging by cursor, with pg=0: empty for the first page, then the X-Next-Cursor of the page before.',
  },
  $expand: {
    operations: ['read', 'query', 'row.read'],
    schema: TEXT,
    description: 'Related rows inside of each row: customer($select=name),items.',
  },
  $agg: {
    operations: READ,
    schema: TEXT,
    description: 'Sums instead of rows: count,total:sum.amount,avg.price,min.at,max.at,countd.customer_id.',
  },
  $group: { operations: READ, schema: TEXT, description: 'Groups of the sums: status,month:placed_at.month.' },
  $having: { operations: READ, schema: GROUP, description: 'Filters on the names of the answer, with $agg or $group: (total=gt.100).' },
  $has: {
    operations: FILTERED,
    isFilter: true,
    schema: TEXT,
    description: 'Only rows that have such a related row: items(quantity=gt.1).',
  },
  $hasnot: { operations: FILTERED, isFilter: true, schema: TEXT, description: 'Only rows that have no such related row.' },
  $or: { operations: FILTERED, isFilter: true, schema: GROUP, description: 'One of these filters holds: (a=eq.1,b=gt.2).' },
  $and: { operations: FILTERED, isFilter: true, schema: GROUP, description: 'All of these filters hold, within a group.' },
  $not: { operations: FILTERED, isFilter: true, schema: GROUP, description: 'These filters do not hold: (a=eq.1).' },
  $null: { operations: FILTERED, isFilter: true, schema: TEXT, description: 'The column that is NULL.' },
  $notnull: { operations: FILTERED, isFilter: true, schema: TEXT, description: 'The column that is not NULL.' },
  version: {
    operations: ['read', 'query', 'row.read'],
    schema: TEXT,
    description: 'Means nothing to a table; a client may send it with every GET.',
  },
  set: {
    operations: ['update', 'row.update'],
    required: true,
    schema: { type: 'string', pattern: '^[^.]+\\.|^"' },
    description: 'The column and its new value: <column>.<value>.',
  },
  $upsert: {
    operations: ['insert'],
    schema: TEXT,
    description:
      'true: a row whose primary key exists changes that row, and needs no other columns than those to be changed. Or the columns of another unique key.',
    example: 'true',
  },
  $return: {
    operations: WRITES,
    schema: { type: 'string', enum: ['count', 'rows'], default: 'count' },
    description: 'With rows, the answer is the rows as they are after the write, and their number is in X-Rows-Affected.',
  },
  $dry_run: { operations: WRITES, schema: FLAG, description: 'Does it, counts, and takes it back.' },
  $max_affected: {
    operations: WRITES,
    schema: { type: 'integer', minimum: 0 },
    description: 'When more rows than this would be affected, nothing is changed (422).',
    example: 100,
  },
};

/** The names that an operation takes once (`format` and `pwt` go with all of them). */
export function namesOf(operation: ApiOperation): readonly string[] {
  return Object.entries(PARAMETERS).flatMap(([name, { operations, isFilter }]) =>
    operations.includes(operation) && isFilter !== true && name !== 'format' ? [name] : [],
  );
}

export const FILTER_NAMES: ReadonlySet<string> = new Set(
  Object.entries(PARAMETERS).flatMap(([name, { isFilter }]) => (isFilter === true ? [name] : [])),
);
