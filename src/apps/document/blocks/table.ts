/** Reads a table: columns, links, actions and exports. */
import type { Placed } from '../app-document.ts';
import { readColumns } from '../columns.ts';
import type { BlockReader, DocumentContext } from '../context.ts';
import { DATA_FIELDS, readData } from '../data.ts';
import { readForm } from '../forms.ts';
import { readLink } from '../links.ts';
import { atMost, type MapTree } from '../reader.ts';

const FIELDS = [...DATA_FIELDS, 'columns', 'size', 'count', 'link', 'actions', 'export', 'empty'];
const EXPORTS = ['csv', 'json', 'xml', 'yaml', 'bson'];
const MAX_SIZE = 200;
const MAX_EMPTY = 500;

export const readTable: BlockReader = (context, tree) => {
  const { reader, needs } = context;
  const map = reader.mapping(tree, FIELDS);
  if (map === undefined) return {};
  const row: Placed<string>[] = [];
  const columns = readColumns(context, map, 'columns', { row });
  reader.integer(map, 'size', 1, MAX_SIZE);
  reader.boolean(map, 'count');
  reader.string(map, 'empty', atMost(MAX_EMPTY));
  readExports(context, map);
  readLink(context, map, 'link', { row });
  for (const action of reader.items(map, 'actions')) readForm(context, action, { row });
  const data = readData(context, map);
  if (data?.of === 'endpoint') needs.push(data);
  else if (data !== undefined) needs.push({ ...data, columns: [...columns, ...row], totals: [], trends: [], key: undefined });
  return {};
};

function readExports({ reader }: DocumentContext, map: MapTree): void {
  const formats = reader.items(map, 'export').flatMap((item) => {
    const name = reader.stringAt(item, (text) => (EXPORTS.includes(text) ? undefined : `must be one of ${EXPORTS.join(', ')}`));
    return name === undefined ? [] : [{ name, tree: item }];
  });
  reader.distinct(formats, 'format');
}
