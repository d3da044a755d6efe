/**
 * What is to be done with a table, as plain data: the last thing before SQL. Every name in it is a column of the catalogue and
 * every value has been checked against its column. Update and delete demand a condition by their type, and no plan becomes SQL
 * before it has been narrowed to what its caller may do.
 */

import type { Column, Table } from '../model/table.ts';
import type { AggregateFunction, TimePart } from './aggregates.ts';
import type { Operator } from './operators.ts';
import type { RowValues } from './rows.ts';
import type { Operand, ParamValue } from './statement.ts';

export interface Comparison {
  readonly op: Operator;
  readonly column: Column;
  /** As many as the operator takes. Never null. */
  readonly values: readonly Operand[];
}

export type Condition =
  | Comparison
  | { readonly op: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly op: 'not'; readonly of: Condition }
  | { readonly op: 'null' | 'notnull'; readonly column: Column }
  /** The column has the key that the last INSERT of the session made; only for engines that can say so (`Dialect.generatedKey`). */
  | { readonly op: 'generated'; readonly column: Column }
  | RelatedCondition;

/** How rows of one table belong to rows of another: values of `columns` are those of `key`, or both stand in a row of the junction. */
export interface Link {
  readonly from: Table;
  /** Of `from`. */
  readonly columns: readonly Column[];
  /** Of the table that is reached. */
  readonly key: readonly Column[];
  readonly through?: JunctionLink;
}

export interface JunctionLink {
  readonly rows: Authorized<CountPlan>;
  /** Of the junction: those that refer to `from`, and those that refer to the table that is reached. */
  readonly columns: readonly Column[];
  readonly references: readonly Column[];
}

/** The rows of a table that belong to rows of another. */
export interface RelatedRows {
  readonly link: Link;
  /** Of the table that is reached; its limit is that of one key, and 0 is none. */
  readonly select: Authorized<SelectPlan>;
}

/** Is there a row among these that belongs to it, or none? */
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
 * Where many are made, `masks` and `joined` are there from the start, undefined: the runtime is slow to copy a plan into one with a member more, and keeps
 * what it takes for that until the next full collection.
 */
export interface SelectPlan {
  readonly table: Table;
  readonly columns: readonly Column[];
  /** The result is written by what its own description says. Without it, a result of other kinds than the columns' shows that the plan is old. */
  readonly kinds?: 'described' | undefined;
  readonly where: Condition | undefined;
  readonly order: readonly OrderTerm[];
  readonly limit: number;
  readonly offset: number | bigint;
  /** `where` says no more than behind which row of the order they are. */
  readonly isContinuation?: boolean;
  /** The rows stay locked until the transaction ends. */
  readonly lock?: boolean;
  /** What is shown instead of the values of a column; set by narrowing. */
  readonly masks?: ReadonlyMap<Column, string | null> | undefined;
  /** Of each, the one row that belongs to a row comes with it, and of the last one perhaps several (`joined-rows.ts`). */
  readonly joined?: readonly RelatedRows[] | undefined;
}

/** What a column of a grouped answer is made of. */
export type OutputSource =
  | { readonly of: 'group'; readonly column: Column; readonly part: TimePart | undefined }
  | { readonly of: 'rows'; readonly aggregate: AggregateFunction; readonly column: Column | undefined };

export interface Output {
  readonly source: OutputSource;
  /** Its name and kind. */
  readonly column: Column;
  /** What it is compared as. */
  readonly compared: Column;
}

/** Rows that are summed up, in groups or as a whole. */
export interface GroupPlan {
  readonly table: Table;
  readonly where: Condition | undefined;
  readonly outputs: readonly Output[];
  /** Over what the outputs are compared as. */
  readonly having: Condition | undefined;
  readonly order: readonly { readonly output: Output; readonly direction: 'asc' | 'desc' }[];
  readonly limit: number;
  readonly offset: number | bigint;
}

export interface CountPlan {
  readonly table: Table;
  readonly where: Condition | undefined;
}

/** Rows with the same keys: one statement. */
export interface InsertPlan {
  readonly table: Table;
  readonly columns: readonly Column[];
  readonly rows: RowValues;
  /**
   * Only for engines without transactions, where rows with different keys must still be one statement: by row, the columns (by index)
   * that it does not have and whose default applies.
   */
  readonly absent?: readonly ReadonlySet<number>[];
  /** The key by which rows are known: where it is taken, the other columns are updated. Undefined: a taken key is refused. */
  readonly upsert: readonly Column[] | undefined;
  /** The database makes the keys, and the statement must be one for which it tells them. */
  readonly keys?: 'generated' | undefined;
  readonly returning?: Returning;
  /** What an upsert may do to a row whose key is taken; without it: set all other columns. A row that does not match fails the upsert. */
  readonly onConflict?: ConflictUpdate;
}

export interface ConflictUpdate {
  readonly set: readonly Column[];
  readonly where: Condition | undefined;
}

/** What a column becomes. */
export interface Assignment {
  readonly column: Column;
  readonly value: ParamValue;
}

/** The columns of the written rows that a statement gives back, for engines that can. */
export type Returning = readonly Column[] | undefined;

/** When more rows match, nothing is written, and the outcome tells how many do. Only for engines that count before they write, since nothing can be taken back. */
export type RowLimit = number | undefined;

export interface UpdatePlan {
  readonly table: Table;
  /** At least one. */
  readonly set: readonly Assignment[];
  readonly where: Condition;
  readonly returning?: Returning;
  readonly maxRows?: RowLimit;
}

/** Rows with the same columns, each with its key: the others of its columns become what it says. */
export interface UpdateRowsPlan {
  readonly table: Table;
  readonly key: readonly Column[];
  /** Those of the key and those to be set, in the order of the rows' values. */
  readonly columns: readonly Column[];
  readonly rows: RowValues;
  /** Which of them are set; without it: all that are not of the key. With none of them, the rows are only found. */
  readonly set?: readonly Column[];
  /** What else must hold for a row. */
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

/** A plan within what its caller may do. `auto/access.ts` alone makes one, and compiling demands one. */
export type Authorized<P extends TablePlan> = P & { readonly [AUTHORIZED]: true };
