/** Replaces the values of masked columns; all other values pass unchanged. */
import type { Backpressure, Cells, ResultColumn, RowSink } from '../../model/cells.ts';
import type { Column } from '../../model/table.ts';
import type { SelectPlan } from '../../sql/plan.ts';

/** Wraps a sink if the plan has masked columns. */
export function maskedSink({ columns, masks }: Pick<SelectPlan, 'columns' | 'masks'>, inner: RowSink): RowSink {
  if (masks === undefined || !columns.some((column) => masks.has(column))) return inner;
  return new MaskSink(inner, columns, masks);
}

const NULL = -1;

class MaskSink implements RowSink {
  readonly #inner: RowSink;
  /** Range of each column's mask in the buffer; `undefined` for a column that is not masked. */
  readonly #places: readonly (readonly [number, number] | undefined)[];
  readonly #text: Buffer;
  #row: { bytes: Buffer; from: Int32Array; to: Int32Array } = { bytes: Buffer.alloc(0), from: new Int32Array(0), to: new Int32Array(0) };

  constructor(inner: RowSink, columns: readonly Column[], masks: ReadonlyMap<Column, string | null>) {
    this.#inner = inner;
    const masked: Buffer[] = [];
    let length = 0;
    this.#places = columns.map((column) => {
      const mask = masks.get(column);
      if (mask === undefined) return undefined;
      if (mask === null) return [NULL, NULL];
      const bytes = Buffer.from(mask);
      masked.push(bytes);
      length += bytes.length;
      return [length - bytes.length, length];
    });
    this.#text = Buffer.concat(masked);
  }

  start(columns: readonly ResultColumn[], flow: Backpressure): void {
    const shown = columns.map((column, index): ResultColumn => (this.#places[index] === undefined ? column : { ...column, kind: 'text' }));
    this.#inner.start(shown, flow);
  }

  /** Row layout: all masks, followed by the values that are not masked. */
  row({ bytes, from, to }: Cells): void {
    const count = from.length;
    if (this.#row.from.length !== count) this.#row = { bytes: this.#row.bytes, from: new Int32Array(count), to: new Int32Array(count) };
    const row = this.#row;
    let at = this.#text.length;
    let needed = at;
    for (let i = 0; i < count; i++) if ((from[i] as number) >= 0) needed += (to[i] as number) - (from[i] as number);
    if (row.bytes.length < needed) {
      row.bytes = Buffer.alloc(needed * 2);
      this.#text.copy(row.bytes);
    }
    for (let i = 0; i < count; i++) {
      const place = this.#places[i];
      const start = from[i] as number;
      if (place !== undefined) {
        row.from[i] = place[0];
        row.to[i] = place[1];
      } else if (start < 0) {
        row.from[i] = NULL;
        row.to[i] = NULL;
      } else {
        row.from[i] = at;
        at += bytes.copy(row.bytes, at, start, to[i] as number);
        row.to[i] = at;
      }
    }
    this.#inner.row(row);
  }
}
