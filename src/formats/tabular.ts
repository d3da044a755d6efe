/**
 * Plain values as rows, for formats that have only rows. An object is a row, a list has a row per
 * item, and other values go to a column `value`. Columns are in order of first appearance.
 */
import type { Cells, ResultColumn } from '../model/cells.ts';
import type { Kind } from '../model/table.ts';
import { ByteWriter } from '../util/bytes/byte-writer.ts';
import { exactDigits, writeJson } from '../util/json/json-write.ts';
import { Decimal, type PlainMap, type PlainValue } from '../util/text/decimal.ts';
import type { RowWriter } from './format.ts';
import type { CellWriter } from './text.ts';

interface Tabular {
  readonly names: readonly string[];
  readonly rows: readonly PlainMap[];
}

const SCALAR_COLUMN = 'value';

export function tabulate(value: PlainValue): Tabular {
  const items: readonly PlainValue[] = Array.isArray(value) ? value : [value];
  const rows = items.map((item) => (item instanceof Map ? item : new Map([[SCALAR_COLUMN, item]])));
  const names = new Set<string>();
  for (const row of rows) for (const name of row.keys()) names.add(name);
  return { names: [...names], rows };
}

/** A row writer whose columns may differ in kind from row to row. */
interface LooseRowWriter extends RowWriter {
  readonly writers: CellWriter[];
}

export function writeTabular(
  value: PlainValue,
  out: ByteWriter,
  writersByKind: Readonly<Record<Kind, CellWriter>>,
  open: (columns: readonly ResultColumn[]) => LooseRowWriter,
): void {
  const { names, rows } = tabulate(value);
  const writer = open(names.map((name) => ({ name, kind: 'text' })));
  const scratch = new ByteWriter(Number.POSITIVE_INFINITY, () => {});
  const cells: Cells = { bytes: scratch.bytes, from: new Int32Array(names.length), to: new Int32Array(names.length) };
  for (const row of rows) {
    scratch.length = 0;
    names.forEach((name, index) => {
      const cell = row.get(name) ?? null;
      cells.from[index] = cell === null ? -1 : scratch.length;
      if (cell !== null) writer.writers[index] = writersByKind[appendCanonical(cell, scratch)];
      cells.to[index] = scratch.length;
    });
    cells.bytes = scratch.bytes;
    writer.row(cells);
    out.flushIfFull();
  }
  writer.end();
}

/** Appends the canonical bytes of a value and returns their kind. */
function appendCanonical(value: Exclude<PlainValue, null>, out: ByteWriter): Kind {
  const kind = kindOf(value);
  if (kind === 'json') out.text(writeJson(value));
  else out.text(value instanceof Decimal ? exactDigits(value) : String(value));
  return kind;
}

function kindOf(value: Exclude<PlainValue, null>): Kind {
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return Number.isSafeInteger(value) ? 'int' : 'float';
    default:
      return value instanceof Decimal ? 'decimal' : 'json';
  }
}
