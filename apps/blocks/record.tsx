/** One row of a table as a description list. */

import { parseExact } from '../../ui/exact.ts';
import { ApiFailure } from '../page/answer.ts';
import { read } from '../page/api.ts';
import { BlockBody, requireColumns, useReading } from '../page/block.tsx';
import type { Literal, RecordSpec } from '../page/document.ts';
import { fillFilter, fillValue, type Row, valueAt } from '../page/fill.ts';
import { type Pair, rowsOf, tableUrl } from '../page/rows.ts';
import { Value } from '../values/value.tsx';
import { columnsOf, labelOf, readBinaryColumns } from './columns.ts';
import { AppLink } from './link.tsx';

const NOT_FOUND = 404;

/** Texts of a key; `undefined` if one of its values is missing. */
export function fillKey(key: Literal | readonly Literal[] | undefined, row?: Row): readonly string[] | undefined {
  const parts = Array.isArray(key) ? (key as readonly Literal[]) : [key as Literal];
  const texts = parts.map((part) => fillValue(part ?? null, row)[0]);
  return texts.every((text) => text !== undefined) ? (texts as string[]) : undefined;
}

export interface OneRow {
  readonly row: Row | undefined;
  readonly etag: string | null;
}

/** Reads one row. A missing one is not an error. */
export async function readOneRow(from: string, key: readonly string[] | undefined, expand: readonly string[]): Promise<OneRow> {
  if (key === undefined) return { row: undefined, etag: null };
  const items = expand.flatMap((item) => fillFilter(item) ?? []);
  const pairs: readonly Pair[] = items.length === 0 ? [] : [['$expand', items.join(',')]];
  try {
    const { text, headers } = await read(tableUrl(from, pairs, key));
    return { row: rowsOf(parseExact(text))[0], etag: headers.get('etag') };
  } catch (error) {
    if (error instanceof ApiFailure && error.status === NOT_FOUND && /\brow\b/i.test(error.message)) return { row: undefined, etag: null };
    throw error;
  }
}

interface ReadRecord extends OneRow {
  readonly binary: ReadonlySet<string>;
}

async function readRecord({ from, key, fields, expand = [] }: RecordSpec): Promise<ReadRecord> {
  const [found, binary] = await Promise.all([readOneRow(from, fillKey(key), expand), readBinaryColumns(from)]);
  if (found.row !== undefined)
    requireColumns(
      [found.row],
      columnsOf(fields, [found.row]).map(({ name }) => name),
    );
  return { ...found, binary };
}

export function RecordBlock({ record }: { readonly record: RecordSpec }) {
  const reading = useReading(record, () => readRecord(record));
  return (
    <BlockBody reading={reading} isEmpty={({ row }) => row === undefined} empty="This row does not exist.">
      {({ row, binary }) => row !== undefined && <Fields {...{ row, record, binary }} />}
    </BlockBody>
  );
}

interface FieldsProps {
  readonly row: Row;
  readonly record: RecordSpec;
  readonly binary: ReadonlySet<string>;
}

function Fields({ row, record, binary }: FieldsProps) {
  return (
    <dl class="record">
      {columnsOf(record.fields, [row], binary).map((column) => {
        const shown = <Value value={valueAt(row, column.name)} format={column.format} />;
        return (
          <div key={column.name}>
            <dt>{labelOf(column)}</dt>
            <dd data-testid="cell" data-column={column.name}>
              {column.link === undefined ? (
                shown
              ) : (
                <AppLink link={column.link} row={row}>
                  {shown}
                </AppLink>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
