/**
 * Compiles a page with joined rows: to-one relations, and at most one list, for whose rows the
 * page's rows repeat. The page is a derived table, so that skipped rows are not joined. Pure.
 */
import type { Column } from '../../model/table.ts';
import type { BoundStatement, Dialect } from '../dialect.ts';
import type { Authorized, RelatedRows, SelectPlan } from '../plan.ts';
import { orderBy, Parameters, rowsOf } from './compile.ts';
import { unusedName } from './related-rows.ts';

/** Kinds whose values compare equally in all column types. */
const ALIKE: ReadonlySet<Column['kind']> = new Set<Column['kind']>(['int', 'uuid']);

/** `true` if related rows can be joined: unfiltered, unmasked, and found by a plain key. */
export function isJoinable(rows: RelatedRows): boolean {
  return rows.select.limit === 0 && isPlain(rows);
}

/**
 * `true` if a list can be joined. Its rows need a selected key, so that duplicates are detected.
 */
export function isJoinableList(rows: RelatedRows): boolean {
  const { table, columns } = rows.select;
  return isPlain(rows) && table.primaryKey.length > 0 && table.primaryKey.every((column) => columns.includes(column));
}

function isPlain({ link, select }: RelatedRows): boolean {
  const { key, columns, through } = link;
  if (through !== undefined || select.where !== undefined || select.masks !== undefined) return false;
  return key.every(({ kind }, i) => ALIKE.has(kind) && columns[i]?.kind === kind);
}

/** Maximum number of joined rows; one more shows that the result is incomplete. */
export const MAX_JOINED_ROWS = 1000;

/** Columns of joined rows, which follow those of the page. */
export function joinedColumns({ link, select }: RelatedRows): readonly Column[] {
  const [key] = link.key;
  return key === undefined || select.columns.includes(key) ? select.columns : [...select.columns, key];
}

export function compileJoined(plan: Authorized<SelectPlan>, joined: readonly RelatedRows[], dialect: Dialect): BoundStatement {
  const bind = new Parameters(dialect);
  const { head, tail, columns } = partsOf(plan, joined, dialect);
  const text = head + rowsOf(plan, dialect, bind) + tail;
  return { statement: { text, types: bind.types, columns, onOtherKinds: 'fail' }, params: bind.values };
}

/** Parts of the statement that are the same for all pages. */
interface Parts {
  readonly own: SelectPlan['columns'];
  readonly order: SelectPlan['order'];
  readonly head: string;
  readonly tail: string;
  readonly columns: readonly Column[];
}

/** Parts of the last plan with these joins. A plan belongs to one database, hence one dialect. */
const lastParts = new WeakMap<readonly RelatedRows[], Parts>();

function partsOf(plan: SelectPlan, joined: readonly RelatedRows[], dialect: Dialect): Parts {
  const known = lastParts.get(joined);
  if (known !== undefined && known.own === plan.columns && known.order === plan.order) return known;
  const { table, columns: own, order } = plan;
  const { quote } = dialect;
  const needed = new Set([...own, ...order.map(({ column }) => column), ...joined.flatMap(({ link }) => link.columns)].map(nameOf));
  const columns = [...own];
  let joins = '';
  let suffix = orderBy(order, dialect);
  joined.forEach((rows, at) => {
    const { link, select } = rows;
    const isList = select.limit !== 0;
    const name = (index: number): string => unusedName(table, `j${at} ${index}`);
    const sorted = isList ? select.order.map(({ column }) => column) : [];
    const theirs = [...new Set([...joinedColumns(rows), ...link.key, ...sorted])];
    const renamed = theirs.map((column, i) => `${quote(column.name)} AS ${quote(name(i))}`);
    const on = link.key.map((column, i) => `${quote(name(theirs.indexOf(column)))} = ${quote(nameOf(link.columns[i]))}`);
    const source = `SELECT ${renamed.join(', ')} FROM ${dialect.table(select.table)}`;
    joins += ` LEFT JOIN (${source}) AS ${quote(`j${at}`)} ON ${on.join(' AND ')}`;
    columns.push(...joinedColumns(rows).map((column, i) => ({ ...column, name: name(i) })));
    if (!isList) return;
    for (const { column, direction } of select.order)
      suffix += `, ${dialect.orderItem({ ...column, name: name(theirs.indexOf(column)) }, direction)}`;
    suffix += ` LIMIT ${MAX_JOINED_ROWS + 1}`;
  });
  const parts: Parts = {
    own,
    order,
    head: `SELECT ${columns.map((column) => dialect.selectItem(column)).join(', ')} FROM (SELECT ${[...needed].map(quote).join(', ')} FROM ${dialect.table(table)}`,
    tail: `) AS ${quote('page')}${joins}${suffix}`,
    columns,
  };
  lastParts.set(joined, parts);
  return parts;
}

const nameOf = (column: Column | undefined): string => column?.name ?? '';
