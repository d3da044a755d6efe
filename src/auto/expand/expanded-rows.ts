/**
 * Writes rows with their related rows: each item of `$expand` becomes a cell that contains rows.
 */
import type { Cells, ResultColumn, RowSink } from '../../model/cells.ts';
import { appendBytes, appendNestedCell, appendNestedNull, beginNested, beginNestedCell, endNestedCell } from '../../model/nested.ts';
import { ByteWriter } from '../../util/bytes/byte-writer.ts';
import { Gate } from '../rows/gate.ts';
import type { RowStore } from '../rows/row-store.ts';

/** Rows in memory and their items. */
export interface ReadRows {
  /** The same object for all rows with the same plan; identifies their columns. */
  readonly shape: object;
  readonly store: RowStore;
  /** Rows to show; all if absent. */
  readonly shown?: readonly number[];
  readonly columns: readonly ResultColumn[];
  /** Index of the first cell in a row of the store. */
  readonly first: number;
  /** Number of visible cells. */
  readonly visible: number;
  readonly items: readonly ReadItem[];
}

export interface ReadItem {
  readonly key: string;
  readonly kind: 'one' | 'many';
  readonly rows: ReadRows;
  /** Returns the related rows of a row. */
  of(row: number): readonly number[];
}

/** The last columns of a shape. Formats recognize columns by identity. */
interface CachedColumns {
  readonly own: readonly ResultColumn[];
  readonly nested: readonly (readonly ResultColumn[])[];
  readonly columns: readonly ResultColumn[];
}

const lastColumns = new WeakMap<object, CachedColumns>();

function columnsOf({ shape, columns: own, visible, items }: ReadRows): readonly ResultColumn[] {
  const nested = items.map(({ rows }) => columnsOf(rows));
  const known = lastColumns.get(shape);
  if (known !== undefined && known.own === own && known.nested.every((columns, i) => columns === nested[i])) return known.columns;
  const columns = [
    ...own.slice(0, visible),
    ...items.map(({ key, kind }, i): ResultColumn => ({ name: key, kind: 'json', nested: { kind, columns: nested[i] ?? [] } })),
  ];
  lastColumns.set(shape, { own, nested, columns });
  return columns;
}

/** Sends rows from memory and waits while the sink applies backpressure. */
export async function sendRows(rows: ReadRows, sink: RowSink): Promise<void> {
  const columns = columnsOf(rows);
  const gate = new Gate();
  sink.start(columns, gate);
  const out = new ByteWriter(Number.POSITIVE_INFINITY, () => {});
  const cells: Cells = { bytes: out.bytes, from: new Int32Array(columns.length), to: new Int32Array(columns.length) };
  const { shown, store } = rows;
  const count = shown?.length ?? store.count;
  for (let at = 0; at < count; at++) {
    if (gate.isClosed) await gate.opened();
    writeRow(rows, shown?.[at] ?? at, cells, out);
    sink.row(cells);
  }
  out.release();
}

function writeRow({ store, visible, items }: ReadRows, row: number, cells: Cells, out: ByteWriter): void {
  const { from, to } = cells;
  out.length = 0;
  for (let i = 0; i < visible; i++) {
    const start = store.from(row, i);
    from[i] = start < 0 ? -1 : out.length;
    if (start >= 0) appendBytes(out, store.bytes, start, store.to(row, i));
    to[i] = out.length;
  }
  items.forEach((item, index) => {
    const place = visible + index;
    const related = item.of(row);
    const isNull = item.kind === 'one' && related.length === 0;
    from[place] = isNull ? -1 : out.length;
    if (!isNull) packRows(item, related, out);
    to[place] = out.length;
  });
  cells.bytes = out.bytes;
}

function packRows({ rows }: ReadItem, related: readonly number[], out: ByteWriter): void {
  const { store, first, visible, items } = rows;
  const end = first + visible;
  beginNested(out, related.length);
  for (const row of related) {
    for (let i = first; i < end; i++) appendNestedCell(out, store.bytes, store.from(row, i), store.to(row, i));
    for (const item of items) {
      const deeper = item.of(row);
      if (item.kind === 'one' && deeper.length === 0) appendNestedNull(out);
      else {
        const start = beginNestedCell(out);
        packRows(item, deeper, out);
        endNestedCell(out, start);
      }
    }
  }
}
