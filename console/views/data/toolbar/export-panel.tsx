/** Downloads the API's own answer, with the query in force, in any of its formats. */
import { useState } from 'preact/hooks';
import { context } from '../../../api/context.ts';
import { refusalOf } from '../../../api/request.ts';
import { toast } from '../../../parts/toasts.tsx';
import type { PanelProps } from './panel.ts';
import { Popover } from './popover.tsx';
import { getRows, rowsUrl } from './rows-request.ts';

const FORMATS = ['json', 'csv', 'xml', 'yaml', 'bson'] as const;
const NO_CURSOR = 400;

export function ExportPanel({ database, table, search }: PanelProps) {
  const [busy, setBusy] = useState<string | undefined>(undefined);
  const size = context.value?.max_page_size ?? 1000;
  const run = async (format: string): Promise<void> => {
    setBusy(format);
    try {
      const isCut = await download(database, table.table, search, format, size);
      toast(isCut ? `The file has the first ${size} rows; there are more.` : `Saved ${table.table}.${format}.`);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { isError: true });
    } finally {
      setBusy(undefined);
    }
  };
  return (
    <Popover label="Export" icon="export" testId="export">
      {() => (
        <div class="menu-list">
          {FORMATS.map((format) => (
            <button
              key={format}
              type="button"
              class="plain"
              data-testid={`export-${format}`}
              disabled={busy !== undefined}
              onClick={() => void run(format)}
            >
              {busy === format ? `Saving ${format.toUpperCase()}…` : format.toUpperCase()}
            </button>
          ))}
          <p class="faint">At most {size} rows.</p>
        </div>
      )}
    </Popover>
  );
}

/** Saves the answer as a file. Resolves with `true` if there are more rows. */
async function download(database: string, table: string, search: string, format: string, size: number): Promise<boolean> {
  const page = ['pg=0', `ps=${size}`, `format=${format}`];
  // With a cursor, the answer says whether there are more rows. Not every query takes one.
  let response = await getRows(rowsUrl(database, table, search, [...page, '$after=']));
  if (response.status === NO_CURSOR) response = await getRows(rowsUrl(database, table, search, page));
  if (!response.ok) throw await refusalOf(response);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = `${table}.${format}`;
  link.click();
  URL.revokeObjectURL(link.href);
  return response.headers.has('x-next-cursor');
}
