/**
 * Every error that a client can see: its status and its sentence, in one table. The only file that knows HTTP error statuses.
 * `docs/reference/errors.md` lists the same entries; a test keeps it in step.
 */
import { STATUS_CODES } from 'node:http';

export const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  208: 'Already Reported',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Payload Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  422: 'Unprocessable Entity',
  424: 'Failed Dependency',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** Of any status: those of authors are not in the table above. */
export function reasonOf(status: number): string {
  return REASONS[status] ?? STATUS_CODES[status] ?? 'Status';
}

/** A client may put its Power Token where a name belongs. The sentence that quotes the name does not repeat it. */
const POWER_TOKEN = /mr_[A-Za-z0-9_-]{20,}/g;

/** Of a write that did not end in 2xx: nothing of it stays, or nobody can tell. */
export type WriteOutcome = 'none' | 'unknown';

const OUTCOMES: Readonly<Record<WriteOutcome, string>> = {
  none: 'Nothing was changed.',
  unknown: 'The outcome of the write is unknown: it may have taken effect; look before you repeat it.',
};

/** A database that went away, and a write that ran out of time. */
const CUT_OFF: ReadonlySet<number> = new Set([424, 504]);

/** What stays of a Custom call that failed, by its steps. */
export function staysOf(steps: readonly string[], certainty: 'stays' | 'may_stay'): string {
  const which = steps.length === 1 ? `step ${steps[0]}` : `the steps ${steps.join(', ')}`;
  if (certainty === 'stays') return `What ${which} wrote stays; look before you repeat the call.`;
  return `The outcome is unknown: what ${which} wrote may stay; look before you repeat the call.`;
}

/** A field of the request, by its path, and what is wrong with it. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

export class ApiError extends Error {
  readonly key: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  #place: string | undefined;
  /** What is wrong field by field, where that is known. */
  #errors: readonly FieldError[] | undefined;
  #verbatim = false;

  constructor(key: string, status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message.replace(POWER_TOKEN, 'mr_***'));
    this.key = key;
    this.status = status;
    this.headers = headers;
  }

  /** Not the caller's doing and not ours: a database did it, and the log must say how. */
  get isForeign(): boolean {
    return this.status === 424 || (this.status === 503 && this.cause !== undefined);
  }

  /** The sentence may quote what the caller sent, so the log has the entry's name, and what was said to be fit for it. */
  loggable(): Readonly<Record<string, string>> {
    return this.#place === undefined ? { error: this.key } : { error: this.key, place: this.#place };
  }

  /** Where in a definition it happened, in words that hold nothing of the caller. */
  at(place: string): this {
    this.#place = place;
    return this;
  }

  withErrors(errors: readonly FieldError[]): this {
    this.#errors = errors.map(({ field, message }) => ({ field: field.replace(POWER_TOKEN, 'mr_***'), message }));
    return this;
  }

  /** The sentence is an author's: nothing is said around it. */
  verbatim(): this {
    this.#verbatim = true;
    return this;
  }

  /** What the log shall tell and the client not. */
  because(cause: unknown): this {
    this.cause = cause;
    return this;
  }

  /** The same error of a write, with what stays of it. That nothing does is said where one could think otherwise. */
  leaves(outcome: WriteOutcome, stays = OUTCOMES[outcome]): ApiError {
    const { key, status, headers } = this;
    const isTold = !this.#verbatim && (outcome === 'unknown' || CUT_OFF.has(status));
    const words = isTold ? `${this.message} ${stays}` : this.message;
    const told = new ApiError(key, status, words, { ...headers, 'x-outcome': outcome }).because(this.cause);
    told.#place = this.#place;
    told.#errors = this.#errors;
    told.#verbatim = this.#verbatim;
    return told;
  }

  body(): { code: number; status: string; message: string; errors?: readonly FieldError[] } {
    const body = { code: this.status, status: reasonOf(this.status), message: this.message };
    return this.#errors === undefined ? body : { ...body, errors: this.#errors };
  }
}

/** Names and values of a request as they appear in a sentence: quoted, and never so long that they drown it. */
function show(value: string): string {
  const flat = value.replace(/[\u0000-\u001f\u007f]/g, '\ufffd');
  return `"${flat.length > 80 ? `${flat.slice(0, 80)}…` : flat}"`;
}

type Sentence<A extends readonly string[]> = (...args: A) => string;

interface Entry<A extends readonly string[] = readonly string[]> {
  readonly status: number;
  readonly sentence: Sentence<A>;
}

const entry = <A extends readonly string[]>(status: number, sentence: Sentence<A>): Entry<A> => ({ status, sentence });

export const ERRORS = {
  // Paths, methods, the envelope of a request.
  unknown_path: entry(404, () => 'There is no such path; docs/reference lists the paths of this service.'),
  method_not_allowed: entry(405, (method: string, allow: string) => `${method} is not supported here; use one of ${allow}.`),
  bad_url: entry(400, () => 'The URL has percent-encoding that is no valid UTF-8, or a NUL character; encode it as UTF-8.'),
  url_too_long: entry(414, () => 'The URL is too long; send fewer or shorter parameters.'),
  headers_too_large: entry(431, () => 'The request headers are too large; send fewer or shorter headers.'),
  malformed_request: entry(400, () => 'The request is not well-formed HTTP; check the client.'),
  too_many_connections: entry(503, () => 'There are more connections than the service has room for; try again.'),
  too_many_bodies: entry(503, () => 'More bodies arrive at this moment than the service has room for; try again.'),
  request_too_slow: entry(408, () => 'The request did not arrive in time; send it again, faster.'),
  expectation_unknown: entry(417, () => 'The header Expect asks for something that is not known; only 100-continue is.'),
  too_many_parameters: entry(400, (most: string) => `There are more than ${most} query parameters; send fewer.`),
  body_too_large: entry(413, (most: string) => `The body is larger than ${most} bytes; send it in parts.`),
  body_not_json: entry(400, (why: string) => `The body is not valid JSON: ${why}.`),
  body_too_deep: entry(400, (most: string) => `The body is nested deeper than ${most} levels; flatten it.`),
  body_not_yaml: entry(400, (why: string) => `The body is not valid YAML: ${why}.`),
  body_not_form: entry(400, (why: string) => `The body could not be read as the form that its Content-Type names: ${why}.`),
  body_not_object: entry(400, () => 'The body must be a JSON object.'),
  wrong_content_type: entry(415, (wanted: string) => `The Content-Type is not supported here; send ${wanted}.`),
  content_encoding: entry(415, () => 'Encoded bodies are not accepted; send the body without Content-Encoding.'),
  unknown_format: entry(406, (format: string) => `The format ${show(format)} is unknown; use json, xml, yaml, csv or bson.`),
  bad_field: entry(400, (problems: string) => `The body is not as it should be: ${problems}.`),
  refused_field: entry(422, (problems: string) => `The body has a value that is not allowed: ${problems}.`),
  missing_parameter: entry(400, (name: string) => `The query parameter ${show(name)} is missing.`),
  repeated_parameter: entry(400, (name: string) => `The query parameter ${show(name)} is given more than once; give it once.`),
  bad_parameter: entry(400, (name: string, why: string) => `The query parameter ${show(name)} is not valid: ${why}.`),

  // Who calls.
  missing_header: entry(400, (name: string) => `The header ${name} is missing; the gateway must send it.`),
  missing_user: entry(401, () => 'The header X-User-Id is missing; authenticate at the gateway.'),
  header_twice: entry(400, (name: string) => `The header ${name} was sent more than once; the gateway must replace it, not append to it.`),
  header_invalid: entry(400, (name: string, why: string) => `The header ${name} is not valid: ${why}.`),
  header_alias: entry(
    400,
    (sent: string, name: string) => `The header ${show(sent)} could be taken for ${name}; the gateway must remove such spellings.`,
  ),
  header_not_ulid: entry(400, (name: string) => `The header ${name} is not a ULID (26 characters of Crockford's base 32).`),
  header_not_user_id: entry(400, () => 'The header X-User-Id is neither a ULID nor what MILLRACE_USER_IDS permits instead.'),
  bad_roles: entry(400, () => 'The header X-User-Roles has more than 64 roles or one longer than 128 characters.'),
  claims_invalid: entry(
    400,
    (why: string) => `The header X-User-Claims must be one JSON object of at most 4 KiB: ${why}; the gateway must send it so.`,
  ),
  gateway_secret: entry(401, () => 'The request did not come through the gateway; the header X-Gateway-Secret is missing or wrong.'),
  server_key: entry(403, () => 'The server key is missing or wrong; send it in the header X-Server-Key.'),
  server_key_invalid: entry(403, () => 'The server key is not valid.'),
  server_key_empty: entry(400, () => 'The body is empty; send the server key as the raw body.'),
  role_needed: entry(403, (roles: string) => `None of your roles permits this; one of ${roles} is needed.`),
  org_unknown: entry(404, () => 'There is no such organization; check X-Org-Id.'),
  project_unknown: entry(404, () => 'There is no such project in this organization; check X-Project-Id.'),
  space_unknown: entry(404, () => 'The space does not belong to the project; check X-Space-Id.'),
  path_not_yours: entry(403, () => "The organization or project in the path is not the one of the request's context."),
  mcp_unauthorized: entry(401, (why: string) => `${why} Tools take a Power Token or the context headers.`),
  origin_denied: entry(403, () => 'Pages of this origin may not use the tools; MILLRACE_MCP_ORIGINS lists those that may.'),

  // Power Tokens.
  token_incomplete: entry(
    401,
    () => 'A Power Token must be sent in the header X-Power-Token and in the query parameter pwt; one of them is missing.',
  ),
  token_mismatch: entry(401, () => 'The header X-Power-Token and the query parameter pwt differ; send the same token in both.'),
  token_unknown: entry(404, () => 'The Power Token is invalid, deleted or expired; create a new one.'),
  token_method: entry(403, (keyType: string, method: string) => `The key_type ${keyType} of the Power Token does not permit ${method}.`),
  token_not_admin: entry(403, () => 'A Power Token needs the role admin to use System APIs.'),
  token_scope: entry(403, () => 'A Power Token reaches its own organization and project only.'),
  token_name_taken: entry(
    409,
    (name: string) => `The project already has a token named ${show(name)}; choose another name or delete that one.`,
  ),
  token_id_unknown: entry(404, (id: string) => `There is no token ${show(id)} in this project.`),

  // Projects and databases.
  db_type_invalid: entry(400, (type: string, types: string) => `The db_type ${show(type)} is not valid; use ${types}.`),
  db_type_announced: entry(400, (type: string, types: string) => `The db_type ${show(type)} is announced but unavailable; use ${types}.`),
  path_db_type_unknown: entry(404, (type: string, types: string) => `The database type ${show(type)} is unknown; use ${types}.`),
  path_db_type_announced: entry(
    404,
    (type: string, types: string) => `The database type ${show(type)} is announced but unavailable; use ${types}.`,
  ),
  meta_type_unknown: entry(406, (type: string, types: string) => `The type ${show(type)} is not supported; use ${types}.`),
  meta_type_announced: entry(406, (type: string, types: string) => `The type ${show(type)} is announced but unavailable; use ${types}.`),
  database_twice: entry(
    422,
    (type: string, name: string) => `The project would have the database ${type}/${show(name)} twice; register it once.`,
  ),
  database_unknown: entry(
    404,
    (type: string, name: string) => `The project has no database ${show(name)} of type ${type}; register it first.`,
  ),
  host_denied: entry(
    400,
    (host: string) => `The database host ${show(host)} may not be dialled; MILLRACE_DENY_HOSTS or a socket path forbids it.`,
  ),
  abbreviation_reserved: entry(422, (name: string) => `The abbreviation ${show(name)} is reserved by the service; choose another one.`),

  // Tables, filters and values of the Auto REST API.
  row_unknown: entry(404, () => 'There is no row with this key.'),
  patch_row_unknown: entry(404, (row: string) => `Row ${row}: there is no row with this key; nothing was changed.`),
  table_unknown: entry(404, (table: string) => `There is no table ${show(table)} in this database.`),
  schema_unknown: entry(404, (schema: string) => `There is no schema ${show(schema)} in this database.`),
  paging_missing: entry(406, (name: string) => `The query parameter ${name} is missing; every GET needs pg and ps.`),
  paging_invalid: entry(400, (name: string, why: string) => `The query parameter ${name} is not valid: ${why}.`),
  filter_missing: entry(406, (method: string) => `${method} needs at least one filter, such as id=eq.1; without one nothing is done.`),
  filter_not_here: entry(400, (name: string) => `No filters are taken here; remove ${show(name)}.`),
  patch_filter: entry(400, () => 'A PATCH with an array of rows finds them by their keys and takes no filters.'),
  patch_empty: entry(400, () => 'The body must be a JSON object with at least one column and its new value.'),
  patch_not_object: entry(400, () => 'The body must be a JSON object with columns and their new values.'),
  operator_unknown: entry(
    417,
    (operator: string, column: string) =>
      `The operator ${show(operator)} on ${show(column)} is unknown or unsupported; use eq, ne, lt, gt, le, ge, bw, li, rli, nli, il, in or nin.`,
  ),
  operator_missing: entry(417, (column: string) => `The filter on ${show(column)} has no operator; write ${column.slice(0, 80)}=eq.value.`),
  key_missing: entry(400, () => 'The table has no primary key, so no path leads to one of its rows.'),
  key_count: entry(400, (given: string, names: string) => `The path has ${given} value(s) for a key of ${names}.`),
  column_unknown: entry(400, (column: string) => `The table has no column ${show(column)}.`),
  column_not_text: entry(
    400,
    (column: string, operator: string) => `The operator ${operator} needs a text column; ${show(column)} is none.`,
  ),
  column_not_comparable: entry(
    400,
    (column: string, operator: string) => `The column ${show(column)} cannot be compared with ${operator}.`,
  ),
  value_invalid: entry(400, (column: string, why: string) => `The value for ${show(column)} does not fit: ${why}.`),
  value_quoting: entry(400, (column: string, why: string) => `The value for ${show(column)} is not quoted rightly: ${why}.`),
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
  relation_unknown: entry(400, (from: string, table: string, choices: string) =>
    choices === ''
      ? `The table ${show(from)} has no relation to ${table}, nor to any other table.`
      : `The table ${show(from)} has no relation to ${table}; it has relations to ${choices}.`,
  ),
  relation_ambiguous: entry(
    400,
    (from: string, table: string, choices: string) => `Say which relation of ${show(from)} to ${table} is meant: ${choices}.`,
  ),
  relation_hint: entry(
    400,
    (wanted: string, choices: string) => `There is no one relation that ${show(wanted)} means; use one of ${choices}.`,
  ),
  expand_key: entry(
    400,
    (key: string, taken: string) => `The key ${show(key)} of $expand is that of ${taken}; give it another one, as in alias:table.`,
  ),
  expand_too_many: entry(
    422,
    (most: string) => `What belongs to so many rows cannot be read at once (${most} keys at most); ask for a smaller page.`,
  ),
  set_invalid: entry(400, (why: string) => `Give exactly one set=<column>.<value>: ${why}.`),
  set_value: entry(422, (column: string, why: string) => `The new value for ${show(column)} does not fit: ${why}.`),
  rows_not_array: entry(400, () => 'The body must be a JSON array of row objects with at least one row.'),
  row_not_object: entry(400, (row: string) => `Row ${row} is not a JSON object.`),
  row_column_unknown: entry(400, (row: string, key: string) => `Row ${row}: the table has no column ${show(key)}.`),
  row_key_unknown: entry(422, (row: string, key: string) => `Row ${row}: the table has no column ${show(key)}.`),
  row_key_missing: entry(422, (row: string, key: string) => `Row ${row}: the column ${show(key)} is required.`),
  row_value: entry(422, (row: string, key: string, why: string) => `Row ${row}, column ${show(key)}: ${why}.`),
  rows_not_atomic: entry(
    422,
    (storage: string) => `The table engine ${storage} has no transactions, so several rows could be half-written; send one row at a time.`,
  ),
  key_repeats: entry(422, () => 'Several rows have this key; use filters that tell them apart.'),
  patch_key_twice: entry(422, (row: string) => `Row ${row} has the key of an earlier row; nothing was changed.`),
  patch_key_missing: entry(400, (row: string, key: string) => `Row ${row}: the key column ${show(key)} is missing.`),
  patch_nothing: entry(400, (row: string) => `Row ${row} has nothing but its key.`),
  rows_duplicate: entry(
    409,
    (detail: string) => `A row with the same key or unique value exists, or the batch has it twice; nothing was inserted. ${detail}`,
  ),
  rows_refused: entry(422, (detail: string) => `The database refused a row; nothing was inserted. ${detail}`),
  write_refused: entry(422, (detail: string) => `The database refused the change; nothing was changed. ${detail}`),
  write_half: entry(
    422,
    (detail: string) => `The database refused the change in the middle, in a table that cannot take back what it wrote before. ${detail}`,
  ),
  write_unsupported: entry(422, (detail: string) => `The table or view cannot be written in this way; nothing was changed. ${detail}`),
  too_many_affected: entry(
    422,
    (rows: string, most: string) => `${rows} rows would be affected, more than $max_affected=${most}; nothing was changed.`,
  ),
  row_changed: entry(412, () => 'The row is not as If-Match says: somebody has changed it. Read it again.'),
  not_on_engine: entry(422, (what: string, engine: string) => `${what} is not possible on ${engine}.`),
  filter_refused: entry(400, (detail: string) => `The database cannot compare these values. ${detail}`),

  // Databases.
  database_read_only: entry(
    403,
    (type: string, name: string) => `The database ${type}/${show(name)} is registered with read_only; nothing is written through it.`,
  ),
  database_refused: entry(422, (detail: string) => `Code in the database refused the request. ${detail}`),
  database_test_failed: entry(424, (outage: string, detail: string) => `The database cannot be used: ${outage}. ${detail}.`),
  database_unreachable: entry(424, () => 'The database cannot be reached, refused the login, or went away during the query.'),
  database_malformed: entry(424, (what: string) => `The database's answer cannot be used: ${what}.`),
  database_denied: entry(403, () => "The database user lacks the privilege for this; grant it to the entry's user."),
  database_timeout: entry(504, (secs: string) => `The query ran longer than ${secs} seconds.`),
  database_busy: entry(503, () => 'No connection to the database became free in time; try again.'),
  table_changing: entry(
    503,
    (table: string) =>
      `The table ${show(table)} changed its columns again and again while the request ran; nothing was changed, try again.`,
  ),
  database_conflict: entry(
    503,
    () =>
      'The database ended the statement because of a conflict with another one (deadlock or serialization); nothing was changed, try again.',
  ),
  database_error: entry(500, (id: string) => `The database reported an unexpected error; the log has it under request ${id}.`),

  // Definitions and Custom calls.
  definition_invalid: entry(400, (problems: string) => `The definition is not valid: ${problems}`),
  definition_code: entry(422, (problems: string) => `The definition's code does not compile: ${problems}`),
  definition_foreign: entry(403, (field: string) => `The ${field} in the document is not the one of the request's context.`),
  definition_exists: entry(
    409,
    (uri: string, method: string, version: string) =>
      `${method} ${show(uri)} has a version ${show(version)} already; raise http.version, or update it with PUT.`,
  ),
  definition_unknown: entry(404, () => 'There is no such definition in this space.'),
  definition_referenced: entry(
    409,
    (version: string, by: string) => `Version ${show(version)} is the rollback_version of version ${show(by)} and must stay as it is.`,
  ),
  rollback_unknown: entry(
    400,
    (version: string) => `config.rollback_version names ${show(version)}, which is not deployed for this uri and method.`,
  ),
  copy_conflict: entry(
    409,
    (uri: string, method: string, version: string) => `The target space would have ${method} ${show(uri)} version ${show(version)} twice.`,
  ),
  endpoint_unknown: entry(404, (uri: string) => `There is no endpoint ${show(uri)} in this space.`),
  endpoint_version_unknown: entry(
    404,
    (uri: string, version: string) => `The endpoint ${show(uri)} has no version ${show(version)} in this space.`,
  ),
  input_too_large: entry(
    413,
    (most: string) => `The input takes more than the ${most} MiB of memory that it may; send less, or raise config.limits.memory_mb.`,
  ),
  input_invalid: entry(400, (problems: string) => `The input is not valid: ${problems}.`),
  input_missing: entry(400, (step: string, name: string) => `Step ${step} needs the input ${show(name)}, which was not given.`),
  author_failed: entry(422, (message: string) => message),
  author_refused: entry(400, (message: string) => message),
  response_invalid: entry(500, (what: string, why: string) => `The definition's response.${what} is not usable: ${why}.`),
  format_not_here: entry(406, () => 'This endpoint answers a file; leave out the query parameter format.'),
  step_refused: entry(422, (step: string, detail: string) => `Step ${step} refused the input: ${detail}`),
  step_budget: entry(422, (step: string, detail: string) => `Step ${step} was stopped: ${detail}`),
  step_failed: entry(500, (step: string, detail: string) => `Step ${step} failed: ${detail}`),
  step_unreachable: entry(424, (step: string, detail: string) => `Step ${step} failed: ${detail}`),
  step_timeout: entry(504, (step: string, secs: string) => `Step ${step} ran longer than ${secs} seconds.`),
  step_read_only: entry(403, (step: string) => `Step ${step} failed: it writes, and the database or its entry is read-only.`),
  step_denied: entry(403, (step: string) => `Step ${step} failed: the database user lacks the privilege for it.`),

  result_too_deep: entry(422, () => 'The result is nested deeper than 512 levels and cannot be written; flatten it.'),
  programs_busy: entry(503, () => 'Too many programs are running at this moment; try again.'),
  spool_full: entry(503, () => 'Answers that wait for their readers take too much room at this moment; try again, or ask for less.'),
  memory_busy: entry(503, () => 'Requests that are being worked on hold too much memory at this moment; try again.'),

  // Lark modules.
  module_invalid: entry(400, (problems: string) => `The module is not valid: ${problems}`),
  module_code: entry(422, (problems: string) => `The module's code does not compile: ${problems}`),
  module_cycle: entry(422, (path: string) => `The module would load itself: ${path}.`),
  module_loaded: entry(409, (module: string, by: string) => `The module ${show(module)} is loaded by ${by}; nothing was deleted.`),
  module_unknown: entry(404, (module: string) => `There is no module ${show(module)} in this space.`),

  // Personas.
  persona_invalid: entry(400, (problems: string) => `The persona is not valid: ${problems}.`),
  persona_refused: entry(422, (problems: string) => `The persona cannot be applied: ${problems}.`),
  persona_unknown: entry(404, (persona: string) => `There is no persona ${show(persona)} in this space.`),
  persona_not_yours: entry(403, (persona: string) => `You do not have the persona ${show(persona)} in this space.`),
  persona_none: entry(403, () => 'None of your roles has a persona in this space, so its tables are closed to you.'),
  persona_operation: entry(
    403,
    (persona: string, operation: string) => `The persona ${show(persona)} does not grant the operation ${operation} on this table.`,
  ),
  persona_column: entry(
    403,
    (persona: string, operation: string, column: string) =>
      `The persona ${show(persona)} does not grant the operation ${operation} on the column ${show(column)}.`,
  ),
  persona_claim: entry(
    403,
    (persona: string, name: string, why: string) => `The persona ${show(persona)} needs ${show(name)} of its callers, ${why}.`,
  ),
  persona_broken: entry(
    500,
    (persona: string) =>
      `The persona ${show(persona)} has a rule that cannot be applied to this table as it is now; its author must deploy it anew.`,
  ),
  persona_unconfirmed: entry(
    503,
    () => 'The service has not reached its own records for a while and cannot tell what personas grant; try again.',
  ),
  column_masked: entry(
    400,
    (column: string) => `The values of the column ${show(column)} are masked for you, so nothing can be asked of them.`,
  ),

  // The service itself.
  store_unavailable: entry(503, () => 'The service cannot reach its own records; try again.'),
  token_unconfirmed: entry(
    503,
    () => 'The service has not reached its own records for a while and cannot tell whether the Power Token still holds; try again.',
  ),
  change_unconfirmed: entry(
    503,
    () =>
      'The change is stored, but not every instance of the service has confirmed it; it may take a while to hold everywhere. Do not repeat it.',
  ),
  store_files_gone: entry(
    503,
    () =>
      'The files of the embedded store were deleted or replaced while the service runs, so nothing can be stored; restore them and restart the service.',
  ),
  shutting_down: entry(503, () => 'The service is shutting down; try again at another instance.'),
  record_unreadable: entry(
    500,
    (what: string, id: string) =>
      `The stored password of ${show(what)} cannot be decrypted (record ${id}): its key is missing or the record is damaged; send it anew.`,
  ),
  internal: entry(500, (id: string) => `Something went wrong in the service; the log has it under request ${id}.`),
} as const satisfies Record<string, Entry<never>>;

export type ErrorKey = keyof typeof ERRORS;

type Arguments<K extends ErrorKey> = Parameters<(typeof ERRORS)[K]['sentence']>;

/** A refusal that the author of a definition wrote, status and all. */
export function refusedBy(status: number, message: string): ApiError {
  return new ApiError('author_refused', status, message).verbatim();
}

/** The error of that name, ready to be thrown. */
export function apiError<K extends ErrorKey>(key: K, ...args: Arguments<K>): ApiError {
  const { status, sentence } = ERRORS[key];
  const headers: Record<string, string> = {};
  if (status === 405) headers['allow'] = args[1] ?? '';
  if (status === 503) headers['retry-after'] = '1';
  return new ApiError(key, status, (sentence as (...words: readonly string[]) => string)(...args), headers);
}
