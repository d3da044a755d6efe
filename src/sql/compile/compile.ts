/**
 * Compiles plans into statements. Pure: equal plans give equal text, so that prepared statements
 * are reused. Only quoted catalog names enter the text.
 */

import type { Column, Kind, Table } from '../../model/table.ts';
import { memoPair } from '../../util/memo.ts';
import type { BoundStatement, Comparing, Dialect, ParamBinder } from '../dialect.ts';
import { OPERATORS } from '../operators.ts';
import type {
  Assignment,
  Authorized,
  Condition,
  CountPlan,
  DeletePlan,
  InsertPlan,
  OrderTerm,
  Returning,
  SelectPlan,
  UpdatePlan,
} from '../plan.ts';
import type { ParamKind, ParamType, ParamValue, Statement, StatementParam } from '../statement.ts';
import { OUTERMOST, relatedCondition, type Scope } from './related-condition.ts';

const PARAM_KINDS: Readonly<Record<Kind, ParamKind>> = {
  int: 'int',
  decimal: 'decimal',
  float: 'float',
  bool: 'bool',
  text: 'text',
  enum: 'text',
  set: 'text',
  uuid: 'other',
  date: 'temporal',
  time: 'temporal',
  timestamp: 'temporal',
  timestamptz: 'temporal',
  bytes: 'bytes',
  json: 'json',
  other: 'other',
};

/** Parameter type of a column's values. */
export function paramType(column: Column): ParamType {
  return { kind: PARAM_KINDS[column.kind], cast: column.cast };
}

export class Parameters implements ParamBinder {
  readonly types: ParamType[] = [];
  readonly values: StatementParam[] = [];
  readonly #dialect: Dialect;

  /** `bound`: a statement to continue. */
  constructor(dialect: Dialect, bound?: BoundStatement) {
    this.#dialect = dialect;
    if (bound === undefined) return;
    this.types.push(...bound.statement.types);
    this.values.push(...bound.params);
  }

  value(column: Column, value: ParamValue): string {
    return this.#add(paramType(column), value);
  }

  text(value: string): string {
    return this.#add(this.#dialect.textType, value);
  }

  int(value: number | bigint): string {
    return this.#add(this.#dialect.intType, String(value));
  }

  #add(type: ParamType, value: ParamValue): string {
    this.types.push(type);
    this.values.push(value);
    return this.#dialect.placeholder(this.types.length, type.cast);
  }
}

export function compileSelect(plan: Authorized<SelectPlan>, dialect: Dialect): BoundStatement {
  const bind = new Parameters(dialect);
  const text = source(plan, dialect) + rowsOf(plan, dialect, bind) + (plan.lock === true ? ' FOR UPDATE' : '');
  return { statement: selecting(plan, text, bind), params: bind.values };
}

/** WHERE, ORDER BY and LIMIT of a plan. */
export function rowsOf(plan: SelectPlan, dialect: Dialect, bind: ParamBinder): string {
  return (
    where(plan.where, dialect, bind, isConfirmed(plan) ? 'plain' : 'strict') +
    orderBy(plan.order, dialect) +
    dialect.page(plan.limit, plan.offset, bind)
  );
}

/** Statement that returns the plan's columns. */
export function selecting({ columns, kinds }: SelectPlan, text: string, { types }: Parameters): Statement {
  return kinds === 'described' ? { text, types, columns } : { text, types, columns, onOtherKinds: 'fail' };
}

/** `true` if the result contains every compared column, so that an outdated type is detected. */
function isConfirmed({ kinds, columns, table, where: given }: SelectPlan): boolean {
  if (given === undefined) return true;
  return kinds !== 'described' && ((columns === table.columns && table.viewRights === undefined) || isShown(given, columns));
}

function isShown(given: Condition, columns: readonly Column[]): boolean {
  switch (given.op) {
    case 'and':
    case 'or':
      return given.of.every((part) => isShown(part, columns));
    case 'not':
      return isShown(given.of, columns);
    case 'has':
    case 'hasnot':
      return false;
    default:
      return columns.includes(given.column);
  }
}

export function source({ columns, table }: SelectPlan, dialect: Dialect): string {
  return columns === table.columns ? wholeTable(table, dialect) : selectFrom(columns, table, dialect);
}

/** Most requests select all columns of a table, and in its own order. */
const wholeTable = memoPair((table: Table, dialect: Dialect) => selectFrom(table.columns, table, dialect));

function selectFrom(columns: readonly Column[], table: Table, dialect: Dialect): string {
  return `SELECT ${columns.map((column) => dialect.selectItem(column)).join(', ')} FROM ${dialect.table(table)}`;
}

export const orderBy = memoPair((order: readonly OrderTerm[], dialect: Dialect): string => {
  const items = order.map((term) => dialect.orderItem(term.column, term.direction));
  return items.length === 0 ? '' : ` ORDER BY ${items.join(', ')}`;
});

const COUNT_COLUMNS = [{ name: 'count', kind: 'int' }] as const;

export function compileCount(plan: Authorized<CountPlan>, dialect: Dialect): BoundStatement {
  const bind = new Parameters(dialect);
  const text = `SELECT count(*) FROM ${dialect.table(plan.table)}${where(plan.where, dialect, bind, 'strict')}`;
  return { statement: { text, types: bind.types, columns: COUNT_COLUMNS }, params: bind.values };
}

/** Compiles a row estimate; `undefined` if the engine has none. */
export function compileEstimate(plan: Authorized<CountPlan>, dialect: Dialect): BoundStatement | undefined {
  if (dialect.estimate === undefined) return undefined;
  const bind = new Parameters(dialect);
  const text = dialect.estimate.explain(`SELECT 1 FROM ${dialect.table(plan.table)}${where(plan.where, dialect, bind, 'strict')}`);
  return { statement: { text, types: bind.types }, params: bind.values };
}

export function compileInsert(plan: Authorized<InsertPlan>, dialect: Dialect): readonly BoundStatement[] {
  return dialect.insert(plan);
}

/** RETURNING clause of a write, and its result columns. */
export function returningClause(
  returning: Returning,
  selectItem: (column: Column) => string,
): { readonly text: string; readonly columns: { readonly columns?: readonly Column[] } } {
  if (returning === undefined) return NOT_RETURNING;
  return { text: ` RETURNING ${returning.map(selectItem).join(', ')}`, columns: { columns: returning } };
}

const NOT_RETURNING = { text: '', columns: {} } as const;

export function compileUpdate(plan: Authorized<UpdatePlan>, dialect: Dialect): BoundStatement {
  const bind = new Parameters(dialect);
  const set = plan.set.map((assignment) => assigned(assignment, dialect, bind)).join(', ');
  const table = dialect.table(plan.table);
  const given = condition(plan.where, dialect, bind, 'strict');
  const { types } = bind;
  const { text, columns } = returningClause(plan.returning, dialect.selectItem);
  if (dialect.update === undefined) checkUnlimited(plan);
  const statement = dialect.update?.(table, set, given, types, plan.maxRows) ?? {
    text: `UPDATE ${table} SET ${set} WHERE ${given}${text}`,
    types,
    ...columns,
  };
  return { statement, params: bind.values };
}

/** Standard SQL cannot limit a write, so a limit must not be silently dropped. */
function checkUnlimited({ maxRows }: UpdatePlan | DeletePlan): void {
  if (maxRows !== undefined) throw new Error('the dialect cannot limit the number of written rows');
}

/** Assignment of a SET clause. */
export function assigned({ column, value }: Assignment, dialect: Dialect, bind: ParamBinder): string {
  return `${dialect.quote(column.name)} = ${dialect.assignedValue?.(column, value, bind) ?? bind.value(column, value)}`;
}

export function compileDelete(plan: Authorized<DeletePlan>, dialect: Dialect): BoundStatement {
  const bind = new Parameters(dialect);
  const table = dialect.table(plan.table);
  const given = condition(plan.where, dialect, bind, 'strict');
  const { types } = bind;
  const { text, columns } = returningClause(plan.returning, dialect.selectItem);
  if (dialect.delete === undefined) checkUnlimited(plan);
  const statement = dialect.delete?.(table, given, types, plan.maxRows) ?? {
    text: `DELETE FROM ${table} WHERE ${given}${text}`,
    types,
    ...columns,
  };
  return { statement, params: bind.values };
}

/** Compiles a condition with every column qualified by its table. */
export function qualifiedCondition(given: Condition, table: Table, dialect: Dialect, bind: ParamBinder): string {
  const qualified: Dialect = { ...dialect, quote: (name) => `${dialect.table(table)}.${dialect.quote(name)}` };
  return condition(given, qualified, bind, 'strict');
}

function where(plan: Condition | undefined, dialect: Dialect, bind: ParamBinder, how: Comparing): string {
  return plan === undefined ? '' : ` WHERE ${condition(plan, dialect, bind, how)}`;
}

export function condition(plan: Condition, dialect: Dialect, bind: ParamBinder, how: Comparing, scope = OUTERMOST): string {
  switch (plan.op) {
    case 'and':
    case 'or':
      return joined(plan.of, plan.op, dialect, bind, how, scope);
    case 'not':
      return `NOT (${condition(plan.of, dialect, bind, how, scope)})`;
    case 'null':
      return `${scope.prefix}${dialect.quote(plan.column.name)} IS NULL`;
    case 'notnull':
      return `${scope.prefix}${dialect.quote(plan.column.name)} IS NOT NULL`;
    case 'generated':
      return `${scope.prefix}${dialect.quote(plan.column.name)} = ${dialect.generatedKey ?? 'NULL'}`;
    case 'has':
    case 'hasnot':
      return relatedCondition(plan, dialect, scope, (given, inner) => condition(given, dialect, bind, 'strict', inner));
    default: {
      const name = scope.prefix + dialect.quote(plan.column.name);
      return OPERATORS[plan.op].sql(dialect.predicates(plan.column, name, bind, how), plan.values);
    }
  }
}

/** An empty AND is true and an empty OR is false. */
function joined(parts: readonly Condition[], op: 'and' | 'or', dialect: Dialect, bind: ParamBinder, how: Comparing, scope: Scope): string {
  if (parts.length === 0) return op === 'and' ? '1 = 1' : '1 = 0';
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return condition(first, dialect, bind, how, scope);
  return parts.map((part) => `(${condition(part, dialect, bind, how, scope)})`).join(op === 'and' ? ' AND ' : ' OR ');
}
