/**
 * Compiles grouped plans. Engines differ in the names that are visible beside GROUP BY, so
 * expressions are repeated, and HAVING is a WHERE around a derived table. Pure.
 */
import type { Column } from '../../model/table.ts';
import { AGGREGATES, type AggregateFunction, isOfColumn } from '../aggregates.ts';
import type { BoundStatement, Dialect } from '../dialect.ts';
import type { Authorized, Condition, GroupPlan, Output } from '../plan.ts';
import { condition, Parameters } from './compile.ts';

export function compileGroups(plan: Authorized<GroupPlan>, dialect: Dialect): BoundStatement {
  const bind = new Parameters(dialect);
  const text = plan.having === undefined ? bare(plan, dialect, bind) : within(plan, dialect, bind);
  const columns = plan.outputs.map(({ column }) => column);
  return { statement: { text: text + dialect.page(plan.limit, plan.offset, bind), types: bind.types, columns }, params: bind.values };
}

const COUNT_COLUMNS = [{ name: 'count', kind: 'int' }] as const;

/** Counts the groups. */
export function compileGroupCount(plan: Authorized<GroupPlan>, dialect: Dialect): BoundStatement {
  const bind = new Parameters(dialect);
  const text = `SELECT count(*) FROM ${derived(plan, dialect, bind)}`;
  return { statement: { text, types: bind.types, columns: COUNT_COLUMNS }, params: bind.values };
}

function bare(plan: GroupPlan, dialect: Dialect, bind: Parameters): string {
  const items = plan.outputs.map((output) => bareItem(plan, output, dialect));
  return `SELECT ${items.join(', ')}${grouped(plan, dialect, bind)}${orderBy(plan, dialect, (output) => expression(output, dialect))}`;
}

/**
 * Engines name an expression after its function (`count`), and ORDER BY prefers that name to the
 * column of the same name.
 */
function bareItem(plan: GroupPlan, output: Output, dialect: Dialect): string {
  const item = shown(output, undefined, dialect);
  const isColumn = output.source.of === 'group' && output.source.part === undefined;
  return isColumn ? item : `${item} AS ${dialect.quote(nameIn(plan, output))}`;
}

function within(plan: GroupPlan, dialect: Dialect, bind: Parameters): string {
  const items = plan.outputs.map((output) => shown(output, nameIn(plan, output), dialect));
  const order = orderBy(plan, dialect, (output) => dialect.quote(nameIn(plan, output)));
  return `SELECT ${items.join(', ')} FROM ${derived(plan, dialect, bind)}${order}`;
}

/** The groups as a derived table, filtered by `having`. */
function derived(plan: GroupPlan, dialect: Dialect, bind: Parameters): string {
  const items = plan.outputs.map((output) => `${expression(output, dialect)} AS ${dialect.quote(nameIn(plan, output))}`);
  const groups = `(SELECT ${items.join(', ')}${grouped(plan, dialect, bind)}) AS ${dialect.quote('groups')}`;
  if (plan.having === undefined) return groups;
  const columns = new Map(plan.outputs.map((output) => [output.compared, columnIn(plan, output, dialect)]));
  return `${groups} WHERE ${condition(renamed(plan.having, columns), dialect, bind, 'strict')}`;
}

const nameIn = ({ outputs }: GroupPlan, output: Output): string => `output ${outputs.indexOf(output)}`;

/** An output as a column of the derived table. */
function columnIn(plan: GroupPlan, output: Output, dialect: Dialect): Column {
  const { source, compared } = output;
  const named = { ...compared, name: nameIn(plan, output) };
  if (source.of === 'group' || (source.column !== undefined && isOfColumn(source.aggregate))) return named;
  const { cast } = dialect.intType;
  const isCount = source.column === undefined || source.aggregate === 'count' || source.aggregate === 'countd';
  return { ...named, ...(isCount ? { type: cast, cast } : dialect.aggregateType?.(source.column, source.aggregate)) };
}

function renamed(plan: Condition, columns: ReadonlyMap<Column, Column>): Condition {
  switch (plan.op) {
    case 'and':
    case 'or':
      return { op: plan.op, of: plan.of.map((part) => renamed(part, columns)) };
    case 'not':
      return { op: 'not', of: renamed(plan.of, columns) };
    case 'has':
    case 'hasnot':
      return plan;
    default:
      return { ...plan, column: columns.get(plan.column) ?? plan.column };
  }
}

function grouped({ table, where, outputs }: GroupPlan, dialect: Dialect, bind: Parameters): string {
  const groups = outputs.filter(({ source }) => source.of === 'group').map((output) => expression(output, dialect));
  const given = where === undefined ? '' : ` WHERE ${condition(where, dialect, bind, 'strict')}`;
  return ` FROM ${dialect.table(table)}${given}${groups.length === 0 ? '' : ` GROUP BY ${groups.join(', ')}`}`;
}

function orderBy({ order }: GroupPlan, dialect: Dialect, name: (output: Output) => string): string {
  const items = order.map(({ output, direction }) => dialect.orderItem(output.column, direction, name(output)));
  return items.length === 0 ? '' : ` ORDER BY ${items.join(', ')}`;
}

function expression({ source }: Output, dialect: Dialect): string {
  if (source.of === 'rows') return aggregateSql(source.aggregate, source.column, dialect);
  const { column, part } = source;
  return part === undefined ? dialect.quote(column.name) : (dialect.truncate?.(column, part) ?? dialect.quote(column.name));
}

/** Select item of an output in canonical form. `name` is its name in the derived table. */
function shown(output: Output, name: string | undefined, dialect: Dialect): string {
  const { source } = output;
  if (source.of === 'group' && source.part === undefined)
    return dialect.selectItem(name === undefined ? source.column : { ...source.column, name });
  const value = name === undefined ? expression(output, dialect) : dialect.quote(name);
  return source.of === 'rows' ? value : (dialect.formatPart?.(source.column, value) ?? value);
}

/** SQL of an aggregate; without a column it counts rows. */
function aggregateSql(fn: AggregateFunction, column: Column | undefined, dialect: Dialect): string {
  if (column === undefined) return 'count(*)';
  const name = dialect.quote(column.name);
  return dialect.aggregate?.(fn, column, name) ?? AGGREGATES[fn].sql(name);
}
