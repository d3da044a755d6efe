/** ClickHouse's lexical syntax, as far as parsing and binding the SQL of a step needs it. */
import { isDashes, isSymbol, type SqlSyntax } from '../../../sql/template/syntax.ts';

/** Names of our own parameters. */
const OWN_PARAMETER = /^p\d+$/;

export const clickhouseSyntax: SqlSyntax = {
  strings: "'",
  names: '"`',
  backslashes: true,
  nameBackslashes: true,
  nestedComments: true,
  dollarQuotes: true,
  isLineComment: (text, at) => isDashes(text, at) || (text[at] === '#' && (text[at + 1] === ' ' || text[at + 1] === '!')),
  prefixes: /^[bx]$/i,
  foreignPlaceholder(significant, at) {
    const name = significant[at + 1]?.text ?? '';
    const isParameter = isSymbol(significant[at], '{') && OWN_PARAMETER.test(name) && isSymbol(significant[at + 2], ':');
    return isParameter ? `{${name}:…}` : undefined;
  },
  literalCasts: { DATE: 'Date', TIMESTAMP: 'DateTime' },
  outsideTransactions: /^(?:CREATE|ALTER|DROP) DATABASE\b/,
  // No function has side effects here, and there is no session to change.
  isHarmless: () => true,
};
