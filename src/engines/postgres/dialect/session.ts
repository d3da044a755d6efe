/** Settings and transaction statements of a session. */
export const SESSION =
  "SET TimeZone='UTC'; SET DateStyle='ISO, YMD'; SET IntervalStyle='iso_8601'; SET extra_float_digits=1; SET bytea_output='hex'; " +
  "SET standard_conforming_strings=on; SET client_encoding='UTF8'; SET client_min_messages=error; SET idle_in_transaction_session_timeout='60s'";

export const READ_ONLY = `${SESSION}; SET default_transaction_read_only=on`;

export const RESET =
  'ROLLBACK; CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); ' +
  'DISCARD TEMP; DISCARD SEQUENCES; ';

export const BEGIN = 'BEGIN';
export const BEGIN_SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
export const MARK = 'SAVEPOINT millrace_point';
export const TO_MARK = 'ROLLBACK TO SAVEPOINT millrace_point';
