/** Reads a metric: one number, its comparison and its trend. */
import { parseGroups } from '../../../auto/request/group-syntax.ts';
import { SingleParameters } from '../../../auto/request/query.ts';
import type { AggregateItem, GroupItem } from '../../../auto/request/request.ts';
import { isAggregate } from '../../../sql/aggregates.ts';
import type { Placed } from '../app-document.ts';
import { columnName, label } from '../columns.ts';
import { type BlockReader, type DocumentContext, placed } from '../context.ts';
import { DATA_FIELDS, type Data, parsed, readData } from '../data.ts';
import { checkFormat } from '../formats.ts';
import { readLink } from '../links.ts';
import type { MapTree, Tree } from '../reader.ts';

const COMPARE = [...DATA_FIELDS, 'value', 'label'];
const FIELDS = [...COMPARE, 'format', 'link', 'compare', 'better', 'trend'];
const BETTER = ['up', 'down', 'none'];

export const readMetric: BlockReader = (context, tree) => {
  const { reader } = context;
  const map = reader.mapping(tree, FIELDS);
  if (map === undefined) return {};
  const value = readMetricValue(context, map, reader.required(map, 'value'));
  reader.string(map, 'label', label);
  reader.string(map, 'format', checkFormat);
  reader.oneOf(map, 'better', BETTER);
  readLink(context, map, 'link', {});
  need(context, readData(context, map), value, readTrend(context, map));
  readCompare(context, map, value);
  return {};
};

function readCompare(context: DocumentContext, map: MapTree, own: MetricValue | undefined): void {
  const { reader } = context;
  const tree = map.fields.get('compare');
  const compare = tree === undefined ? undefined : reader.mapping(tree, COMPARE);
  if (compare === undefined) return;
  reader.string(compare, 'label', label);
  const value = compare.fields.has('value') ? readMetricValue(context, compare, compare.fields.get('value')) : own;
  need(context, readData(context, compare, map), value, undefined);
}

/** An aggregate of all rows, or a column of the first one. */
type MetricValue =
  | { readonly of: 'total'; readonly total: Placed<AggregateItem> }
  | { readonly of: 'column'; readonly column: Placed<string> };

function readMetricValue(context: DocumentContext, map: MapTree, tree: Tree | undefined): MetricValue | undefined {
  const { reader } = context;
  const text = tree === undefined ? undefined : reader.string(map, 'value', columnName);
  if (tree === undefined || text === undefined) return undefined;
  const dot = text.indexOf('.');
  if (text !== 'count' && (dot < 0 || !isAggregate(text.slice(0, dot)))) return { of: 'column', column: placed(context, tree, text) };
  const total = parsed(reader, tree, () => parseItem('$agg', text).aggregates[0]);
  return total === undefined ? undefined : { of: 'total', total: placed(context, tree, total) };
}

function parseItem(name: '$agg' | '$group', text: string): ReturnType<typeof parseGroups> {
  const single = new SingleParameters();
  single.add({ name, value: text });
  return parseGroups(single);
}

function readTrend(context: DocumentContext, map: MapTree): Placed<GroupItem> | undefined {
  const { reader } = context;
  const tree = map.fields.get('trend');
  const text = tree === undefined ? undefined : reader.stringAt(tree, columnName);
  if (tree === undefined || text === undefined) return undefined;
  const group = parsed(reader, tree, () => parseItem('$group', text).groups[0]);
  return group === undefined ? undefined : placed(context, tree, group);
}

/** In rows that are groups already, aggregates are names of columns. */
function need(
  { needs }: DocumentContext,
  data: Data | undefined,
  value: MetricValue | undefined,
  trend: Placed<GroupItem> | undefined,
): void {
  if (data === undefined) return;
  if (data.of === 'endpoint') {
    needs.push(data);
    return;
  }
  const isGrouped = data.groups.length + data.aggregates.length > 0;
  const columns = value?.of === 'column' ? [value.column] : [];
  const totals = value?.of === 'total' ? [value.total] : [];
  const trends = trend === undefined ? [] : [trend];
  if (!isGrouped) needs.push({ ...data, columns, totals, trends, key: undefined });
  else {
    const named = totals.map((total) => ({ ...total, value: nameOf(total.value) }));
    const times = trends.map((item) => ({ ...item, value: item.value.column }));
    needs.push({ ...data, columns: [...columns, ...named, ...times], totals: [], trends: [], key: undefined });
  }
}

function nameOf({ aggregate, column }: AggregateItem): string {
  return column === undefined ? aggregate : `${aggregate}.${column}`;
}
