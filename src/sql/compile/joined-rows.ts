/**
 * The statement that reads a page together with rows of other tables: at most one of each for a row, and a list of one of them, with which the row is
 * repeated. The page is found first, by itself, so that nothing is looked up for rows that are skipped or sorted away. Pure, as `compile.ts`.
 */
import type { Column } from '../../model/table.ts';
import type { BoundStatement, Dialect } from '../dialect.ts';
import type { Authorized, RelatedRows, SelectPlan } from '../plan.ts';
import { orderBy, Parameters, rowsOf } from './compile.ts';
import { unusedName } from './related-rows.ts';

/** Kinds whose values are equal when the columns are, whatever their types. */
const ALIKE: ReadonlySet<Column['kind']> = new Set<Column['kind']>(['int', 'uuid']);

/** Can the rows come with a page: all of them as they are, and found by nothing but values of its own? */
export function isJoinable(rows: RelatedRows): boolean {
  return rows.select.limit === 0 && isPlain(rows);
}

/** The same for lists. Where rows can be told apart, none is lost or shown twice unnoticed. */
export function isJoinableList(rows: RelatedRows): boolean {
  const { table, columns } = rows.select;
  return isPlain(rows) && table.primaryKey.length > 0 && table.primaryKey.every((column) => columns.includes(column));
}

function isPlain({ link, select }: RelatedRows): boolean {
  const { key, columns, through } = link;
  if (through !== undefined || select.where !== undefined || select.masks !== undefined) return false;
  return key.every(({ kind }, i) => ALIKE.has(kind) && columns[i]?.kind === kind);
}

/** So many rows come of a page with lists; one more shows that they are not all. */
export const LISTED_MOST = 1000;

/** The columns of such rows, as they stand behind those of the page. */
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

/** What is the same for all pages. */
interface Parts {
  readonly own: SelectPlan['columns'];
  readonly order: SelectPlan['order'];
  readonly head: string;
  readonly tail: string;
  readonly columns: readonly Column[];
}

/** Of the last plan with such rows. They belong to one database and so to one dialect. */
const knownParts = new WeakMap<readonly RelatedRows[], Parts>();

function partsOf(plan: SelectPlan, joined: readonly RelatedRows[], dialect: Dialect): Parts {
  const known = knownParts.get(joined);
  if (known !== undefined && known.own === plan.columns && known.order === plan.order) return known;
  const { table, columns: own, order } = plan;
  const { quote } = dialect;
  const needed = new Set([...own, ...order.map(({ column }) => column), ...joined.flatMap(({ link }) => link.columns)].map(nameOf));
  const columns = [...own];
  let joins = '';
  let behind = orderBy(order, dialect);
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
      behind += `, ${dialect.orderItem({ ...column, name: name(theirs.indexOf(column)) }, direction)}`;
    behind += ` LIMIT ${LISTED_MOST + 1}`;
  });
  const parts: Parts = {
    own,
    order,
    head: `SELECT ${columns.map((column) => dialect.selectItem(column)).join(', ')} FROM (SELECT ${[...needed].map(quote).join(', ')} FROM ${dialect.table(table)}`,
    tail: `) AS ${quote('page')}${joins}${behind}`,
    columns,
  };
  knownParts.set(joined, parts);
  return parts;
}

const nameOf = (column: Column | undefined): string => column?.name ?? '';
