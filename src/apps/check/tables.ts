/** Compares reads of a table with the table: every part is planned as a request of its own. */
import { UNRESTRICTED } from '../../auto/plan/access.ts';
import { findQueryable } from '../../auto/plan/filters.ts';
import { keyColumns } from '../../auto/plan/keys.ts';
import { orderOf } from '../../auto/plan/order.ts';
import { type Expansion, planExpansions } from '../../auto/plan/plan-expand.ts';
import { planGroups } from '../../auto/plan/plan-groups.ts';
import { conditionWith, Reach, relatedReferences } from '../../auto/plan/relations.ts';
import type { ExpandItem } from '../../auto/request/expand-syntax.ts';
import type { GroupRequest } from '../../auto/request/request.ts';
import type { Table } from '../../model/table.ts';
import type { Placed, TableNeed } from '../document/app-document.ts';
import type { Spot } from '../document/problems.ts';
import { withoutValues, withSamples } from './samples.ts';
import { type FoundTable, reasonOf, type TargetSpace } from './space.ts';

export type Refuse = (spot: Spot, message: string) => void;

export async function checkTable(need: TableNeed, space: TargetSpace, refuse: Refuse): Promise<void> {
  const found = await space.table(need.table.value);
  if (found.kind === 'absent') refuse(need.table, found.reason);
  if (found.kind !== 'found') return;
  const reach = await reachOf(need, found, space);
  if (reach !== undefined) new TableCheck(need, found.table, reach, refuse).run();
}

const NO_RELATIONS = new Reach({ keys: [], tables: new Map() }, UNRESTRICTED);

/** Relations are read only if the document uses some. */
function reachOf(
  { filters, expand }: TableNeed,
  found: Extract<FoundTable, { kind: 'found' }>,
  space: TargetSpace,
): Promise<Reach | undefined> {
  const used = { filters: filters.map(({ value }) => value), expand: expand.flatMap(({ value }) => value) };
  const hasRelation = relatedReferences({ ...GROUPS, filters: used.filters }) !== undefined;
  return hasRelation || used.expand.length > 0 ? space.reach(found, used) : Promise.resolve(NO_RELATIONS);
}

class TableCheck {
  readonly #need: TableNeed;
  readonly #table: Table;
  readonly #reach: Reach;
  readonly #refuse: Refuse;

  constructor(need: TableNeed, table: Table, reach: Reach, refuse: Refuse) {
    this.#need = need;
    this.#table = table;
    this.#reach = reach;
    this.#refuse = refuse;
  }

  run(): void {
    const { filters, groups, aggregates, key } = this.#need;
    for (const filter of filters)
      this.#try(filter, ({ value }) => conditionWith([withSamples(value, this.#table)], this.#table, this.#reach));
    if (groups.length + aggregates.length > 0) this.#groups();
    else this.#rows();
    if (key !== undefined) checkKey(this.#table, key, this.#refuse);
  }

  #rows(): void {
    const { order, expand, columns, totals, trends } = this.#need;
    for (const item of order) this.#try(item, ({ value }) => orderOf(value, this.#table));
    const expansions = expand.flatMap(
      (item) => this.#try(item, ({ value }) => planExpansions(sampled(value), this.#table, this.#reach)) ?? [],
    );
    for (const total of totals) this.#try(total, ({ value }) => planGroups({ ...GROUPS, aggregates: [value] }, this.#table, UNRESTRICTED));
    for (const trend of trends)
      this.#try(trend, ({ value }) =>
        value.part === undefined
          ? findQueryable(this.#table, value.column)
          : planGroups({ ...GROUPS, groups: [value] }, this.#table, UNRESTRICTED),
      );
    // The names of a relation that does not exist are not problems of their own.
    if (expansions.length < expand.length) return;
    for (const column of columns)
      if (!this.#table.byName.has(column.value) && !hasNested(expansions, column.value))
        this.#refuse(column, `is a column that ${this.#table.name} does not have`);
  }

  #groups(): void {
    const { groups, aggregates, having, order, columns } = this.#need;
    const request = { ...GROUPS, groups: groups.map(({ value }) => value), aggregates: aggregates.map(({ value }) => value) };
    const results = [
      ...groups.map((item) => this.#try(item, ({ value }) => planGroups({ ...GROUPS, groups: [value] }, this.#table, UNRESTRICTED))),
      ...aggregates.map((item) =>
        this.#try(item, ({ value }) => planGroups({ ...GROUPS, aggregates: [value] }, this.#table, UNRESTRICTED)),
      ),
    ];
    const last: Placed<unknown> | undefined = aggregates.at(-1) ?? groups.at(-1);
    if (last === undefined || results.includes(undefined)) return;
    const plan = this.#try(last, () => planGroups(request, this.#table, UNRESTRICTED));
    if (plan === undefined) return;
    const byName = new Map(plan.groups.outputs.map(({ column, compared }) => [column.name, compared]));
    for (const item of having)
      this.#try(item, ({ value }) => planGroups({ ...request, having: withSamples(value, { byName }) }, this.#table, UNRESTRICTED));
    for (const item of order) this.#try(item, ({ value }) => planGroups({ ...request, order: value }, this.#table, UNRESTRICTED));
    for (const column of columns)
      if (!byName.has(column.value)) this.#refuse(column, `is not a column of the groups, which have ${[...byName.keys()].join(', ')}`);
  }

  /** Reports the error of a part, if the planner rejects it. */
  #try<T, R>(part: Placed<T>, plan: (part: Placed<T>) => R): R | undefined {
    try {
      return plan(part);
    } catch (error) {
      this.#refuse(part, `cannot be applied: ${reasonOf(error)}`);
      return undefined;
    }
  }
}

const GROUPS: GroupRequest = {
  do: 'group',
  format: 'json',
  filters: [],
  page: 0,
  size: 1,
  order: undefined,
  count: undefined,
  version: undefined,
  groups: [],
  aggregates: [],
  having: undefined,
};

function sampled(items: readonly ExpandItem[]): readonly ExpandItem[] {
  return items.map((item) => ({ ...item, filters: item.filters.map(withoutValues), expand: sampled(item.expand) }));
}

/** `customers` or `customers.name`, where `customers` is expanded. */
function hasNested(expansions: readonly Expansion[], name: string): boolean {
  return expansions.some(({ key, rows, visible, nested }) => {
    if (name === key) return true;
    if (!name.startsWith(`${key}.`)) return false;
    const rest = name.slice(key.length + 1);
    return rows.select.columns.slice(0, visible).some((column) => column.name === rest) || hasNested(nested, rest);
  });
}

/** A row is addressed by as many values as the key has columns. */
export function checkKey(table: Table, key: Placed<number>, refuse: Refuse): void {
  const columns = keyColumns(table);
  if (columns.length === 0) refuse(key, `cannot be used: ${table.name} has no primary key`);
  else if (columns.length !== key.value)
    refuse(key, `has ${key.value} values, but the key of ${table.name} is ${columns.map(({ name }) => name).join(', ')}`);
}
