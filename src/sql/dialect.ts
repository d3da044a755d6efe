/**
 * The differences between the engines' SQL: how to quote, bind, compare, page and insert. Types
 * only; `compile/` does everything that engines share.
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
  /** Adds a string that is not of a column's type (patterns of LIKE). */
  text(value: string): string;
  /** Adds a number of the service (limit, offset). */
  int(value: number | bigint): string;
}

export interface BoundStatement {
  readonly statement: Statement;
  readonly params: readonly StatementParam[];
}

/**
 * How a column is compared. `plain`: as the catalog describes it; the result's own types reveal an
 * outdated description. `strict`: the comparison is correct even if the column's type has changed
 * since.
 */
export type Comparing = 'plain' | 'strict';

export interface RowEstimate {
  explain(select: string): string;
  /** Reads the estimate from the result's rows, by column name; `undefined` if there is none. */
  rows(result: readonly ReadonlyMap<string, string | null>[], table: Table): number | undefined;
}

export interface Dialect {
  /** Parameter types of patterns, and of limits and offsets. */
  readonly textType: ParamType;
  readonly intType: ParamType;
  quote(identifier: string): string;
  table(table: Table): string;
  /** The n-th placeholder (from 1) for a type as the engine casts it. */
  placeholder(index: number, cast: string): string;
  /** Select item whose cells are in canonical form. */
  selectItem(column: Column): string;
  /** Predicates on a column; `name` is the column's name in the statement. */
  predicates(column: Column, name: string, bind: ParamBinder, how: Comparing): Predicates;
  /**
   * ORDER BY item that puts NULLs in the same place on every engine: first ascending, last
   * descending.
   */
  orderItem(column: Column, direction: 'asc' | 'desc', name?: string): string;
  /** Truncates a timestamp or date to the beginning of a time part. */
  truncate?(column: Column, part: TimePart): string;
  /** Converts a truncated value back to the column's kind, where needed. */
  formatPart?(column: Column, value: string): string;
  /** SQL of an aggregate, where it differs from the standard. */
  aggregate?(aggregate: AggregateFunction, column: Column, name: string): string | undefined;
  /** Type of a sum or average of a column, for comparisons. */
  aggregateType?(column: Column, aggregate: AggregateFunction): Pick<Column, 'type' | 'cast'>;
  /**
   * Limits of subqueries on related rows. `uncorrelated`: they cannot refer to the outer row.
   * `apart from writes`: they can read the table that the statement writes only through a derived
   * table.
   */
  readonly related?: 'uncorrelated' | 'apart from writes';
  /** Tests membership with a single array parameter, where the engine supports it. */
  memberOfArray?(column: Column, name: string, values: readonly Operand[], bind: ParamBinder): string;
  /** Column to select so that equal values have equal bytes, if that is not the column itself. */
  equalityColumn?(column: Column): Column;
  /**
   * Clause after ORDER BY that limits the rows of each group; otherwise a window function numbers
   * them.
   */
  limitPerGroup?(limit: number, group: readonly string[]): string;
  /** `true` if joining related rows to the page is faster than reading them separately. */
  prefersJoin?(page: SelectPlan): boolean;
  /** How to get an estimated row count from the planner or the statistics. */
  readonly estimate?: RowEstimate;
  /**
   * Set if a deep page is faster to find by its keys (`compile-page.ts`). Not for engines whose
   * indexes do not know which rows are visible.
   */
  readonly keysFirst?: true;
  /** LIMIT and OFFSET. */
  page(limit: number, offset: number | bigint, bind: ParamBinder): string;
  /** Inserts the rows of a plan in as few statements as possible. */
  insert(plan: InsertPlan): readonly BoundStatement[];
  /** Right side of an assignment in UPDATE, if it is not the plain placeholder. */
  assignedValue?(column: Column, value: ParamValue, bind: ParamBinder): string;
  /**
   * Updates many rows by their keys in few statements; each statement ends with a condition.
   * Absent, or `undefined` for some rows, if every row needs its own statement.
   */
  updateRows?(plan: UpdateRowsPlan): readonly BoundStatement[] | undefined;
  /**
   * Query for the first key that the last INSERT generated and the increment, for engines without
   * RETURNING.
   */
  readonly generatedKeysQuery?: string;
  /** Expression for the last generated key. It is wrong if a trigger set the key. */
  readonly generatedKey?: string;
  /** UPDATE and DELETE, for engines that deviate from standard SQL or have no transactions. */
  update?(table: string, set: string, where: string, types: readonly ParamType[], maxRows: RowLimit): Statement;
  delete?(table: string, where: string, types: readonly ParamType[], maxRows: RowLimit): Statement;
}
