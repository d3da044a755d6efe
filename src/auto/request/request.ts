/** A request to the Auto API as data, before its table is known. Types only. */
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

/** Rows that match filters, or the row of one key. */
export type RowSelector = { readonly filters: readonly RawFilter[] } | { readonly key: readonly RawValue[] };

export interface ReadRequest extends RequestBase {
  readonly do: 'read';
  readonly filters: readonly RawFilter[];
  readonly page: number;
  readonly size: number;
  readonly select: readonly string[] | undefined;
  readonly order: readonly OrderItem[] | undefined;
  readonly count: 'exact' | 'estimated' | undefined;
  /** Cursor of keyset paging, empty for the first page; `undefined` without keyset paging. */
  readonly after: string | undefined;
  readonly expand: readonly ExpandItem[] | undefined;
  /** Accepted and ignored, unless the table has a column of that name. */
  readonly version: string | undefined;
}

/** A group: a column, or a part of its date and time. */
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

/** Aggregates of rows, by groups. */
export interface GroupRequest extends Omit<ReadRequest, 'do' | 'select' | 'after' | 'expand'> {
  readonly do: 'group';
  readonly groups: readonly GroupItem[];
  readonly aggregates: readonly AggregateItem[];
  readonly having: RawFilter | undefined;
}

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
  /** Set if the response contains the written rows: these columns, or all. */
  readonly returning: { readonly select: readonly string[] | undefined } | undefined;
}

/** The key of an upsert: the primary key, or the unique key of these columns. */
export type UpsertTarget = 'primary key' | readonly string[];

export interface InsertRequest extends RequestBase, WriteOptions {
  readonly do: 'insert';
  readonly body: Buffer;
  readonly upsert: UpsertTarget | undefined;
}

/** A PATCH of rows by their keys. */
export interface PatchRowsRequest extends RequestBase, WriteOptions {
  readonly do: 'patch';
  readonly body: Buffer;
}

/** Columns and their new values, as written in the body. */
export type ColumnValues = readonly (readonly [name: string, value: JsonCell])[];

export interface PatchObject {
  readonly body: Buffer;
  /** Set if the body was read already. Throws the errors of the body. */
  readonly parsed?: () => ColumnValues;
}

/** New value of one column (`set`), or of several (a JSON object). */
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

/** The operation whose rights apply to a request. */
export const OPERATIONS: Readonly<Record<AutoRequest['do'], Operation>> = {
  read: 'read',
  group: 'read',
  row: 'read',
  insert: 'insert',
  patch: 'update',
  update: 'update',
  delete: 'delete',
};
