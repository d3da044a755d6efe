/** Reads a chart: its kind, axes and series. */
import type { Placed } from '../app-document.ts';
import { columnName } from '../columns.ts';
import { type BlockReader, type DocumentContext, placed } from '../context.ts';
import { DATA_FIELDS, readData } from '../data.ts';
import { checkFormat } from '../formats.ts';
import type { AppReader, MapTree } from '../reader.ts';

const FIELDS = [...DATA_FIELDS, 'kind', 'x', 'y', 'series', 'stack', 'horizontal', 'format', 'x_format', 'limit'];
const KINDS = ['line', 'bar', 'area', 'pie', 'scatter'];
const MAX_LIMIT = 10_000;

/** Settings that only some kinds have. */
const ONLY: readonly { readonly name: string; readonly kinds: readonly string[] }[] = [
  { name: 'stack', kinds: ['bar', 'area'] },
  { name: 'horizontal', kinds: ['bar'] },
];

export const readChart: BlockReader = (context, tree) => {
  const { reader, needs } = context;
  const map = reader.mapping(tree, FIELDS);
  if (map === undefined) return {};
  reader.required(map, 'kind');
  const kind = reader.oneOf(map, 'kind', KINDS);
  const columns = [...readName(context, map, 'x'), ...readY(context, map), ...readName(context, map, 'series')];
  for (const name of ['x', 'y']) reader.required(map, name);
  reader.oneOf(map, 'stack', [true, false, 'percent']);
  reader.boolean(map, 'horizontal');
  reader.string(map, 'format', checkFormat);
  reader.string(map, 'x_format', checkFormat);
  reader.integer(map, 'limit', 1, MAX_LIMIT);
  if (typeof kind === 'string') checkKind(reader, map, kind);
  const data = readData(context, map);
  if (data?.of === 'endpoint') needs.push(data);
  else if (data !== undefined) needs.push({ ...data, columns, totals: [], trends: [], key: undefined });
  return {};
};

function readName(context: DocumentContext, map: MapTree, name: string): readonly Placed<string>[] {
  const tree = map.fields.get(name);
  const text = tree === undefined ? undefined : context.reader.stringAt(tree, columnName);
  return tree === undefined || text === undefined ? [] : [placed(context, tree, text)];
}

/** One column, or several if they are not split into series. */
function readY(context: DocumentContext, map: MapTree): readonly Placed<string>[] {
  const { reader } = context;
  const tree = map.fields.get('y');
  if (tree?.kind !== 'list') return readName(context, map, 'y');
  if (map.fields.has('series')) reader.problem(tree, 'must be one column, because there is a series');
  const columns = reader.itemsAt(tree, 1).flatMap((item) => {
    const name = reader.stringAt(item, columnName);
    return name === undefined ? [] : [{ name, tree: item }];
  });
  reader.distinct(columns, 'column');
  return columns.map((column) => placed(context, column.tree, column.name));
}

function checkKind(reader: AppReader, { fields }: MapTree, kind: string): void {
  for (const { name, kinds } of ONLY) {
    const tree = fields.get(name);
    if (tree !== undefined && !kinds.includes(kind)) reader.problem(tree, `belongs to charts of the kind ${kinds.join(' and ')}`);
  }
}
