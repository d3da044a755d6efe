/** The query of the address, which is that of the API: filters, order, columns, groups. Pure. */
import { type Filter, isFilterName, type Pair, readFilter, writeFilter } from './filters.ts';
import { quoteName, splitItems, unquote } from './items.ts';

export interface Order {
  readonly column: string;
  readonly isDescending: boolean;
}

export interface TableQuery {
  readonly filters: readonly Filter[];
  readonly order: readonly Order[];
  /** Empty: all columns. */
  readonly select: readonly string[];
  /** Items as the API writes them: `items:order_items($ps=5)`. */
  readonly expand: readonly string[];
  /** `month:placed_at.month`. */
  readonly group: readonly string[];
  /** `revenue:sum.total`. */
  readonly agg: readonly string[];
  /** Other parameters, which stay as they are: `$having`. */
  readonly others: readonly Pair[];
}

/** Parameters that the grid sets itself. */
const OF_GRID = new Set(['pg', 'ps', 'format', 'pwt', '$after', '$count']);
const LISTS = new Set(['$order', '$select', '$expand', '$group', '$agg']);

const pairsOf = (search: string): readonly Pair[] => [...new URLSearchParams(search)].filter(([name]) => !OF_GRID.has(name));

export function readQuery(search: string): TableQuery {
  const pairs = pairsOf(search);
  const listed = (name: string): readonly string[] => {
    const text = pairs.findLast(([key]) => key === name)?.[1] ?? '';
    return text === '' ? [] : splitItems(text, ',');
  };
  return {
    filters: pairs.filter(([name]) => isFilterName(name)).map(readFilter),
    order: listed('$order').map(readOrderItem),
    select: listed('$select').map(unquote),
    expand: listed('$expand'),
    group: listed('$group'),
    agg: listed('$agg'),
    others: pairs.filter(([name]) => !isFilterName(name) && !LISTS.has(name)),
  };
}

/** Writes the query of the address, with its question mark; empty if there is nothing to say. */
export function writeQuery({ filters, order, select, expand, group, agg, others }: TableQuery): string {
  const lists: readonly Pair[] = [
    ['$order', order.map(writeOrderItem).join(',')],
    ['$select', select.map(quoteName).join(',')],
    ['$expand', expand.join(',')],
    ['$group', group.join(',')],
    ['$agg', agg.join(',')],
  ];
  return writePairs([...filters.map(writeFilter), ...lists.filter(([, value]) => value !== ''), ...others]);
}

/** Letters that a query may contain and that make it readable. */
const READABLE = /%(?:24|28|29|2C|3A|3B|3D|40|2F|21|2A)/g;

const encode = (text: string): string => encodeURIComponent(text).replace(READABLE, decodeURIComponent);
const encodeName = (name: string): string => encode(name).replace(/=/g, '%3D');

/** Encodes parameters so that the address stays readable. */
export function writePairs(pairs: readonly Pair[]): string {
  return pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${encodeName(name)}=${encode(value)}`).join('&')}`;
}

function readOrderItem(item: string): Order {
  const [, column = item, direction] = /^(.*?)(?:\.(asc|desc))?$/.exec(item) ?? [];
  return { column: unquote(column), isDescending: direction === 'desc' };
}

const writeOrderItem = ({ column, isDescending }: Order): string => quoteName(column) + (isDescending ? '.desc' : '');

export const readOrder = (search: string): readonly Order[] => readQuery(search).order;

export const writeOrder = (search: string, order: readonly Order[]): string => writeQuery({ ...readQuery(search), order });

/** `true` if the rows are groups, which have no keys. */
export const isGrouped = ({ group, agg }: TableQuery): boolean => group.length > 0 || agg.length > 0;

/** The parameters that decide which rows match: for counts, and for deleting all that match. */
export const filterText = (search: string): string => writePairs(readQuery(search).filters.map(writeFilter)).slice(1);
