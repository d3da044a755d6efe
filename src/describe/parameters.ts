/**
 * The query parameters of the Auto REST API and the statuses of its operations, one row each: what the document lists, the reference page has, and
 * the parser of requests takes. A test holds the three together.
 */
import type { Operation } from '../model/persona.ts';
import type { Schema } from './column-schema.ts';

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

export interface ParameterRow {
  readonly operations: readonly ApiOperation[];
  readonly required?: boolean;
  readonly schema: Schema;
  readonly description: string;
  readonly example?: unknown;
  /** May be given again: all of them hold. */
  readonly repeats?: boolean;
}

const FILTERED: readonly ApiOperation[] = ['read', 'update', 'patch', 'delete'];
const WRITES: readonly ApiOperation[] = ['insert', 'update', 'patch', 'delete', 'row.update', 'row.patch', 'row.delete'];
const ALL: readonly ApiOperation[] = ['read', 'row.read', ...WRITES];
const FLAG: Schema = { type: 'boolean', default: false };
const TEXT: Schema = { type: 'string' };
const GROUP: Schema = { type: 'string', pattern: '^\\([\\s\\S]+\\)$' };

export const PARAMETERS: Readonly<Record<string, ParameterRow>> = {
  pg: {
    operations: ['read'],
    required: true,
    schema: { type: 'integer', minimum: 0, maximum: 9_999_999_999 },
    description: 'The page, from 0.',
    example: 0,
  },
  ps: {
    operations: ['read'],
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
  $order: { operations: ['read'], schema: TEXT, description: 'Columns to sort by, separated by commas, each with .asc or .desc.' },
  $count: {
    operations: ['read'],
    schema: { type: 'string', enum: ['exact', 'estimated'] },
    description: 'Counts all rows that match, in X-Total-Count; estimated: as the engine guesses.',
  },
  $after: {
    operations: ['read'],
    schema: TEXT,
    description: 'Paging by cursor, with pg=0: empty for the first page, then the X-Next-Cursor of the page before.',
  },
  $expand: {
    operations: ['read', 'row.read'],
    schema: TEXT,
    description: 'Related rows inside of each row: customer($select=name),items.',
  },
  $agg: {
    operations: ['read'],
    schema: TEXT,
    description: 'Sums instead of rows: count,total:sum.amount,avg.price,min.at,max.at,countd.customer_id.',
  },
  $group: { operations: ['read'], schema: TEXT, description: 'Groups of the sums: status,month:placed_at.month.' },
  $having: { operations: ['read'], schema: GROUP, description: 'Filters on the names of the answer, with $agg or $group: (total=gt.100).' },
  $has: { operations: FILTERED, repeats: true, schema: TEXT, description: 'Only rows that have such a related row: items(quantity=gt.1).' },
  $hasnot: { operations: FILTERED, repeats: true, schema: TEXT, description: 'Only rows that have no such related row.' },
  $or: { operations: FILTERED, repeats: true, schema: GROUP, description: 'One of these filters holds: (a=eq.1,b=gt.2).' },
  $and: { operations: FILTERED, repeats: true, schema: GROUP, description: 'All of these filters hold, within a group.' },
  $not: { operations: FILTERED, repeats: true, schema: GROUP, description: 'These filters do not hold: (a=eq.1).' },
  $null: { operations: FILTERED, repeats: true, schema: TEXT, description: 'The column that is NULL.' },
  $notnull: { operations: FILTERED, repeats: true, schema: TEXT, description: 'The column that is not NULL.' },
  set: {
    operations: ['update', 'row.update'],
    required: true,
    schema: { type: 'string', pattern: '^[^.]+\\.|^"' },
    description: 'The column and its new value: <column>.<value>.',
  },
  $upsert: { operations: ['insert'], schema: FLAG, description: 'A row whose primary key exists replaces that row.' },
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

/** What every operation can answer besides its success. */
export const COMMON_STATUSES: readonly number[] = [400, 401, 403, 404, 424, 500, 503, 504];

interface OperationRow {
  /** What the caller must be granted. */
  readonly right: Operation;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: 'table' | 'query' | 'row';
  readonly success: number;
  readonly statuses: readonly number[];
  readonly summary: string;
}

export const OPERATION_ROWS: Readonly<Record<ApiOperation, OperationRow>> = {
  read: { right: 'read', method: 'get', path: 'table', success: 200, statuses: [406, 414, 417, 422], summary: 'Read a page of rows' },
  query: {
    right: 'read',
    method: 'post',
    path: 'query',
    success: 200,
    statuses: [406, 413, 415, 417, 422],
    summary: 'Read a page of rows, with the query as a form',
  },
  insert: {
    right: 'insert',
    method: 'post',
    path: 'table',
    success: 201,
    statuses: [406, 409, 413, 415, 422],
    summary: 'Insert rows, all or none',
  },
  update: {
    right: 'update',
    method: 'put',
    path: 'table',
    success: 200,
    statuses: [406, 417, 422],
    summary: 'Set one column of the rows that match',
  },
  patch: {
    right: 'update',
    method: 'patch',
    path: 'table',
    success: 200,
    statuses: [406, 413, 415, 417, 422],
    summary: 'Set columns of the rows that match, or of rows by their keys',
  },
  delete: {
    right: 'delete',
    method: 'delete',
    path: 'table',
    success: 200,
    statuses: [406, 417, 422],
    summary: 'Delete the rows that match',
  },
  'row.read': { right: 'read', method: 'get', path: 'row', success: 200, statuses: [406, 422], summary: 'Read one row' },
  'row.update': {
    right: 'update',
    method: 'put',
    path: 'row',
    success: 200,
    statuses: [406, 412, 422],
    summary: 'Set one column of a row',
  },
  'row.patch': {
    right: 'update',
    method: 'patch',
    path: 'row',
    success: 200,
    statuses: [406, 412, 413, 415, 422],
    summary: 'Set columns of a row',
  },
  'row.delete': { right: 'delete', method: 'delete', path: 'row', success: 200, statuses: [406, 412, 422], summary: 'Delete a row' },
};

export const API_OPERATIONS = Object.keys(OPERATION_ROWS) as readonly ApiOperation[];

/** Of Custom calls. */
export const CALL_STATUSES: readonly number[] = [405, 406, 413, 415, 422];
