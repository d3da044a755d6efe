/**
 * Finds the tables that a statement names, after FROM, JOIN, INTO, UPDATE, USING and commas. Must
 * not use the catalog.
 */
import type { Slices } from '../../util/concurrency/slices.ts';
import { SLICE_TOKENS } from './scan.ts';
import { isSymbol } from './syntax.ts';
import type { SqlToken } from './token.ts';

/** Keywords before a table, and whether a comma may continue the list. */
const BEFORE_TABLES: ReadonlyMap<string, 'list' | 'one'> = new Map([
  ['FROM', 'list'],
  ['JOIN', 'list'],
  ['UPDATE', 'list'],
  ['USING', 'list'],
  ['INTO', 'one'],
]);
/** Keywords that are allowed between. */
const BETWEEN: ReadonlySet<string> = new Set(['ONLY', 'TABLE', 'IGNORE', 'LOW_PRIORITY']);
/**
 * Preceding words after which a keyword does not introduce a table: `FOR UPDATE`, `IS DISTINCT
 * FROM`, `ARRAY JOIN`.
 */
const NOT_TABLES_AFTER: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['UPDATE', new Set(['FOR', 'DO', 'KEY', 'NO'])],
  ['FROM', new Set(['DISTINCT'])],
  ['JOIN', new Set(['ARRAY'])],
]);
/** Statements whose USING names tables; elsewhere it names columns. */
const WITH_USING: ReadonlySet<string> = new Set(['DELETE', 'MERGE']);
const VERBS: ReadonlySet<string> = new Set(['SELECT', 'INSERT', 'UPDATE', ...WITH_USING]);
/** Functions whose arguments contain FROM. */
const WITH_FROM: ReadonlySet<string> = new Set(['EXTRACT', 'SUBSTRING', 'TRIM', 'OVERLAY']);
/** Words that may replace a table name. */
const CLAUSES: ReadonlySet<string> = new Set(['SELECT', 'VALUES', 'LATERAL', 'UNNEST', 'SET', 'WHERE', 'OUTFILE', 'DUMPFILE']);
/** Keywords that end a list of tables. ON does not: another table may follow its condition. */
const AFTER_TABLES: ReadonlySet<string> = new Set(
  'SELECT SET VALUES WHERE PREWHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH FOR RETURNING UNION EXCEPT INTERSECT SETTINGS FORMAT'.split(
    ' ',
  ),
);

/** State between two parentheses. */
interface Level {
  /** `true` inside the arguments of a function that contain FROM. */
  readonly isArguments: boolean;
  verb: string;
  /** `true` if a comma is followed by another table. */
  listing: boolean;
}

/** Finds table names in tokens without blanks and comments. */
export function* tablesIn(tokens: readonly SqlToken[]): Slices<readonly string[]> {
  const word = (at: number): string => (tokens[at]?.kind === 'word' ? (tokens[at]?.text.toUpperCase() ?? '') : '');
  const own = queryNames(tokens, word);
  const found = new Set<string>();
  const levels: Level[] = [{ isArguments: false, verb: '', listing: false }];
  /** Index of the token where a table may come. */
  let expected = -1;
  yield;
  for (let i = 0; i < tokens.length; i++) {
    if (i % SLICE_TOKENS === SLICE_TOKENS - 1) yield;
    const token = tokens[i] as SqlToken;
    const level = levels.at(-1) as Level;
    if (i === expected) {
      if (BETWEEN.has(word(i))) {
        expected = i + 1;
        continue;
      }
      const { name, next } = nameAt(tokens, i);
      const isCall = isSymbol(tokens[next], '(') && word(i - 1) !== 'INTO';
      if (name !== '' && !CLAUSES.has(word(i)) && !isCall && !own.has(name)) found.add(name);
      // A table may have the name of a keyword.
      if (name !== '' && !CLAUSES.has(word(i))) {
        i = next - 1;
        continue;
      }
    }
    if (isSymbol(token, '(')) {
      const holdsTables = i === expected && word(i + 1) !== 'SELECT' && word(i + 1) !== 'WITH';
      levels.push({ isArguments: WITH_FROM.has(word(i - 1)), verb: level.verb, listing: holdsTables });
      if (holdsTables) expected = i + 1;
    } else if (isSymbol(token, ')')) {
      if (levels.length > 1) levels.pop();
    } else if (isSymbol(token, ',')) {
      if (level.listing) expected = i + 1;
    } else if (token.kind === 'word') {
      const kind = BEFORE_TABLES.get(word(i));
      const names =
        kind !== undefined && !(word(i) === 'USING' && isSymbol(tokens[i + 1], '(')) && namesTables(word(i), word(i - 1), level);
      if (VERBS.has(word(i)) && NOT_TABLES_AFTER.get(word(i))?.has(word(i - 1)) !== true) level.verb = word(i);
      if (names) expected = i + 1;
      if (kind !== undefined || AFTER_TABLES.has(word(i))) level.listing = names ? kind === 'list' : level.listing && word(i) === 'USING';
    }
  }
  return [...found].sort();
}

function namesTables(word: string, before: string, { isArguments, verb }: Level): boolean {
  return !isArguments && NOT_TABLES_AFTER.get(word)?.has(before) !== true && (word !== 'USING' || WITH_USING.has(verb));
}

/** Reads `a`, `"a"` or `s.a`, without quotes. */
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

/** Names of `WITH x AS ( … )`, which are not tables. */
function queryNames(tokens: readonly SqlToken[], word: (at: number) => string): ReadonlySet<string> {
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
