/** Errors of projects and their databases. */
import { type ErrorEntry, entry, show } from './entry.ts';

export const PROJECT_ERRORS = {
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
  password_required: entry(
    422,
    (type: string, name: string) =>
      `The stored password of ${type}/${show(name)} is used with its registered hosts and user only; send the password.`,
  ),
  host_denied: entry(
    400,
    (host: string) => `The database host ${show(host)} is not allowed; MILLRACE_DENY_HOSTS or a socket path forbids it.`,
  ),
  abbreviation_reserved: entry(422, (name: string) => `The abbreviation ${show(name)} is reserved by the service; choose another one.`),

  abbreviation_taken: entry(409, (name: string) => `The abbreviation ${show(name)} is in use; nothing was changed.`),
  org_not_empty: entry(409, () => 'The organization has projects; delete them first.'),

  // Databases.
  database_read_only: entry(
    403,
    (type: string, name: string) => `The database ${type}/${show(name)} is registered as read_only; nothing was written.`,
  ),
  database_refused: entry(422, (detail: string) => `Code in the database refused the request. ${detail}`),
  database_test_failed: entry(424, (outage: string, detail: string) => `The database cannot be used: ${outage}. ${detail}.`),
  database_unreachable: entry(424, () => 'The database cannot be reached, refused the login, or went away during the query.'),
  database_malformed: entry(424, (what: string) => `The database's response cannot be used: ${what}.`),
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
} as const satisfies Record<string, ErrorEntry<never>>;
