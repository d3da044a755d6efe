/** Parses lists of columns: `$select=a,b` and `$order=a.desc,b`. Must not know tables. */
import { apiError } from '../../errors.ts';
import { columnName } from './filter-syntax.ts';

export interface OrderItem {
  readonly column: string;
  readonly direction: 'asc' | 'desc';
}

/** Parses distinct column names between commas. `"a,b"` is one name. */
export function columnList(name: string, text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const items = text.match(/"(?:[^"\\]|\\.)*"|[^,]+/g) ?? [];
  if (items.length === 0) throw apiError('parameter_invalid', name, 'it must name at least one column');
  const names = items.map(columnName);
  const twice = names.find((column, index) => names.indexOf(column) < index);
  if (twice !== undefined) throw apiError('parameter_invalid', name, `it names ${twice} twice`);
  return names;
}

export function parseOrder(text: string | undefined): readonly OrderItem[] | undefined {
  if (text === undefined) return undefined;
  const items = text.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? [];
  if (items.length === 0) throw apiError('parameter_invalid', '$order', 'it must name at least one column');
  return items.map((item) => {
    const match = /^(.*?)(?:\.(asc|desc))?$/s.exec(item);
    return { column: columnName(match?.[1] ?? item), direction: match?.[2] === 'desc' ? 'desc' : 'asc' };
  });
}
