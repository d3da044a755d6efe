// Runs plans on rows in memory, for oracle requests without a database. Independent of personas.
import type { Column, Table } from '../../src/model/table.ts';
import type { Condition, CountPlan, GroupPlan, Link, SelectPlan } from '../../src/sql/plan.ts';
import type { Row, Value } from './oracle.ts';

export type Rows = Readonly<Record<string, readonly Row[]>>;

export function typed(column: Column, given: unknown): Value {
  if (given === null || given === undefined) return null;
  return column.kind === 'int' ? Number(given) : String(given);
}

/** Ascending order with NULL first. */
const compare = (one: Value, other: Value): number => (one === other ? 0 : one === null ? -1 : other === null ? 1 : one < other ? -1 : 1);

const at = (row: Row, { name }: Column): Value => row[name] ?? null;

/** Three-valued logic of SQL; `null` is unknown. */
export function matches(condition: Condition | undefined, row: Row, rows: Rows): boolean | null {
  if (condition === undefined) return true;
  switch (condition.op) {
    case 'and': {
      const parts = condition.of.map((part) => matches(part, row, rows));
      return parts.includes(false) ? false : parts.includes(null) ? null : true;
    }
    case 'or': {
      const parts = condition.of.map((part) => matches(part, row, rows));
      return parts.includes(true) ? true : parts.includes(null) ? null : false;
    }
    case 'not': {
      const inner = matches(condition.of, row, rows);
      return inner === null ? null : !inner;
    }
    case 'null':
      return at(row, condition.column) === null;
    case 'notnull':
      return at(row, condition.column) !== null;
    case 'generated':
      throw new Error('tables in memory make no keys');
    case 'has':
    case 'hasnot':
      return related(condition.link, condition.rows, row, rows).length > 0 === (condition.op === 'has');
    default:
      return compared(condition, at(row, condition.column));
  }
}

function compared({ op, column, values }: Extract<Condition, { values: unknown }>, value: Value): boolean | null {
  if (value === null) return null;
  const others = values.map((other) => typed(column, other));
  const [other = null] = others;
  switch (op) {
    case 'eq':
      return value === other;
    case 'ne':
      return value !== other;
    case 'lt':
      return compare(value, other) < 0;
    case 'gt':
      return compare(value, other) > 0;
    case 'in':
      return others.includes(value);
    case 'nin':
      return !others.includes(value);
    default:
      throw new Error(`the oracle asks for no ${op}`);
  }
}

/** Related rows of a row. */
export function related({ columns, key }: Link, { table, where }: CountPlan, row: Row, rows: Rows): readonly Row[] {
  const isOf = (other: Row): boolean =>
    columns.every((column, i) => at(row, column) !== null && at(row, column) === at(other, key[i] as Column));
  return (rows[table.name] ?? []).filter((other) => isOf(other) && matches(where, other, rows) === true);
}

export function matching({ table, where }: CountPlan, rows: Rows): readonly Row[] {
  return (rows[table.name] ?? []).filter((row) => matches(where, row, rows) === true);
}

export function ordered(found: readonly Row[], order: SelectPlan['order']): readonly Row[] {
  return [...found].sort((a, b) => {
    for (const { column, direction } of order) {
      const sign = compare(at(a, column), at(b, column));
      if (sign !== 0) return direction === 'asc' ? sign : -sign;
    }
    return 0;
  });
}

export function selected(plan: SelectPlan, rows: Rows): readonly Row[] {
  const offset = Number(plan.offset);
  return ordered(matching(plan, rows), plan.order).slice(offset, offset + plan.limit);
}

/** The visible columns of a row. */
export function shown(row: Row, columns: readonly Column[], masks: SelectPlan['masks']): Row {
  return Object.fromEntries(columns.map((column) => [column.name, masks?.has(column) ? (masks.get(column) ?? null) : at(row, column)]));
}

export function grouped({ table, where, outputs, limit }: GroupPlan, rows: Rows): readonly Row[] {
  const found = matching({ table, where }, rows);
  const keys = outputs.flatMap(({ source }) => (source.of === 'group' ? [source.column] : []));
  const groups = new Map<string, Row[]>();
  if (keys.length === 0) groups.set('[]', []);
  for (const row of found) {
    const key = JSON.stringify(keys.map((column) => at(row, column)));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const order = keys.map((column) => ({ column, direction: 'asc' as const }));
  const firsts = [...groups.values()].sort((a, b) => {
    const [first] = [a[0], b[0]];
    return first === undefined ? 0 : ordered([a[0] as Row, b[0] as Row], order)[0] === a[0] ? -1 : 1;
  });
  return firsts.slice(0, limit).map((group) =>
    Object.fromEntries(
      outputs.map(({ source, column }): [string, Value] => {
        if (source.of === 'group') return [column.name, at(group[0] as Row, source.column)];
        const { column: of } = source;
        const values = of === undefined ? [] : group.map((row) => at(row, of)).filter((value) => value !== null);
        return [column.name, aggregate(source.aggregate, values, group.length)];
      }),
    ),
  );
}

function aggregate(name: string, values: readonly Value[], count: number): Value {
  if (name === 'count') return count;
  if (name === 'countd') return new Set(values).size;
  if (values.length === 0) return null;
  if (name === 'sum') return (values as readonly number[]).reduce((sum, one) => sum + one, 0);
  if (name === 'min') return [...values].sort(compare)[0] ?? null;
  throw new Error(`the oracle asks for no ${name}`);
}

export function column(name: string, kind: 'int' | 'text', facts: Partial<Column> = {}): Column {
  return {
    name,
    kind,
    type: kind,
    cast: kind,
    nullable: true,
    primaryKey: false,
    default: null,
    required: false,
    readOnly: false,
    sortable: true,
    ...facts,
  };
}

export const named = (tables: readonly Table[]): ReadonlyMap<string, Table> => new Map(tables.map((table) => [table.name, table]));
