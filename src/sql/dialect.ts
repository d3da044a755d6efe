/**
 * The differences between the engines' SQL, and nothing else: how to quote, bind, compare, page and insert.
 * `compile.ts` does everything that they share.
 */
import type { Column, Table } from '../model/table.ts';
import type { AggregateFunction, TimePart } from './aggregates.ts';
import type { Predicates } from './operators.ts';
import type { InsertPlan, RowLimit, SelectPlan, UpdateRowsPlan } from './plan.ts';
import type { Operand, ParamType, ParamValue, Statement, StatementParam } from './statement.ts';

/** Collects parameters while a statement's text is built. */
export interface ParamBinder {
  /** Adds a value of a column's type and returns its placeholder. */
  value(column: Column, value: ParamValue): string;
  /** Adds a text whatever the column is (patterns of LIKE). */
  text(value: string): string;
  /** Adds a whole number of ours (limit, offset). */
  int(value: number | bigint): string;
}

export interface BoundStatement {
  readonly statement: Statement;
  readonly params: readonly StatementParam[];
}

/**
 * How a column is compared. `plain`: as the catalogue describes it, because the result shows what it is and an old description is found out.
 * `strict`: such that the comparison never holds for a row that it does not name, whatever the column has become since.
 */
export type Comparing = 'plain' | 'strict';

export interface RowEstimate {
  explain(select: string): string;
  /** From the rows of the answer, each by the names of its columns; undefined when they do not tell. */
  rows(answer: readonly ReadonlyMap<string, string | null>[]): number | undefined;
}

export interface Dialect {
  /** How patterns and our own numbers are bound. */
  readonly textType: ParamType;
  readonly intType: ParamType;
  quote(identifier: string): string;
  table(table: Table): string;
  /** The n-th placeholder (from 1) for a type as the engine casts it. */
  placeholder(index: number, cast: string): string;
  /** What to select so that the cell's bytes are canonical. */
  selectItem(column: Column): string;
  /** What can be said of a column; `name` is how it is written where it stands. */
  predicates(column: Column, name: string, bind: ParamBinder, how: Comparing): Predicates;
  /** ORDER BY item that puts NULLs in the same place on every engine: first ascending, last descending. */
  orderItem(column: Column, direction: 'asc' | 'desc', name?: string): string;
  /** A moment or date cut down to the beginning of a part of time. */
  truncate?(column: Column, part: TimePart): string;
  /** Such a value as one of the column's kind; absent where it is one. */
  formatPart?(column: Column, value: string): string;
  /** An aggregate, where it is not written as every engine writes it. */
  aggregate?(aggregate: AggregateFunction, column: Column, name: string): string | undefined;
  /** The type of a sum or an average of a column, so that it can be compared. */
  aggregateType?(column: Column, aggregate: AggregateFunction): Pick<Column, 'type' | 'cast'>;
  /**
   * What a subquery about related rows may be. `uncorrelated`: it cannot refer to the row outside. `apart from writes`: it cannot read a table that the
   * statement writes, unless it is a table of its own. Absent where it may be anything.
   */
  readonly related?: 'uncorrelated' | 'apart from writes';
  /** Is a column one of these values, as one parameter? Absent where each of them is one. */
  memberOfArray?(column: Column, name: string, values: readonly Operand[], bind: ParamBinder): string;
  /** What to select of a column so that equal values are equal bytes; absent where that is the column itself. */
  equalityColumn?(column: Column): Column;
  /** The first rows of each group, behind ORDER BY; absent where a window function has to number them. */
  limitPerGroup?(limit: number, group: readonly string[]): string;
  /** Is a page sooner read with the rows of other tables joined to it than before them? Absent where it never is. */
  prefersJoin?(page: SelectPlan): boolean;
  /** How the planner or the statistics are asked for a number of rows. */
  readonly estimate?: RowEstimate;
  /** Are keys read sooner than rows, so that a page far behind is found by them (`compile-page.ts`)? Not where an index cannot tell whether a row is there. */
  readonly keysFirst?: true;
  /** LIMIT and OFFSET. */
  page(limit: number, offset: number | bigint, bind: ParamBinder): string;
  /** Rows of one plan, in as few statements as the engine can take them. */
  insert(plan: InsertPlan): readonly BoundStatement[];
  /** What stands right of the `=` in an UPDATE; absent where it is the bound value as it is. */
  assignedValue?(column: Column, value: ParamValue, bind: ParamBinder): string;
  /**
   * Rows that are found by their keys and changed, all of them in as few statements as the engine can take them; each ends with a condition. Absent, or
   * undefined for some rows, where every row needs a statement of its own.
   */
  updateRows?(plan: UpdateRowsPlan): readonly BoundStatement[] | undefined;
  /** A statement that tells the first key which the last INSERT made, and how far apart they are; absent where RETURNING does. */
  readonly generatedKeysQuery?: string;
  /** That key as an expression. One that was not made by the INSERT (but by a trigger, say) is another than it says. */
  readonly generatedKey?: string;
  /** UPDATE and DELETE; absent where they are written as standard SQL has them, and the engine has transactions. */
  update?(table: string, set: string, where: string, types: readonly ParamType[], maxRows: RowLimit): Statement;
  delete?(table: string, where: string, types: readonly ParamType[], maxRows: RowLimit): Statement;
}
