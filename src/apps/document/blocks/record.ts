/** Reads a record: one row of a table. */
import type { Placed } from '../app-document.ts';
import { readColumns } from '../columns.ts';
import type { BlockReader } from '../context.ts';
import { readExpand, readTableKey } from '../data.ts';
import { readKey } from '../forms.ts';

const FIELDS = ['from', 'key', 'fields', 'expand'];

export const readRecord: BlockReader = (context, tree) => {
  const { reader, needs } = context;
  const map = reader.mapping(tree, FIELDS);
  if (map === undefined) return {};
  const row: Placed<string>[] = [];
  const table = readTableKey(context, map, 'from');
  const key = readKey(context, map, {});
  const columns = readColumns(context, map, 'fields', { row });
  const expand = readExpand(context, map);
  if (table !== undefined) needs.push({ ...NO_DATA, of: 'table', table, expand, columns: [...columns, ...row], key });
  return {};
};

const NO_DATA = { filters: [], order: [], groups: [], aggregates: [], having: [], totals: [], trends: [] };
