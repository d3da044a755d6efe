/** An app's document after it was read: what the page shows, and what it needs of its space. */

import type { OrderItem } from '../../auto/request/column-lists.ts';
import type { ExpandItem } from '../../auto/request/expand-syntax.ts';
import type { RawFilter } from '../../auto/request/filter-syntax.ts';
import type { AggregateItem, GroupItem } from '../../auto/request/request.ts';
import type { Declaration, DeclaredType } from '../../custom/inputs/declaration.ts';
import type { DefinitionMethod } from '../../model/definition.ts';
import type { TableKey } from '../../model/persona.ts';
import type { PlainMap, PlainValue } from '../../util/text/decimal.ts';
import type { Spot } from './problems.ts';

export interface AppDocument {
  readonly app: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly permission: readonly string[];
  readonly locale: string | undefined;
  readonly inputs: ReadonlyMap<string, AppInput>;
  readonly blocks: readonly AppBlock[];
  /** The document as a value, for clients. */
  readonly value: PlainMap;
}

export interface AppInput {
  readonly declaration: Declaration;
  readonly isHidden: boolean;
}

export const KINDS = ['text', 'metric', 'chart', 'table', 'record', 'form', 'row', 'tabs'] as const;
export type BlockKind = (typeof KINDS)[number];

export interface AppBlock {
  readonly kind: BlockKind;
  /** `undefined` for rows without one. */
  readonly id: string | undefined;
  readonly title: string | undefined;
  readonly note: string | undefined;
  readonly span: number | undefined;
  /** Markdown of a text. */
  readonly text: string | undefined;
  /** Blocks of a row, or of all tabs. */
  readonly blocks: readonly AppBlock[];
  readonly tabs: readonly Tab[];
  /** The block as it is written. */
  readonly value: PlainMap;
}

export interface Tab {
  readonly title: string;
  readonly blocks: readonly AppBlock[];
}

/** A part of the document and its place. */
export interface Placed<T> extends Spot {
  readonly value: T;
}

/** Something that the document needs of its space. */
export type Need = TableNeed | EndpointNeed | WriteNeed | AppNeed;

/** Rows of a table. */
export interface TableNeed {
  readonly of: 'table';
  readonly table: Placed<TableKey>;
  readonly filters: readonly Placed<RawFilter>[];
  readonly order: readonly Placed<readonly OrderItem[]>[];
  readonly expand: readonly Placed<readonly ExpandItem[]>[];
  readonly groups: readonly Placed<GroupItem>[];
  readonly aggregates: readonly Placed<AggregateItem>[];
  readonly having: readonly Placed<RawFilter>[];
  /** Columns that the rows must have. */
  readonly columns: readonly Placed<string>[];
  /** Aggregates of all rows. */
  readonly totals: readonly Placed<AggregateItem>[];
  /** Groups of all rows, such as the months of a trend. */
  readonly trends: readonly Placed<GroupItem>[];
  /** Number of values of the key of one row. */
  readonly key: Placed<number> | undefined;
}

/** A call of a Custom endpoint. */
export interface EndpointNeed {
  readonly of: 'endpoint';
  readonly uri: Placed<string>;
  readonly method: DefinitionMethod;
  readonly version: Placed<string> | undefined;
  /** Names with literal values; `undefined` for placeholders and fields of a form. */
  readonly inputs: readonly Placed<{ readonly name: string; readonly literal: PlainValue | undefined }>[];
  readonly fields: readonly FormField[];
  /** `true` if the form sends all declared names, because it lists no fields. */
  readonly sendsAll: boolean;
}

/** A write to a table. */
export interface WriteNeed {
  readonly of: 'write';
  readonly table: Placed<TableKey>;
  readonly operation: 'insert' | 'update' | 'delete';
  readonly fields: readonly FormField[];
  readonly values: readonly Placed<string>[];
  readonly key: Placed<number> | undefined;
  readonly sendsAll: boolean;
}

/** A link to another app. */
export interface AppNeed {
  readonly of: 'app';
  readonly app: Placed<string>;
  readonly inputs: readonly Placed<string>[];
}

/** A field of a form, which may only narrow what its target declares. */
export interface FormField extends Spot {
  readonly name: string;
  readonly type: Placed<DeclaredType> | undefined;
  readonly required: Placed<boolean> | undefined;
  readonly enum: readonly Placed<string>[];
}

/** The documented rules of the language, beside those of its blocks. */
export const MAX_BLOCKS = 100;
export const MAX_INPUTS = 30;
export const MAX_FIELDS = 40;
export const MAX_LEVELS = 3;
