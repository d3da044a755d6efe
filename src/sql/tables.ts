/** The tables that a statement names, by its words alone: what stands behind FROM, JOIN, INTO and UPDATE. Knows no catalogue. */
import { type SqlToken, scanSql } from './bind-scan.ts';
import { isSymbol, type SqlSyntax } from './syntax.ts';

const BEFORE_TABLES: ReadonlySet<string> = new Set(['FROM', 'JOIN', 'INTO', 'UPDATE']);
/** Words that may stand between. */
const BETWEEN: ReadonlySet<string> = new Set(['ONLY', 'TABLE', 'IGNORE', 'LOW_PRIORITY']);
/** Words behind which UPDATE names no table. */
const NO_TABLE: ReadonlySet<string> = new Set(['FOR', 'DO', 'KEY', 'NO']);
/** Functions whose arguments have a FROM of their own. */
const WITH_FROM: ReadonlySet<string> = new Set(['EXTRACT', 'SUBSTRING', 'TRIM', 'OVERLAY']);
const CLAUSES: ReadonlySet<string> = new Set(['SELECT', 'VALUES', 'LATERAL', 'UNNEST', 'SET', 'WHERE', 'OUTFILE', 'DUMPFILE']);

export function tablesOf(text: string, syntax: SqlSyntax): readonly string[] {
  const tokens = scanSql(text, syntax).filter(({ kind }) => kind !== 'space' && kind !== 'comment');
  const word = (at: number): string => (tokens[at]?.kind === 'word' ? (tokens[at]?.text.toUpperCase() ?? '') : '');
  const own = namesOfQueries(tokens, word);
  const found = new Set<string>();
  const open: boolean[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as SqlToken;
    if (isSymbol(token, '(')) open.push(WITH_FROM.has(word(i - 1)));
    if (isSymbol(token, ')')) open.pop();
    if (!BEFORE_TABLES.has(word(i)) || open.at(-1) === true || (word(i) === 'UPDATE' && NO_TABLE.has(word(i - 1)))) continue;
    let at = i + 1;
    for (;;) {
      while (BETWEEN.has(word(at))) at++;
      const { name, next } = nameAt(tokens, at);
      const isCall = isSymbol(tokens[next], '(') && word(i) !== 'INTO';
      if (name === '' || CLAUSES.has(word(at)) || isCall) break;
      if (!own.has(name)) found.add(name);
      at = word(next) === 'AS' ? next + 2 : tokens[next]?.kind === 'word' && isSymbol(tokens[next + 1], ',') ? next + 1 : next;
      if (word(i) !== 'FROM' || !isSymbol(tokens[at], ',')) break;
      at++;
    }
  }
  return [...found].sort();
}

/** `a`, `"a"`, `s.a`: without quotes. */
function nameAt(tokens: readonly SqlToken[], at: number): { readonly name: string; readonly next: number } {
  const parts: string[] = [];
  let next = at;
  for (;;) {
    const token = tokens[next];
    if (token?.kind !== 'word' && token?.kind !== 'name') break;
    parts.push(token.kind === 'name' ? token.text.slice(1, -1) : token.text);
    next++;
    if (!isSymbol(tokens[next], '.')) break;
    next++;
  }
  return { name: parts.join('.'), next };
}

/** `WITH x AS ( … )` names a query and no table. */
function namesOfQueries(tokens: readonly SqlToken[], word: (at: number) => string): ReadonlySet<string> {
  const names = new Set<string>();
  if (!tokens.some((_, at) => word(at) === 'WITH')) return names;
  tokens.forEach((token, at) => {
    const isBehind = word(at - 1) === 'WITH' || word(at - 1) === 'RECURSIVE' || isSymbol(tokens[at - 1], ',');
    if (!isBehind || (token.kind !== 'word' && token.kind !== 'name')) return;
    const isQuery = word(at + 1) === 'AS' || isSymbol(tokens[at + 1], '(');
    if (isQuery) names.add(token.kind === 'name' ? token.text.slice(1, -1) : token.text);
  });
  return names;
}
