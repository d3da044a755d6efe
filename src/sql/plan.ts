/**
 * Plans: operations on tables as plain data, ready for SQL. Every name is a catalog column and
 * every value has been checked. Updates and deletes require a condition by their type.
 */

import type { Column, Table } from '../model/table.ts';
import type { AggregateFunction, TimePart } from './aggregates.ts';
import type { Operator } from './operators.ts';
import type { RowValues } from './rows.ts';
import type { Operand, ParamValue } from './statement.ts';

export interface Comparison {
  readonly op: Operator;
  readonly column: Column;
  /** As many values as the operator takes, never NULL. */
  readonly values: readonly Operand[];
}

export type Condition =
  | Comparison
  | { readonly op: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly op: 'not'; readonly of: Condition }
  | { readonly op: 'null' | 'notnull'; readonly column: Column }
  /**
   * Matches the key that the session's last INSERT generated, on engines with
   * `Dialect.generatedKey`.
   */
  | { readonly op: 'generated'; readonly column: Column }
  | RelatedCondition;

/**
 * How rows of two tables are related: `columns` equal `key`, or both occur in a row of a junction
 * table.
 */
export interface Link {
  readonly from: Table;
  /** Columns of `from`. */
  readonly columns: readonly Column[];
  /** Columns of the related table. */
  readonly key: readonly Column[];
  readonly through?: JunctionLink;
}

export interface JunctionLink {
  readonly rows: Authorized<CountPlan>;
  /** Columns of the junction that refer to `from` and to the related table. */
  readonly columns: readonly Column[];
  readonly references: readonly Column[];
}

/** Related rows of other rows. */
export interface RelatedRows {
  readonly link: Link;
  /** Plan on the related table. Its limit applies per key; 0 means no limit. */
  readonly select: Authorized<SelectPlan>;
}

/** Matches rows with or without a related row. */
export interface RelatedCondition {
  readonly op: 'has' | 'hasnot';
  readonly link: Link;
  readonly rows: Authorized<CountPlan>;
}

export interface OrderTerm {
  readonly column: Column;
  readonly direction: 'asc' | 'desc';
}

/**
 * Plans made on hot paths set `masks` and `joined` to undefined from the start, because V8 is slow
 * to copy an object into one with more properties.
 */
export interface SelectPlan {
  readonly table: Table;
  readonly columns: readonly Column[];
  /**
   * `described`: use the result's own types. Otherwise, other types mean that the plan is outdated.
   */
  readonly kinds?: 'described' | undefined;
  readonly where: Condition | undefined;
  readonly order: readonly OrderTerm[];
  readonly limit: number;
  readonly offset: number | bigint;
  /** `true` if `where` only continues after a cursor. */
  readonly isContinuation?: boolean;
  /** `true` to lock the rows until the transaction ends. */
  readonly lock?: boolean;
  /** Replacement values by column; set by authorization. */
  readonly masks?: ReadonlyMap<Column, string | null> | undefined;
  /**
   * Relations joined into the page query: to-one relations, optionally followed by one list
   * (`joined-rows.ts`).
   */
  readonly joined?: readonly RelatedRows[] | undefined;
}

/** Source of a result column: a group or an aggregate. */
export type OutputSource =
  | { readonly of: 'group'; readonly column: Column; readonly part: TimePart | undefined }
  | { readonly of: 'rows'; readonly aggregate: AggregateFunction; readonly column: Column | undefined };

export interface Output {
  readonly source: OutputSource;
  readonly column: Column;
  /** Column as which the output is compared. */
  readonly compared: Column;
}

/** Aggregates of rows, in groups or as a whole. */
export interface GroupPlan {
  readonly table: Table;
  readonly where: Condition | undefined;
  readonly outputs: readonly Output[];
  /** Condition on the `compared` columns of the outputs. */
  readonly having: Condition | undefined;
  readonly order: readonly { readonly output: Output; readonly direction: 'asc' | 'desc' }[];
  readonly limit: number;
  readonly offset: number | bigint;
}

export interface CountPlan {
  readonly table: Table;
  readonly where: Condition | undefined;
}

/** Rows with the same columns. */
export interface InsertPlan {
  readonly table: Table;
  readonly columns: readonly Column[];
  readonly rows: RowValues;
  /**
   * Columns (by index) that each row lacks, so that their defaults apply. Only for engines without
   * transactions, where all rows must be one statement.
   */
  readonly absent?: readonly ReadonlySet<number>[];
  /** Key of an upsert: an existing row is updated. `undefined` for a plain insert. */
  readonly upsert: readonly Column[] | undefined;
  /** `generated` if the statement must report the keys that the database generates. */
  readonly keys?: 'generated' | undefined;
  readonly returning?: Returning;
  /**
   * Restricts the update of existing rows. By default all other columns are set. A row that does
   * not match fails the upsert.
   */
  readonly onConflict?: ConflictUpdate;
}

export interface ConflictUpdate {
  readonly set: readonly Column[];
  readonly where: Condition | undefined;
}

export interface Assignment {
  readonly column: Column;
  readonly value: ParamValue;
}

/** Columns of written rows that a statement returns, on engines with RETURNING. */
export type Returning = readonly Column[] | undefined;

/**
 * Maximum number of rows to write. If more match, none is written and the outcome has their number.
 * Only for engines without transactions, which count first.
 */
export type RowLimit = number | undefined;

export interface UpdatePlan {
  readonly table: Table;
  /** At least one assignment. */
  readonly set: readonly Assignment[];
  readonly where: Condition;
  readonly returning?: Returning;
  readonly maxRows?: RowLimit;
}

/** Updates of rows by their keys. */
export interface UpdateRowsPlan {
  readonly table: Table;
  readonly key: readonly Column[];
  /** Key columns and columns to set, in the order of the rows' values. */
  readonly columns: readonly Column[];
  readonly rows: RowValues;
  /**
   * Columns to set; by default all that are not part of the key. If empty, rows are only matched.
   */
  readonly set?: readonly Column[];
  /** Additional condition on the rows. */
  readonly where?: Condition | undefined;
}

export interface DeletePlan {
  readonly table: Table;
  readonly where: Condition;
  readonly returning?: Returning;
  readonly maxRows?: RowLimit;
}

export type TablePlan = SelectPlan | GroupPlan | CountPlan | InsertPlan | UpdatePlan | UpdateRowsPlan | DeletePlan;

declare const AUTHORIZED: unique symbol;

/**
 * A plan within its caller's rights. Only `auto/plan/authorize.ts` makes one; only such a plan
 * compiles.
 */
export type Authorized<P extends TablePlan> = P & { readonly [AUTHORIZED]: true };
