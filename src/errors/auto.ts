/** Errors of the Auto API: tables, filters, values. */
import { type ErrorEntry, entry, show } from './entry.ts';

export const AUTO_ERRORS = {
  row_unknown: entry(404, () => 'No row has this key.'),
  patch_row_unknown: entry(404, (row: string) => `Row ${row}: no row has this key; nothing was changed.`),
  table_unknown: entry(404, (table: string) => `The table ${show(table)} does not exist in this database.`),
  schema_unknown: entry(404, (schema: string) => `The schema ${show(schema)} does not exist in this database.`),
  paging_missing: entry(406, (name: string) => `The query parameter ${name} is missing; every GET needs pg and ps.`),
  paging_invalid: entry(400, (name: string, why: string) => `The query parameter ${name} is not valid: ${why}.`),
  filter_missing: entry(406, (method: string) => `${method} needs at least one filter, for example id=eq.1; nothing was changed.`),
  filter_not_here: entry(400, (name: string) => `Filters are not supported here; remove ${show(name)}.`),
  patch_filter: entry(400, () => 'A PATCH with an array of rows finds them by their keys; remove the filters.'),
  patch_empty: entry(400, () => 'The body must be a JSON object with at least one column and its new value.'),
  patch_not_object: entry(400, () => 'The body must be a JSON object with columns and their new values.'),
  operator_unknown: entry(
    417,
    (operator: string, column: string) =>
      `The operator ${show(operator)} on ${show(column)} is unknown or unsupported; use eq, ne, lt, gt, le, ge, bw, li, rli, nli, il, in or nin.`,
  ),
  operator_missing: entry(417, (column: string) => `The filter on ${show(column)} has no operator; write ${column.slice(0, 80)}=eq.value.`),
  key_missing: entry(400, () => 'The table has no primary key, so its rows cannot be addressed by path.'),
  key_count: entry(400, (given: string, names: string) => `The path has ${given} value(s) for a key of ${names}.`),
  column_unknown: entry(400, (column: string) => `The table has no column ${show(column)}.`),
  column_not_text: entry(
    400,
    (column: string, operator: string) => `The operator ${operator} requires a text column; ${show(column)} is not one.`,
  ),
  column_not_comparable: entry(
    400,
    (column: string, operator: string) => `The column ${show(column)} cannot be compared with ${operator}.`,
  ),
  value_invalid: entry(400, (column: string, why: string) => `The value for ${show(column)} does not fit: ${why}.`),
  value_quoting: entry(400, (column: string, why: string) => `The value for ${show(column)} is not quoted correctly: ${why}.`),
  range_ambiguous: entry(
    400,
    (column: string) => `The range for ${show(column)} can be split in several ways; quote both ends: bw."low"."high".`,
  ),
  range_invalid: entry(
    400,
    (column: string) => `The range for ${show(column)} is not of the form bw.low.high with two values of the column's type.`,
  ),
  list_empty: entry(400, (column: string) => `The list for ${show(column)} is empty; give at least one value.`),
  reserved_name: entry(
    400,
    (name: string, why: string) =>
      `The query parameter ${name} is not a filter and would do nothing here, since ${why}; quote it to filter by a column of that name: "${name}"=eq.value, or remove it.`,
  ),
  parameter_unknown: entry(400, (name: string) => `The parameter ${show(name)} is unknown, or not for this method.`),
  parameter_invalid: entry(400, (name: string, why: string) => `The parameter ${name} is not valid: ${why}.`),
  upsert_key: entry(400, (named: string, keys: string) =>
    keys === ''
      ? `$upsert=${named.slice(0, 80)}: the table has no unique key at all.`
      : `$upsert=${named.slice(0, 80)}: these columns are not a unique key of the table; it has ${keys}.`,
  ),
  relation_unknown: entry(400, (from: string, table: string, choices: string) =>
    choices === ''
      ? `The table ${show(from)} has no relation to ${table}, nor to any other table.`
      : `The table ${show(from)} has no relation to ${table}; it has relations to ${choices}.`,
  ),
  relation_ambiguous: entry(
    400,
    (from: string, table: string, choices: string) => `The relation of ${show(from)} to ${table} is ambiguous; use one of ${choices}.`,
  ),
  relation_hint: entry(
    400,
    (wanted: string, choices: string) => `The relation ${show(wanted)} is ambiguous or unknown; use one of ${choices}.`,
  ),
  expand_key: entry(
    400,
    (key: string, taken: string) => `The key ${show(key)} of $expand is already used by ${taken}; choose another one, as in alias:table.`,
  ),
  expand_too_many: entry(422, (most: string) => `The related rows of this page have more than ${most} keys; request a smaller page.`),
  set_invalid: entry(400, (why: string) => `Give exactly one set=<column>.<value>: ${why}.`),
  set_value: entry(422, (column: string, why: string) => `The new value for ${show(column)} does not fit: ${why}.`),
  rows_not_array: entry(400, () => 'The body must be a JSON array of row objects with at least one row.'),
  row_not_object: entry(400, (row: string) => `Row ${row} is not a JSON object.`),
  row_column_unknown: entry(400, (row: string, key: string) => `Row ${row}: the table has no column ${show(key)}.`),
  row_key_unknown: entry(422, (row: string, key: string) => `Row ${row}: the table has no column ${show(key)}.`),
  row_key_missing: entry(422, (row: string, key: string) => `Row ${row}: the column ${show(key)} is required.`),
  row_not_there: entry(
    422,
    (row: string, key: string) =>
      `Row ${row}: the table has no row with this key, and for a new one the column ${show(key)} is required; nothing was changed.`,
  ),
  row_value: entry(422, (row: string, key: string, why: string) => `Row ${row}, column ${show(key)}: ${why}.`),
  rows_not_atomic: entry(
    422,
    (storage: string) => `The table engine ${storage} has no transactions, so several rows could be half-written; send one row at a time.`,
  ),
  key_repeats: entry(422, () => 'Several rows have this key; add filters that select one of them.'),
  patch_key_twice: entry(422, (row: string) => `Row ${row} has the key of an earlier row; nothing was changed.`),
  patch_key_missing: entry(400, (row: string, key: string) => `Row ${row}: the key column ${show(key)} is missing.`),
  patch_nothing: entry(400, (row: string) => `Row ${row} has no column besides its key.`),
  rows_duplicate: entry(
    409,
    (detail: string) => `A row with the same key or unique value exists, or the batch has it twice; nothing was inserted. ${detail}`,
  ),
  rows_refused: entry(422, (detail: string) => `The database refused a row; nothing was inserted. ${detail}`),
  write_refused: entry(422, (detail: string) => `The database refused the change; nothing was changed. ${detail}`),
  write_half: entry(
    422,
    (detail: string) => `The database refused the change after a part of it was written, in a table without transactions. ${detail}`,
  ),
  write_unsupported: entry(422, (detail: string) => `The table or view cannot be written in this way; nothing was changed. ${detail}`),
  too_many_affected: entry(
    422,
    (rows: string, most: string) => `${rows} rows would be affected, more than $max_affected=${most}; nothing was changed.`,
  ),
  row_changed: entry(412, () => 'The row was changed since it was read: If-Match does not match. Read it again.'),
  not_on_engine: entry(422, (what: string, engine: string) => `${what} is not possible on ${engine}.`),
  aggregate_too_large: entry(422, () => 'A sum or an average is too large for the database. Add filters or groups.'),
  filter_refused: entry(400, (detail: string) => `The database cannot compare these values. ${detail}`),
} as const satisfies Record<string, ErrorEntry<never>>;
