/** Rows with sorting, pages, totals, exports, links and actions. */
import { useState } from 'preact/hooks';
import { compareDecimals, parseDecimal } from '../../ui/decimal.ts';
import type { Exact } from '../../ui/exact.ts';
import { send } from '../page/api.ts';
import { BlockBody, requireColumns, useReading } from '../page/block.tsx';
import type { ColumnSpec, Data, Table } from '../page/document.ts';
import { type Row, textOf, valueAt } from '../page/fill.ts';
import { setViewState, viewState } from '../page/inputs.ts';
import { dataUrl, isTable, type Pair, readRows } from '../page/rows.ts';
import { isNumber, Value } from '../values/value.tsx';
import { Actions } from './actions.tsx';
import { columnsOf, labelOf, readBinaryColumns } from './columns.ts';
import { AppLink, goTo, linkAddress } from './link.tsx';

const DEFAULT_SIZE = 20;
const MAX_EXPORT = 10_000;

interface Sort {
  readonly column: string;
  readonly isDescending: boolean;
}

interface Page {
  readonly rows: readonly Row[];
  readonly hasNext: boolean;
  readonly total: string | undefined;
  /** Names of its binary columns. */
  readonly binary: ReadonlySet<string>;
}

function readSort(text: string | undefined): Sort | undefined {
  if (text === undefined || text === '') return undefined;
  return { column: text.replace(/\.(?:asc|desc)$/, ''), isDescending: text.endsWith('.desc') };
}

const quoteColumn = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`);

/** The data in the order that the viewer chose. */
function sorted(table: Table, sort: Sort | undefined): Data {
  if (sort === undefined || !isTable(table.from)) return table;
  return { ...table, order: [`${quoteColumn(sort.column)}${sort.isDescending ? '.desc' : ''}`] };
}

/** A page of a table, or all rows of an endpoint. */
async function readPage(table: Table, sort: Sort | undefined, page: number): Promise<Page> {
  const [read, binary] = await Promise.all([
    isTable(table.from) ? readTablePage(table, sort, page, sizeOf(table)) : readEndpoint(table),
    readBinaryColumns(table.from),
  ]);
  requireColumns(
    read.rows,
    columnsOf(table.columns, read.rows).map(({ name }) => name),
  );
  return { ...read, binary };
}

const sizeOf = ({ size = DEFAULT_SIZE }: Table): number => size;

/** One row more than the page shows whether there is a next one. */
async function readTablePage(table: Table, sort: Sort | undefined, page: number, size: number): Promise<Omit<Page, 'binary'>> {
  const count: readonly Pair[] = table.count === true ? [['$count', 'exact']] : [];
  const paging: readonly Pair[] = [['pg', String(page)], ['ps', String(size)], ...count];
  const data = sorted(table, sort);
  const { rows, headers } = await readRows(await dataUrl(data, paging));
  const total = headers.get('x-total-count') ?? undefined;
  if (rows.length < size) return { rows, hasNext: false, total };
  if (total !== undefined) return { rows, hasNext: BigInt(total) > BigInt((page + 1) * size), total };
  const next = await readRows(
    await dataUrl(data, [
      ['pg', String((page + 1) * size)],
      ['ps', '1'],
    ]),
  );
  return { rows, hasNext: next.rows.length > 0, total };
}

async function readEndpoint(table: Table): Promise<Omit<Page, 'binary'>> {
  const { rows } = await readRows(await dataUrl(table, []));
  return { rows, hasNext: false, total: table.count === true ? String(rows.length) : undefined };
}

/** Rows of an endpoint are sorted and divided into pages here, without another request. */
function pageOf(table: Table, read: Page, sort: Sort | undefined, page: number): Page {
  if (isTable(table.from)) return read;
  const { rows } = read;
  const size = sizeOf(table);
  const ordered = sort === undefined ? rows : rows.toSorted((a, b) => compareCells(valueAt(a, sort.column), valueAt(b, sort.column), sort));
  return { ...read, rows: ordered.slice(page * size, (page + 1) * size), hasNext: rows.length > (page + 1) * size };
}

/** NULL sorts before every value; numbers sort as numbers. */
function compareCells(a: Exact | undefined, b: Exact | undefined, { isDescending }: Sort): number {
  const sign = isDescending ? -1 : 1;
  if (a == null || b == null) return sign * (Number(a != null) - Number(b != null));
  const [left, right] = [textOf(a), textOf(b)];
  const [leftNumber, rightNumber] = [parseDecimal(left), parseDecimal(right)];
  if (leftNumber !== undefined && rightNumber !== undefined) return sign * compareDecimals(leftNumber, rightNumber);
  return sign * left.localeCompare(right);
}

export function TableBlock({ id, table }: { readonly id: string; readonly table: Table }) {
  const sort = readSort(viewState.value.get(`${id}.sort`));
  const page = Math.max(0, Number.parseInt(viewState.value.get(`${id}.page`) ?? '1', 10) - 1 || 0);
  const reading = useReading(table, () => readPage(table, sort, page), isTable(table.from) ? [sort, page] : []);
  const [done, setDone] = useState<string | undefined>(undefined);
  return (
    <>
      {done !== undefined && (
        <p class="form-done" role="status" data-testid="form-done">
          {done}
        </p>
      )}
      <BlockBody reading={reading} isEmpty={({ rows }) => rows.length === 0 && page === 0} empty={table.empty ?? 'No rows.'}>
        {(shown) => <Rows id={id} table={table} sort={sort} page={page} shown={pageOf(table, shown, sort, page)} onDone={setDone} />}
      </BlockBody>
    </>
  );
}

interface RowsProps {
  readonly id: string;
  readonly table: Table;
  readonly sort: Sort | undefined;
  readonly page: number;
  readonly shown: Page;
  readonly onDone: (message: string) => void;
}

function Rows({ id, table, sort, page, shown: { rows, hasNext, total, binary }, onDone }: RowsProps) {
  const columns = columnsOf(table.columns, rows, binary);
  const hasActions = (table.actions ?? []).length > 0;
  const turnTo = (to: number): void => setViewState({ [`${id}.page`]: to === 0 ? undefined : String(to + 1) });
  return (
    <>
      <section class="table-box" aria-label="Rows" tabIndex={0}>
        <table data-testid="table">
          <thead>
            <tr>
              {columns.map((column) => (
                <Head
                  key={column.name}
                  column={column}
                  sort={sort}
                  isNumeric={isNumericColumn(column, rows)}
                  // The database sorts by columns of the table itself.
                  isSortable={!isTable(table.from) || !column.name.includes('.')}
                  onSort={(next) => sortBy(id, next)}
                />
              ))}
              {hasActions && (
                <th scope="col">
                  <span class="visually-hidden">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <RowLine key={String(at)} {...{ row, table, columns, onDone }} />
            ))}
          </tbody>
        </table>
      </section>
      <footer class="table-foot">
        {(page > 0 || hasNext) && (
          <nav aria-label="Pages">
            {page > 0 && (
              <button type="button" data-testid="prev" onClick={() => turnTo(page - 1)}>
                Previous
              </button>
            )}
            <span class="muted">Page {page + 1}</span>
            {hasNext && (
              <button type="button" data-testid="next" onClick={() => turnTo(page + 1)}>
                Next
              </button>
            )}
          </nav>
        )}
        {total !== undefined && (
          <span class="muted">
            <span data-testid="total">{total}</span> rows
          </span>
        )}
        <Exports id={id} table={table} sort={sort} />
      </footer>
    </>
  );
}

const isNumericColumn = ({ name, format }: ColumnSpec, rows: readonly Row[]): boolean =>
  rows.some((row) => isNumber(valueAt(row, name), format)) && !/^(?:text|code|badge|bool)/.test(format ?? '');

const alignOf = (column: ColumnSpec, isNumeric: boolean): string => `align-${column.align ?? (isNumeric ? 'right' : 'left')}`;

/** Ascending, then descending, then as it was. */
function sortBy(id: string, next: Sort | undefined): void {
  const text = next === undefined ? undefined : `${next.column}.${next.isDescending ? 'desc' : 'asc'}`;
  setViewState({ [`${id}.page`]: undefined, [`${id}.sort`]: text });
}

interface HeadProps {
  readonly column: ColumnSpec;
  readonly sort: Sort | undefined;
  readonly isNumeric: boolean;
  readonly isSortable: boolean;
  readonly onSort: (sort: Sort | undefined) => void;
}

function Head({ column, sort, isNumeric, isSortable, onSort }: HeadProps) {
  const own = sort?.column === column.name ? sort : undefined;
  const next =
    own === undefined ? { column: column.name, isDescending: false } : own.isDescending ? undefined : { ...own, isDescending: true };
  const direction = own === undefined ? 'none' : own.isDescending ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={isSortable ? direction : undefined} class={alignOf(column, isNumeric)}>
      {isSortable ? (
        <button type="button" class="sort" data-testid={`sort-${column.name}`} onClick={() => onSort(next)}>
          {labelOf(column)} <span aria-hidden="true">{own === undefined ? '' : own.isDescending ? '↓' : '↑'}</span>
        </button>
      ) : (
        labelOf(column)
      )}
    </th>
  );
}

interface LineProps {
  readonly row: Row;
  readonly table: Table;
  readonly columns: readonly ColumnSpec[];
  readonly onDone: (message: string) => void;
}

/** Formats whose values stay on one line. */
const SHORT = /^(?:date|datetime|time|month|year|badge|code)$/;

/** The whole row is clickable; its first cell has the link for the keyboard. */
function RowLine({ row, table, columns, onDone }: LineProps) {
  const { link, actions = [] } = table;
  const open = (event: MouseEvent): void => {
    if (link === undefined || (event.target instanceof Element && event.target.closest('a, button') !== null)) return;
    if (getSelection()?.toString()) return;
    goTo(linkAddress(link, row));
  };
  return (
    <tr data-testid="row" class={link === undefined ? '' : 'is-link'} onClick={open}>
      {columns.map((column, at) => {
        const value = valueAt(row, column.name);
        const shown = <Value value={value} format={column.format} />;
        const target = column.link ?? (at === 0 ? link : undefined);
        return (
          <td
            key={column.name}
            data-testid="cell"
            data-column={column.name}
            class={`${alignOf(column, isNumber(value, column.format))}${SHORT.test(column.format ?? '') ? ' is-short' : ''}`}
          >
            {target === undefined ? (
              shown
            ) : (
              <AppLink link={target} row={row}>
                {shown}
              </AppLink>
            )}
          </td>
        );
      })}
      {actions.length > 0 && (
        <td class="align-right">
          <Actions actions={actions} row={row} onDone={onDone} />
        </td>
      )}
    </tr>
  );
}

function Exports({ id, table, sort }: { readonly id: string; readonly table: Table; readonly sort: Sort | undefined }) {
  const [message, setMessage] = useState<string | undefined>(undefined);
  const run = async (format: string): Promise<void> => {
    setMessage(`Saving ${format.toUpperCase()}…`);
    try {
      setMessage(await download(id, table, sort, format));
    } catch (error) {
      setMessage(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <span class="exports">
      {message !== undefined && (
        <span class="muted" role="status">
          {message}
        </span>
      )}
      {(table.export ?? ['csv']).map((format) => (
        <button key={format} type="button" class="plain" data-testid={`export-${format}`} onClick={() => void run(format)}>
          {format.toUpperCase()}
        </button>
      ))}
    </span>
  );
}

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  xml: 'application/xml',
  yaml: 'application/x-yaml',
  bson: 'application/bson',
};

/** Saves the API's own answer. Returns what the viewer should know about it. */
async function download(id: string, table: Table, sort: Sort | undefined, format: string): Promise<string> {
  const paging: readonly Pair[] = isTable(table.from)
    ? [
        ['pg', '0'],
        ['ps', String(MAX_EXPORT)],
      ]
    : [];
  const url = await dataUrl(sorted(table, sort), [...paging, ['format', format]]);
  const { bytes } = await send(url, { isBinary: true });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes ?? new Uint8Array()], { type: TYPES[format] ?? 'application/octet-stream' }));
  link.download = `${id}.${format}`;
  link.click();
  URL.revokeObjectURL(link.href);
  if (!isTable(table.from)) return `Saved ${id}.${format}.`;
  const beyond = await readRows(
    await dataUrl(table, [
      ['pg', String(MAX_EXPORT)],
      ['ps', '1'],
    ]),
  );
  return beyond.rows.length > 0 ? `The file has the first ${MAX_EXPORT} rows; rows are missing.` : `Saved ${id}.${format}.`;
}
