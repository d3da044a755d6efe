/**
 * A request to the Auto API as data: what its path, query and headers ask for, before any table is
 * known. Bodies are read later, against the table's columns.
 */
import type { Operation } from '../../model/persona.ts';
import type { AggregateFunction, TimePart } from '../../sql/aggregates.ts';
import type { JsonCell } from '../../util/json/json.ts';
import type { OrderItem } from './column-lists.ts';
import type { EntityTags } from './entity-tags.ts';
import type { ExpandItem } from './expand-syntax.ts';
import type { RawFilter, RawValue } from './filter-syntax.ts';

interface RequestBase {
  readonly format: string;
}

/** Which rows: those that match, or the one of a key. */
export type RowSelector = { readonly filters: readonly RawFilter[] } | { readonly key: readonly RawValue[] };

export interface ReadRequest extends RequestBase {
  readonly do: 'read';
  readonly filters: readonly RawFilter[];
  readonly page: number;
  readonly size: number;
  readonly select: readonly string[] | undefined;
  readonly order: readonly OrderItem[] | undefined;
  readonly count: 'exact' | 'estimated' | undefined;
  /** Keyset paging: the cursor, empty for the first page; undefined when it was not asked for. */
  readonly after: string | undefined;
  readonly expand: readonly ExpandItem[] | undefined;
  /** `version` means nothing to a table, unless a column is called so. */
  readonly version: string | undefined;
}

/** A column of a grouped answer: a column, or a part of the time in it. */
export interface GroupItem {
  readonly alias: string | undefined;
  readonly column: string;
  readonly part: TimePart | undefined;
}

export interface AggregateItem {
  readonly alias: string | undefined;
  readonly aggregate: AggregateFunction;
  readonly column: string | undefined;
}

/** Rows summed up. */
export interface GroupRequest extends Omit<ReadRequest, 'do' | 'select' | 'after' | 'expand'> {
  readonly do: 'group';
  readonly groups: readonly GroupItem[];
  readonly aggregates: readonly AggregateItem[];
  readonly having: RawFilter | undefined;
}

/** One row by its key. */
export interface RowRequest extends RequestBase {
  readonly do: 'row';
  readonly key: readonly RawValue[];
  readonly select: readonly string[] | undefined;
  readonly expand: readonly ExpandItem[] | undefined;
  readonly ifNoneMatch: EntityTags | undefined;
  readonly version: string | undefined;
}

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly maxAffected: number | undefined;
  /** The rows that were written are the answer: these columns of them, or all. */
  readonly returning: { readonly select: readonly string[] | undefined } | undefined;
}

/** The key of an upsert: the primary key, or that of these columns. */
export type UpsertTarget = 'primary key' | readonly string[];

export interface InsertRequest extends RequestBase, WriteOptions {
  readonly do: 'insert';
  readonly body: Buffer;
  readonly upsert: UpsertTarget | undefined;
}

/** Rows of a body, each with its key. */
export interface PatchRowsRequest extends RequestBase, WriteOptions {
  readonly do: 'patch';
  readonly body: Buffer;
}

/** Columns and their new values, as they were written. */
export type ColumnValues = readonly (readonly [name: string, value: JsonCell])[];

export interface PatchObject {
  readonly body: Buffer;
  /** What it says, where it was read ahead; throws what is wrong with it. */
  readonly parsed?: () => ColumnValues;
}

/** New values of one column (`set`), or of several (a JSON object). */
export type NewValues = { readonly column: string; readonly text: string } | PatchObject;

export interface UpdateRequest extends RequestBase, WriteOptions {
  readonly do: 'update';
  readonly where: RowSelector;
  readonly changes: NewValues;
  readonly ifMatch: EntityTags | undefined;
}

export interface DeleteRequest extends RequestBase, WriteOptions {
  readonly do: 'delete';
  readonly where: RowSelector;
  readonly ifMatch: EntityTags | undefined;
}

export type WriteRequest = InsertRequest | PatchRowsRequest | UpdateRequest | DeleteRequest;
export type AutoRequest = ReadRequest | GroupRequest | RowRequest | WriteRequest;

/** Which of the caller's operations a request is. */
export const OPERATIONS: Readonly<Record<AutoRequest['do'], Operation>> = {
  read: 'read',
  group: 'read',
  row: 'read',
  insert: 'insert',
  patch: 'update',
  update: 'update',
  delete: 'delete',
};
