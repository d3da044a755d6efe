/** Reads `options`: the choices of an input or a field, which come from rows. */
import { columnName } from './columns.ts';
import { type DocumentContext, placed } from './context.ts';
import { readData } from './data.ts';
import type { Tree } from './reader.ts';

const FIELDS = ['from', 'value', 'text', 'filters', 'order'];
const COLUMNS = ['value', 'text'];

export function readOptions(context: DocumentContext, tree: Tree | undefined): void {
  const { reader, needs } = context;
  const map = tree === undefined ? undefined : reader.mapping(tree, FIELDS);
  if (map === undefined) return;
  reader.required(map, 'value');
  const columns = COLUMNS.flatMap((name) => {
    const column = map.fields.get(name);
    const text = reader.string(map, name, columnName);
    return column === undefined || text === undefined ? [] : [placed(context, column, text)];
  });
  const data = readData(context, map);
  if (data?.of === 'endpoint') needs.push(data);
  else if (data !== undefined) needs.push({ ...data, columns, totals: [], trends: [], key: undefined });
}
