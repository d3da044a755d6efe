/**
 * What a caller may do with a table. The only place where a plan is narrowed: planners call `narrow` on everything they plan, and by its type, a plan
 * that was not narrowed cannot become SQL. Today every caller of a project may do everything.
 */
import type { Operation } from '../model/persona.ts';
import type { Table } from '../model/table.ts';
import type { Narrowed, TablePlan } from '../sql/plan.ts';

export interface Access {
  /** Callers with the same key may see each other's answers: it contains everything that narrows a plan. */
  readonly key: string;
}

export const UNRESTRICTED: Access = { key: '' };

/** The table as the caller sees it: requests are planned on nothing else. */
export function visibleTable(table: Table, _access: Access): Table {
  return table;
}

/** The same for a table that a relation reaches; undefined where the caller may not read it, so that there is no such relation. */
export function reachableTable(table: Table, access: Access): Table | undefined {
  return visibleTable(table, access);
}

export function narrow<P extends TablePlan>(plan: P, _access: Access, _operation: Operation): Narrowed<P> {
  return plan as Narrowed<P>;
}
