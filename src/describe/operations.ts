/**
 * Operations of the Auto API and of Custom calls: method, path, required right, and possible
 * errors. Errors are listed by key; their statuses are in the table of errors. Pure.
 */
import type { ApiOperation } from '../auto/request/parameters.ts';
import { ERRORS, type ErrorKey } from '../errors.ts';
import type { Operation } from '../model/persona.ts';

/**
 * Errors of the connection and of the service, for any request. The document has one response for
 * all of them.
 */
export const GENERAL_ERRORS: readonly ErrorKey[] = [
  ...(['url_too_long', 'headers_too_large', 'malformed_request', 'request_too_slow', 'expectation_unknown'] as const),
  ...(['record_unreadable', 'internal', 'database_error', 'persona_broken'] as const),
];

/** Errors that precede any operation: identity, project, and reachability of the database. */
const ERRORS_OF_ACCESS: readonly ErrorKey[] = [
  ...(['unknown_path', 'bad_url', 'too_many_connections', 'too_many_parameters', 'repeated_parameter', 'unknown_format'] as const),
  ...(['missing_header', 'missing_user', 'header_twice', 'header_invalid', 'header_alias', 'header_not_ulid'] as const),
  ...(['header_not_user_id', 'bad_roles', 'claims_invalid', 'gateway_secret', 'org_unknown', 'project_unknown'] as const),
  ...(['space_unknown', 'path_not_yours', 'token_incomplete', 'token_mismatch', 'token_unknown', 'token_method'] as const),
  ...(['persona_unknown', 'persona_not_yours', 'persona_claims', 'persona_unconfirmed', 'token_unconfirmed', 'store_unavailable'] as const),
  ...(['shutting_down', 'database_unreachable', 'database_malformed', 'database_denied'] as const),
  ...(['database_timeout', 'database_busy', 'database_conflict', 'spool_full', 'memory_busy'] as const),
];

const ERRORS_OF_TABLES: readonly ErrorKey[] = [
  ...(['path_db_type_unknown', 'path_db_type_announced', 'database_unknown', 'schema_unknown', 'table_unknown', 'table_changing'] as const),
  ...(['persona_none', 'persona_operation', 'persona_column', 'persona_claim', 'column_unknown'] as const),
  ...(['parameter_unknown', 'parameter_invalid', 'reserved_name', 'not_on_engine'] as const),
];

const ERRORS_OF_FILTERS: readonly ErrorKey[] = [
  ...(['operator_unknown', 'operator_missing', 'column_not_text', 'column_not_comparable', 'column_masked', 'value_invalid'] as const),
  ...(['value_quoting', 'range_ambiguous', 'range_invalid', 'list_empty', 'filter_refused'] as const),
  ...(['relation_unknown', 'relation_ambiguous', 'relation_hint'] as const),
];

const ERRORS_OF_PAGES: readonly ErrorKey[] = [
  'paging_missing',
  'paging_invalid',
  'expand_key',
  'expand_too_many',
  'database_refused',
  'aggregate_too_large',
];
const ERRORS_OF_KEYS: readonly ErrorKey[] = ['row_unknown', 'key_missing', 'key_count', 'key_repeats', 'filter_not_here', 'value_invalid'];
const ERRORS_OF_BODIES: readonly ErrorKey[] = [
  ...(['body_too_large', 'too_many_bodies', 'body_not_json', 'body_too_deep', 'wrong_content_type', 'content_encoding'] as const),
];
const ERRORS_OF_WRITES: readonly ErrorKey[] = [
  ...(['database_read_only', 'write_refused', 'write_half', 'write_unsupported', 'too_many_affected', 'rows_not_atomic'] as const),
];
const ERRORS_OF_MATCHES: readonly ErrorKey[] = ['filter_missing'];
const ERRORS_OF_SETS: readonly ErrorKey[] = ['set_invalid', 'set_value'];
const ERRORS_OF_CHANGES: readonly ErrorKey[] = ['patch_empty', 'patch_not_object', 'row_column_unknown', 'row_value', 'set_value'];

interface OperationRow {
  /** The right that the caller needs. */
  readonly right: Operation;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: 'table' | 'query' | 'row';
  readonly success: number;
  /** Additional errors of this operation. */
  readonly errors: readonly ErrorKey[];
  readonly summary: string;
}

export const OPERATION_ROWS: Readonly<Record<ApiOperation, OperationRow>> = {
  read: {
    right: 'read',
    method: 'get',
    path: 'table',
    success: 200,
    errors: [...ERRORS_OF_PAGES, ...ERRORS_OF_FILTERS],
    summary: 'Read a page of rows',
  },
  query: {
    right: 'read',
    method: 'post',
    path: 'query',
    success: 200,
    errors: [...ERRORS_OF_PAGES, ...ERRORS_OF_FILTERS, ...ERRORS_OF_BODIES],
    summary: 'Read a page of rows, with the query as a form',
  },
  insert: {
    right: 'insert',
    method: 'post',
    path: 'table',
    success: 201,
    errors: [
      ...ERRORS_OF_WRITES,
      ...ERRORS_OF_BODIES,
      ...(['filter_not_here', 'rows_not_array', 'row_not_object', 'row_key_unknown', 'row_key_missing', 'row_value'] as const),
      ...(['rows_duplicate', 'rows_refused', 'upsert_key', 'row_not_there'] as const),
    ],
    summary: 'Insert rows, all or none',
  },
  update: {
    right: 'update',
    method: 'put',
    path: 'table',
    success: 200,
    errors: [...ERRORS_OF_WRITES, ...ERRORS_OF_FILTERS, ...ERRORS_OF_MATCHES, ...ERRORS_OF_SETS],
    summary: 'Set one column of the rows that match',
  },
  patch: {
    right: 'update',
    method: 'patch',
    path: 'table',
    success: 200,
    errors: [
      ...ERRORS_OF_WRITES,
      ...ERRORS_OF_BODIES,
      ...ERRORS_OF_FILTERS,
      ...ERRORS_OF_MATCHES,
      ...ERRORS_OF_CHANGES,
      ...(['patch_row_unknown', 'patch_filter', 'rows_not_array', 'row_not_object', 'patch_key_twice', 'patch_key_missing'] as const),
      ...(['patch_nothing', 'key_missing'] as const),
    ],
    summary: 'Set columns of the rows that match, or of rows by their keys',
  },
  delete: {
    right: 'delete',
    method: 'delete',
    path: 'table',
    success: 200,
    errors: [...ERRORS_OF_WRITES, ...ERRORS_OF_FILTERS, ...ERRORS_OF_MATCHES],
    summary: 'Delete the rows that match',
  },
  'row.read': {
    right: 'read',
    method: 'get',
    path: 'row',
    success: 200,
    errors: [...ERRORS_OF_KEYS, ...ERRORS_OF_PAGES],
    summary: 'Read one row',
  },
  'row.update': {
    right: 'update',
    method: 'put',
    path: 'row',
    success: 200,
    errors: [...ERRORS_OF_WRITES, ...ERRORS_OF_KEYS, ...ERRORS_OF_SETS, 'row_changed'],
    summary: 'Set one column of a row',
  },
  'row.patch': {
    right: 'update',
    method: 'patch',
    path: 'row',
    success: 200,
    errors: [...ERRORS_OF_WRITES, ...ERRORS_OF_BODIES, ...ERRORS_OF_KEYS, ...ERRORS_OF_CHANGES, 'row_changed'],
    summary: 'Set columns of a row',
  },
  'row.delete': {
    right: 'delete',
    method: 'delete',
    path: 'row',
    success: 200,
    errors: [...ERRORS_OF_WRITES, ...ERRORS_OF_KEYS, 'row_changed'],
    summary: 'Delete a row',
  },
};

export const API_OPERATIONS = Object.keys(OPERATION_ROWS) as readonly ApiOperation[];

/** Errors of Custom calls, except the ones that authors define. */
export const CALL_ERRORS: readonly ErrorKey[] = [
  ...ERRORS_OF_BODIES,
  ...(['method_not_allowed', 'role_needed', 'endpoint_unknown', 'endpoint_version_unknown', 'input_too_large', 'input_invalid'] as const),
  ...(['input_missing', 'author_failed', 'response_invalid', 'format_not_here', 'step_refused', 'step_budget', 'step_failed'] as const),
  ...(['step_unreachable', 'step_timeout', 'step_read_only', 'step_denied', 'result_too_deep', 'programs_busy', 'body_not_form'] as const),
  ...(['body_not_object', 'bad_parameter'] as const),
];

/** Keys of the errors that an operation can return, except the general ones. */
export function errorsOf(operation: ApiOperation | 'call'): ReadonlySet<ErrorKey> {
  return new Set([
    ...ERRORS_OF_ACCESS,
    ...(operation === 'call' ? CALL_ERRORS : [...ERRORS_OF_TABLES, ...OPERATION_ROWS[operation].errors]),
  ]);
}

/** Statuses of these errors in ascending order. */
export function statusesOf(operation: ApiOperation | 'call'): readonly number[] {
  return [...new Set([...errorsOf(operation)].map((key) => ERRORS[key].status))].sort((a, b) => a - b);
}
