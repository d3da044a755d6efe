/** Result of a step: rows as a table, anything else as JSON. */
import { type Exact, type ExactObject, isObject, writeExact } from '../../../../ui/exact.ts';
import { Value } from '../../../parts/value.tsx';

const MAX_ROWS = 100;
const MAX_TEXT = 20_000;

const isRows = (value: Exact): value is readonly ExactObject[] =>
  Array.isArray(value) && value.length > 0 && (value as readonly Exact[]).every((row) => isObject(row));

/** Long results are cut, so that the page stays quick. */
export function jsonText(value: Exact): string {
  const text = writeExact(value, '  ');
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}\n… ${text.length - MAX_TEXT} more characters` : text;
}

export function ResultValue({ value, label }: { readonly value: Exact; readonly label: string }) {
  if (!isRows(value))
    return (
      <pre class="code" data-testid="try-result" role="region" aria-label={label} tabIndex={0}>
        {jsonText(value)}
      </pre>
    );
  const rows = value.slice(0, MAX_ROWS);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return (
    <div class="rows" data-testid="try-result" role="region" aria-label={label} tabIndex={0}>
      <table class="list compact">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {columns.map((column) => (
                <td key={column}>{row[column] !== undefined && <Value value={row[column]} />}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {value.length > rows.length && <p class="faint rows-more">{value.length - rows.length} more rows</p>}
    </div>
  );
}
