/**
 * Settings sent with every statement, so that a user's profile does not change the form of a result
 * or whether a write is awaited. A server gets only those it knows, which are read once per
 * connection.
 */
import type { Entry } from '../../../model/entry.ts';

const ALWAYS: readonly (readonly [name: string, value: string])[] = [
  // Values as exact JSON: numbers as digits, timestamps in UTC, text as valid UTF-8.
  ['date_time_output_format', 'iso'],
  ['interval_output_format', 'numeric'],
  ['output_format_decimal_trailing_zeros', '1'],
  ['output_format_json_quote_64bit_integers', '0'],
  ['output_format_json_quote_64bit_floats', '0'],
  ['output_format_json_quote_decimals', '0'],
  ['output_format_json_quote_denormals', '1'],
  ['output_format_json_validate_utf8', '1'],
  ['output_format_json_escape_forward_slashes', '0'],
  ['output_format_json_named_tuples_as_objects', '1'],
  ['output_format_json_skip_null_value_in_named_tuples', '0'],
  ['output_format_json_map_as_array_of_tuples', '0'],
  // Results are complete or fail, and failures have a known form.
  ['http_write_exception_in_output_format', '0'],
  ['enable_http_compression', '0'],
  ['limit', '0'],
  ['offset', '0'],
  ['extremes', '0'],
  ['timeout_overflow_mode', 'throw'],
  ['result_overflow_mode', 'throw'],
  ['timeout_before_checking_execution_speed', '0'],
  // Results are small or streamed: parallel formatting costs the server more than it saves.
  ['output_format_parallel_formatting', '0'],
  // Over the native port an outer SELECT formats the rows, which must not remove the order of the
  // inner one.
  ['query_plan_remove_redundant_sorting', '0'],
  // SQL's rules for NULL.
  ['transform_null_in', '0'],
  ['input_format_null_as_default', '0'],
  // A write is done when it is acknowledged: in one block, even if the same rows are sent twice.
  ['async_insert', '0'],
  ['insert_deduplicate', '0'],
  ['deduplicate_insert', 'disable'],
  ['deduplicate_insert_select', 'disable'],
  ['distributed_foreground_insert', '1'],
  ['materialized_views_ignore_errors', '0'],
  ['mutations_sync', '2'],
  ['lightweight_deletes_sync', '2'],
  ['lightweight_mutation_projection_mode', 'rebuild'],
  ['max_query_size', '67108864'],
];

export const SETTING_NAMES: readonly string[] = ALWAYS.map(([name]) => name);

export type Settings = readonly (readonly [name: string, value: string])[];

/**
 * The rows of several callers are one block, whatever the profile says: all are written, or none.
 * Every server knows these settings.
 */
const AS_ONE: Settings = [
  ['min_insert_block_size_rows', '1048576'],
  ['min_insert_block_size_bytes', '268435456'],
];

export function settingsAsOne(settings: Settings): Settings {
  return [...settings, ...AS_ONE];
}

/** Allows reads and settings only. */
const READ_ONLY: Settings = [['readonly', '2']];

export function knownSettings(known: ReadonlySet<string>, { readOnly }: Pick<Entry, 'readOnly'>): Settings {
  const settings = ALWAYS.filter(([name]) => known.has(name));
  return readOnly === true ? [...settings, ...READ_ONLY] : settings;
}
