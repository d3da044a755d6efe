/** Formats rows as columns. No I/O. */

export type ListedRow = Readonly<Record<string, unknown>>;

const WIDEST_CELL = 60;

/** Terminals use two columns for wide characters. A wrong guess only shifts a line. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text)
    width += /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}/u.test(character) ? 2 : 1;
  return width;
}

function cellOf(value: unknown): string {
  const text = textOf(value).replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
  return text.length > WIDEST_CELL ? `${text.slice(0, WIDEST_CELL - 1)}…` : text;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((item: unknown) => nameOf(item) ?? textOf(item)).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Name of a space, host or similar item. */
function nameOf(item: unknown): string | undefined {
  if (item === null || typeof item !== 'object') return undefined;
  const { name, host, port } = item as ListedRow;
  if (typeof name === 'string') return name;
  return typeof host === 'string' ? `${host}:${String(port)}` : JSON.stringify(item);
}

/** `columns` selects and orders the columns; the default is all columns of the rows. */
export function tableOf(rows: readonly ListedRow[], columns?: readonly string[]): string {
  const names = columns ?? [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => names.map((name) => cellOf(row[name])));
  const widths = names.map((name, index) => Math.max(widthOf(name), ...cells.map((row) => widthOf(row[index] ?? ''))));
  const isNumber = names.map((name) => rows.length > 0 && rows.every((row) => ['number', 'bigint'].includes(typeof row[name])));
  const line = (row: readonly string[]): string =>
    row
      .map((text, index) => {
        const space = ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(text)));
        return isNumber[index] === true ? space + text : text + space;
      })
      .join('  ')
      .trimEnd();
  const count = rows.length === 1 ? '1 row' : `${rows.length} rows`;
  return names.length === 0
    ? `(${count})\n`
    : `${[line(names), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n')}\n(${count})\n`;
}
