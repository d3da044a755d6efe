/** Reads the columns of a table, or the fields of a record. */
import type { Placed } from './app-document.ts';
import { type DocumentContext, placed, type ValueScope } from './context.ts';
import { checkFormat } from './formats.ts';
import { readLink } from './links.ts';
import { atMost, type MapTree } from './reader.ts';

const FIELDS = ['name', 'label', 'format', 'align', 'link'];
const ALIGNMENTS = ['left', 'right', 'center'];
const MAX_NAME = 200;
const MAX_LABEL = 100;
export const columnName = atMost(MAX_NAME, 1);
export const label = atMost(MAX_LABEL, 1);

export function readColumns(context: DocumentContext, map: MapTree, name: string, scope: ValueScope): readonly Placed<string>[] {
  const { reader } = context;
  const columns = reader.items(map, name, 1).flatMap((item) => {
    const column = item.kind === 'map' ? readColumn(context, item, scope) : reader.stringAt(item, columnName);
    return column === undefined ? [] : [{ name: column, tree: item }];
  });
  reader.distinct(columns, 'column');
  return columns.map(({ name: column, tree }) =>
    placed(context, (tree.kind === 'map' ? tree.fields.get('name') : undefined) ?? tree, column),
  );
}

function readColumn(context: DocumentContext, tree: MapTree, scope: ValueScope): string | undefined {
  const { reader } = context;
  reader.mapping(tree, FIELDS);
  reader.string(tree, 'label', label);
  reader.string(tree, 'format', checkFormat);
  reader.oneOf(tree, 'align', ALIGNMENTS);
  readLink(context, tree, 'link', scope);
  return reader.requiredString(tree, 'name', columnName);
}
