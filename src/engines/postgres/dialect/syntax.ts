/** PostgreSQL's lexical syntax, as far as parsing and binding the SQL of a step needs it. */
import { isDashes, isSymbol, keywords, type SqlSyntax } from '../../../sql/template/syntax.ts';

const HARMLESS = keywords(`
  BTRIM DATE_TRUNC DATE_PART DATE_BIN AGE TO_CHAR TO_DATE TO_NUMBER TO_TIMESTAMP MAKE_DATE MAKE_INTERVAL MAKE_TIMESTAMP STRING_AGG ARRAY_AGG
  JSON JSONB TO_JSON TO_JSONB ROW_TO_JSON ARRAY_TO_JSON GENERATE_SERIES UNNEST CARDINALITY STRPOS SPLIT_PART STARTS_WITH INITCAP SHA256 ENCODE
  DECODE BOOL_AND BOOL_OR EVERY PERCENTILE_CONT PERCENTILE_DISC MODE CORR RANDOM GEN_RANDOM_UUID PG_SLEEP REGEXP_MATCHES REGEXP_MATCH TRANSLATE
  CHR TO_TSVECTOR TO_TSQUERY PLAINTO_TSQUERY WEBSEARCH_TO_TSQUERY TS_RANK TS_HEADLINE SIMILARITY WORD_SIMILARITY`);

const HARMLESS_FAMILIES = /^(?:JSONB_|ARRAY_)/;

export const postgresSyntax: SqlSyntax = {
  strings: "'",
  names: '"',
  backslashes: false,
  nameBackslashes: false,
  nestedComments: true,
  dollarQuotes: true,
  isLineComment: isDashes,
  prefixes: /^(?:[ebxn]|u&)$/i,
  foreignPlaceholder(significant, at) {
    const token = significant[at];
    const next = significant[at + 1];
    const isNumbered = isSymbol(token, '$') && next?.kind === 'number' && next.at === (token?.at ?? 0) + 1;
    return isNumbered ? `$${next.text}` : undefined;
  },
  literalCasts: { DATE: 'date', TIME: 'time', TIMESTAMP: 'timestamp', TIMESTAMPTZ: 'timestamptz', TIMETZ: 'timetz', INTERVAL: 'interval' },
  outsideTransactions:
    /^(?:VACUUM|(?:CREATE|ALTER|DROP) (?:DATABASE|TABLESPACE|SYSTEM|SUBSCRIPTION)|REINDEX (?:DATABASE|SYSTEM)|(?:CREATE|DROP|REINDEX)\b.* CONCURRENTLY)\b/,
  isHarmless: (name) => HARMLESS.has(name) || HARMLESS_FAMILIES.test(name),
};
