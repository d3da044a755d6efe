/**
 * The settings sent with every statement, so that a user's profile never changes what an answer looks like, or whether a write is awaited. A server
 * gets only those that it knows: the list is read once per connection.
 */
import type { Entry } from '../../../model/entry.ts';

const ALWAYS: readonly (readonly [name: string, value: string])[] = [
  // Values as exact JSON: whole numbers and decimals as digits, instants in UTC, text always valid UTF-8.
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
  // Answers are whole or fail, and a failure is told in one known form.
  ['http_write_exception_in_output_format', '0'],
  ['enable_http_compression', '0'],
  ['limit', '0'],
  ['offset', '0'],
  ['extremes', '0'],
  ['timeout_overflow_mode', 'throw'],
  ['result_overflow_mode', 'throw'],
  ['timeout_before_checking_execution_speed', '0'],
  // Answers are small or flow: threads that format them side by side cost the server more than the formatting.
  ['output_format_parallel_formatting', '0'],
  // The native port's rows are formatted in an outer SELECT, which must not cost the inner one its order.
  ['query_plan_remove_redundant_sorting', '0'],
  // SQL's own rules for NULL.
  ['transform_null_in', '0'],
  ['input_format_null_as_default', '0'],
  // A write has happened when it is answered, in one block, also when the same rows come twice.
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

/** The rows of several callers are one block, whatever a profile says: all of them are written, or none. Every server knows these. */
const AS_ONE: Settings = [
  ['min_insert_block_size_rows', '1048576'],
  ['min_insert_block_size_bytes', '268435456'],
];

export function settingsAsOne(settings: Settings): Settings {
  return [...settings, ...AS_ONE];
}

/** Reads alone, and settings may still be sent along. */
const READ_ONLY: Settings = [['readonly', '2']];

export function knownSettings(known: ReadonlySet<string>, { readOnly }: Pick<Entry, 'readOnly'>): Settings {
  const settings = ALWAYS.filter(([name]) => known.has(name));
  return readOnly === true ? [...settings, ...READ_ONLY] : settings;
}
