/**
 * Words that all engines share and that tell what a statement does and leaves behind in its session. After a statement that only reads and writes
 * rows, and calls only harmless functions, a session needs no reset. What is not listed, here or in the engine's syntax, is not trusted.
 */
import { keywords } from './syntax.ts';

/** First words of statements that only read. */
export const READS = keywords('SELECT WITH VALUES TABLE SHOW EXPLAIN DESCRIBE DESC EXISTS');

/** First words of statements that touch rows and nothing else. */
export const ROW_STATEMENTS = keywords('SELECT WITH VALUES TABLE INSERT UPDATE DELETE REPLACE MERGE');

/** Words that make a WITH (or an EXPLAIN) a write, and a SELECT … FOR UPDATE or INTO none that only reads. */
export const WRITES = keywords('INSERT UPDATE DELETE MERGE REPLACE INTO');

/** Of these, names of functions too. */
export const ALSO_FUNCTIONS = keywords('INSERT REPLACE');

/** The transaction of a call is the service's own. */
export const TRANSACTION_STATEMENTS = keywords('BEGIN START COMMIT ROLLBACK ABORT END SAVEPOINT RELEASE XA');

/** First words of statements that cannot be taken back where DDL ends a transaction. */
export const SCHEMA_STATEMENTS = keywords('CREATE ALTER DROP TRUNCATE RENAME GRANT REVOKE ANALYZE OPTIMIZE REPAIR LOCK UNLOCK FLUSH');

/** Words of the grammar and of types that may stand before a parenthesis without calling anything. */
const GRAMMAR = keywords(`
  AND OR NOT IN ANY ALL SOME EXISTS AS ON USING VALUES SELECT FROM WHERE HAVING BY WHEN THEN ELSE CASE BETWEEN LIKE ILIKE IS UNION EXCEPT
  INTERSECT DISTINCT OVER FILTER WITHIN GROUP PARTITION ORDER LIMIT OFFSET RETURNING SET ROW ARRAY INTERVAL JOIN LATERAL CROSS INNER LEFT
  RIGHT FULL OUTER CONFLICT ROWS RANGE DEFAULT RECURSIVE WITH UPDATE KEY MATERIALIZED
  CHAR VARCHAR CHARACTER NCHAR BIT BINARY VARBINARY DECIMAL NUMERIC DEC FLOAT DOUBLE INT INTEGER BIGINT SMALLINT TINYINT TIME TIMESTAMP
  TIMESTAMPTZ DATETIME TEXT SIGNED UNSIGNED`);

/** Functions that several engines have. */
const FUNCTIONS = keywords(`
  COUNT SUM AVG MIN MAX COALESCE NULLIF GREATEST LEAST IF LOWER UPPER LENGTH CHAR_LENGTH CHARACTER_LENGTH OCTET_LENGTH SUBSTRING SUBSTR TRIM
  LTRIM RTRIM CONCAT CONCAT_WS REPLACE REVERSE REPEAT ROUND FLOOR CEIL CEILING ABS MOD POWER POW SQRT EXP LN LOG LOG10 SIGN TRUNC TRUNCATE NOW
  CURRENT_TIMESTAMP CURRENT_DATE DATE TIME EXTRACT ROW_NUMBER RANK DENSE_RANK PERCENT_RANK CUME_DIST NTILE LAG LEAD FIRST_VALUE LAST_VALUE
  NTH_VALUE CAST CONVERT POSITION LPAD RPAD MD5 BIT_AND BIT_OR STDDEV VARIANCE STDDEV_POP STDDEV_SAMP VAR_POP VAR_SAMP FORMAT REGEXP_REPLACE
  REGEXP_LIKE REGEXP_SUBSTR ASCII CHAR`);

const FAMILY = /^JSON_/;

/** May a word stand before a parenthesis, on any engine, in a statement after which the session is as it was? */
export function isHarmlessWord(word: string): boolean {
  return GRAMMAR.has(word) || FUNCTIONS.has(word) || FAMILY.test(word);
}
