/**
 * Finds the row of a batch that violates a constraint checked at commit (a deferred one). By then
 * all rows are there, and no prefix of the batch would fail in the same way: a later row may be
 * what an earlier one refers to. The key that the database names identifies the row; if it names
 * none, no row is reported.
 */
import type { DbFailure } from '../../engines/contract/engine.ts';
import type { Batch } from '../rows/insert-body.ts';

/** Separator of several values in the key that a database reports. */
const SEPARATOR = ', ';

export function findDeferredViolation({ kind, column, key }: DbFailure, { groups }: Batch): number | undefined {
  if (column === undefined || key === undefined) return undefined;
  const names = column.split(SEPARATOR);
  const places: number[] = [];
  for (const { columns, rows, places: at } of groups) {
    const indexes = names.map((name) => columns.findIndex((one) => one.name === name));
    if (indexes.includes(-1)) continue;
    for (let row = 0; row < rows.count; row++) {
      const values = indexes.map((index) => String(rows.value(row * rows.width + index)));
      if (values.join(SEPARATOR) === key) places.push(at[row] as number);
    }
  }
  // Among rows with the same key, the last one is the duplicate.
  return kind === 'duplicate' ? places.toSorted((a, b) => a - b).at(-1) : places.toSorted((a, b) => a - b)[0];
}
