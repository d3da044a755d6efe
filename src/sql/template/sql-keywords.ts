/**
 * Keywords and functions that show what a statement does to its session. A session needs no reset
 * after a statement that touches only rows and calls only harmless functions. Anything not listed
 * is not trusted.
 */
import { keywords } from './syntax.ts';

/** First words of statements that only read. */
export const READS = keywords('SELECT WITH VALUES TABLE SHOW EXPLAIN DESCRIBE DESC EXISTS');

/** First words of statements that touch rows and nothing else. */
export const ROW_STATEMENTS = keywords('SELECT WITH VALUES TABLE INSERT UPDATE DELETE REPLACE MERGE');

/** Keywords that make WITH or EXPLAIN a write, and SELECT … FOR UPDATE or INTO not read-only. */
export const WRITES = keywords('INSERT UPDATE DELETE MERGE REPLACE INTO');

/** Write keywords that are also names of functions. */
export const ALSO_FUNCTIONS = keywords('INSERT REPLACE');

/** Rejected: the service controls the transaction of a call. */
export const TRANSACTION_STATEMENTS = keywords('BEGIN START COMMIT ROLLBACK ABORT END SAVEPOINT RELEASE XA');

/** First words of statements that cannot be rolled back where DDL commits. */
export const SCHEMA_STATEMENTS = keywords('CREATE ALTER DROP TRUNCATE RENAME GRANT REVOKE ANALYZE OPTIMIZE REPAIR LOCK UNLOCK FLUSH');

/** Keywords and types that may precede a parenthesis without calling a function. */
const GRAMMAR = keywords(`
  AND OR NOT IN ANY ALL SOME EXISTS AS ON USING VALUES SELECT FROM WHERE HAVING BY WHEN THEN ELSE CASE BETWEEN LIKE ILIKE IS UNION EXCEPT
  INTERSECT DISTINCT OVER FILTER WITHIN GROUP PARTITION ORDER LIMIT OFFSET RETURNING SET ROW ARRAY INTERVAL JOIN LATERAL CROSS INNER LEFT
  RIGHT FULL OUTER CONFLICT ROWS RANGE DEFAULT RECURSIVE WITH UPDATE KEY MATERIALIZED
  CHAR VARCHAR CHARACTER NCHAR BIT BINARY VARBINARY DECIMAL NUMERIC DEC FLOAT DOUBLE INT INTEGER BIGINT SMALLINT TINYINT TIME TIMESTAMP
  TIMESTAMPTZ DATETIME TEXT SIGNED UNSIGNED`);

/** Functions of several engines. */
const FUNCTIONS = keywords(`
  COUNT SUM AVG MIN MAX COALESCE NULLIF GREATEST LEAST IF LOWER UPPER LENGTH CHAR_LENGTH CHARACTER_LENGTH OCTET_LENGTH SUBSTRING SUBSTR TRIM
  LTRIM RTRIM CONCAT CONCAT_WS REPLACE REVERSE REPEAT ROUND FLOOR CEIL CEILING ABS MOD POWER POW SQRT EXP LN LOG LOG10 SIGN TRUNC TRUNCATE NOW
  CURRENT_TIMESTAMP CURRENT_DATE DATE TIME EXTRACT ROW_NUMBER RANK DENSE_RANK PERCENT_RANK CUME_DIST NTILE LAG LEAD FIRST_VALUE LAST_VALUE
  NTH_VALUE CAST CONVERT POSITION LPAD RPAD MD5 BIT_AND BIT_OR STDDEV VARIANCE STDDEV_POP STDDEV_SAMP VAR_POP VAR_SAMP FORMAT REGEXP_REPLACE
  REGEXP_LIKE REGEXP_SUBSTR ASCII CHAR`);

const FAMILY = /^JSON_/;

/** `true` if a word before a parenthesis leaves the session unchanged on every engine. */
export function isHarmlessWord(word: string): boolean {
  return GRAMMAR.has(word) || FUNCTIONS.has(word) || FAMILY.test(word);
}
