/**
 * Plans `$agg` and `$group`: checks that functions fit their columns and names are unique, and
 * makes the order total. Pure.
 */
import { apiError } from '../../errors.ts';
import type { Column, Kind, Table } from '../../model/table.ts';
import { AGGREGATES, isOfColumn, type TimePart, takes } from '../../sql/aggregates.ts';
import type { Authorized, GroupPlan, Output } from '../../sql/plan.ts';
import type { AggregateItem, GroupItem, GroupRequest } from '../request/request.ts';
import type { Access } from './access.ts';
import { authorize, checkPageSize } from './authorize.ts';
import { conditionOf, findQueryable } from './filters.ts';
import { checkVersion, rowsBefore } from './paging.ts';

export interface GroupedPlan {
  readonly do: 'group';
  readonly groups: Authorized<GroupPlan>;
  /** `estimated`: no engine estimates the number of groups. */
  readonly count: GroupRequest['count'];
}

export function planGroups(request: GroupRequest, table: Table, access: Access): GroupedPlan {
  checkVersion(request, table);
  checkPageSize(table, access, 'ps', request.size);
  const groups = request.groups.map((item) => groupOutput(item, table));
  const outputs = [...groups, ...request.aggregates.map((item) => aggregateOutput(item, table))];
  const byName = new Map(outputs.map((output) => [output.column.name, output]));
  const twice = outputs.find((output) => byName.get(output.column.name) !== output);
  if (twice !== undefined)
    throw apiError('parameter_invalid', '$agg', `the name ${twice.column.name} is used twice; give one of them an alias`);
  const names = { byName: new Map(outputs.map(({ column, compared }) => [column.name, compared])) };
  const plan: GroupPlan = {
    table,
    where: conditionOf(request.filters, table),
    outputs,
    having: request.having === undefined ? undefined : conditionOf([request.having], names),
    order: orderOf(request, byName, groups),
    limit: request.size,
    offset: rowsBefore(request),
  };
  return { do: 'group', groups: authorize(plan, access, 'read'), count: request.count };
}

const TIMESTAMPS: ReadonlySet<Kind> = new Set<Kind>(['timestamp', 'timestamptz']);
const TIME_OF_DAY: ReadonlySet<TimePart> = new Set<TimePart>(['hour', 'minute']);

function groupOutput({ alias, column: name, part }: GroupItem, table: Table): Output {
  const column = findQueryable(table, name);
  if (!column.sortable) throw apiError('column_not_comparable', name, '$group');
  if (part !== undefined && !(TIMESTAMPS.has(column.kind) || (column.kind === 'date' && !TIME_OF_DAY.has(part))))
    throw apiError('parameter_invalid', '$group', `the column ${name} has no ${part}`);
  const own = alias ?? (part === undefined ? name : `${name}_${part}`);
  const named = { ...column, name: own };
  return { source: { of: 'group', column, part }, column: named, compared: named };
}

function aggregateOutput({ alias, aggregate, column: name }: AggregateItem, table: Table): Output {
  const column = name === undefined ? undefined : findQueryable(table, name);
  if (column !== undefined && !takes(aggregate, column))
    throw apiError('parameter_invalid', '$agg', `${aggregate} does not fit the column ${column.name} of the type ${column.type}`);
  const own = alias ?? (name === undefined ? aggregate : `${aggregate}_${name}`);
  const source = { of: 'rows', aggregate, column } as const;
  if (column !== undefined && isOfColumn(aggregate)) {
    const named = { ...column, name: own, nullable: true };
    return { source, column: named, compared: named };
  }
  const kind = column === undefined ? 'int' : AGGREGATES[aggregate].kind(column);
  return { source, column: number(own, kind), compared: number(own, kind === 'float' ? 'float' : 'decimal') };
}

/** A numeric result column. The dialect chooses its type. */
function number(name: string, kind: Kind): Column {
  return {
    name,
    kind,
    type: '',
    cast: '',
    nullable: true,
    primaryKey: false,
    default: null,
    required: false,
    readOnly: true,
    sortable: true,
  };
}

/** The requested order, followed by the groups. */
function orderOf({ order = [] }: GroupRequest, byName: ReadonlyMap<string, Output>, groups: readonly Output[]): GroupPlan['order'] {
  const requested = order.map(({ column, direction }) => {
    const output = byName.get(column);
    if (output === undefined) throw apiError('column_unknown', column);
    return { output, direction };
  });
  const rest = groups.filter((group) => !requested.some(({ output }) => output === group));
  return [...requested, ...rest.map((output) => ({ output, direction: 'asc' }) as const)];
}
