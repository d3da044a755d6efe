/**
 * Lexical syntax of MySQL and MariaDB, as far as parsing and binding the SQL of a step needs it.
 */
import { isDashes, isSymbol, keywords, type SqlSyntax } from '../../../sql/template/syntax.ts';

const HARMLESS = keywords(`
  IFNULL ISNULL CURDATE CURTIME UTC_TIMESTAMP DATE_ADD DATE_SUB DATEDIFF TIMESTAMPDIFF TIMESTAMPADD DATE_FORMAT STR_TO_DATE YEAR QUARTER MONTH
  WEEK DAY DAYOFWEEK HOUR MINUTE SECOND LAST_DAY FROM_UNIXTIME UNIX_TIMESTAMP GROUP_CONCAT LOCATE INSTR SHA1 SHA2 HEX UNHEX TO_BASE64
  FROM_BASE64 RAND UUID SLEEP FIELD FIND_IN_SET ELT MATCH AGAINST TO_CHAR TO_DATE TO_NUMBER CHR`);

export const mysqlSyntax: SqlSyntax = {
  strings: '\'"',
  names: '`',
  backslashes: true,
  nameBackslashes: false,
  nestedComments: false,
  dollarQuotes: false,
  // Two dashes need a following blank: `5--3` is a sum.
  isLineComment: (text, at) => text[at] === '#' || (isDashes(text, at) && (at + 2 >= text.length || text.charCodeAt(at + 2) <= 0x20)),
  prefixes: /^(?:[bxn]|_[a-z0-9]+)$/i,
  executableComment: /^\/\*(?:M?!)/,
  foreignPlaceholder: (significant, at) => (isSymbol(significant[at], '?') ? 'a bare ?' : undefined),
  literalCasts: { DATE: 'DATE', TIME: 'TIME(6)', TIMESTAMP: 'DATETIME(6)' },
  outsideTransactions: /^(?:CREATE|ALTER|DROP) (?:DATABASE|TABLESPACE)\b/,
  isHarmless: (name) => HARMLESS.has(name),
};
