/** Parses lists of columns: `$select=a,b` and `$order=a.desc,b`. Must not know tables. */
import { apiError } from '../../errors.ts';
import { columnName, quoted } from './quoting.ts';

export interface OrderItem {
  readonly column: string;
  readonly direction: 'asc' | 'desc';
}

/** Splits a list at commas. An item may begin with a quoted name; an empty one is rejected. */
export function listItems(name: string, text: string): readonly string[] {
  const items: string[] = [];
  for (let start = 0; start <= text.length; ) {
    const from = text[start] === '"' ? quoted(text, start, name).next : start;
    const comma = text.indexOf(',', from);
    const end = comma < 0 ? text.length : comma;
    if (end === start) throw apiError('parameter_invalid', name, 'it has an empty item; remove the comma or name a column');
    items.push(text.slice(start, end));
    start = end + 1;
  }
  return items;
}

/** Parses distinct column names between commas. `"a,b"` is one name. */
export function columnList(name: string, text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const names = listItems(name, text).map(columnName);
  const twice = names.find((column, index) => names.indexOf(column) < index);
  if (twice !== undefined) throw apiError('parameter_invalid', name, `it names ${twice} twice`);
  return names;
}

export function parseOrder(text: string | undefined): readonly OrderItem[] | undefined {
  if (text === undefined) return undefined;
  return listItems('$order', text).map((item) => {
    const match = /^(.*?)(?:\.(asc|desc))?$/s.exec(item);
    return { column: columnName(match?.[1] ?? item), direction: match?.[2] === 'desc' ? 'desc' : 'asc' };
  });
}
