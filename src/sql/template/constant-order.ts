/** Rejects `ORDER BY ?:name`, which sorts by a value that is the same for every row. */
import type { Slices } from '../../util/concurrency/slices.ts';
import { SLICE_TOKENS, SqlProblem } from './scan.ts';
import { isSymbol, isWord, keywords } from './syntax.ts';
import type { Path, SqlToken } from './token.ts';

const ENDS = keywords('LIMIT OFFSET FETCH FOR ROWS RANGE GROUPS UNION EXCEPT INTERSECT SETTINGS FORMAT INTO WITH LOCK');
const DIRECTIONS = keywords('ASC DESC NULLS COLLATE');

const isAmong = (token: SqlToken, words: ReadonlySet<string>): boolean => token.kind === 'word' && words.has(token.text.toUpperCase());

export function* rejectConstantOrder(tokens: readonly SqlToken[]): Slices<void> {
  /** For each open parenthesis, whether an ORDER BY is being read. */
  const ordered = [false];
  for (const [i, token] of tokens.entries()) {
    if (i % SLICE_TOKENS === SLICE_TOKENS - 1) yield;
    const before = tokens[i - 1];
    if (isSymbol(token, '(')) ordered.push(false);
    else if (isSymbol(token, ')') && ordered.length > 1) ordered.pop();
    else if (isWord(token, 'BY') && isWord(before, 'ORDER')) ordered[ordered.length - 1] = true;
    else if (ordered.at(-1) === true && isAmong(token, ENDS)) ordered[ordered.length - 1] = false;
    const path = ordered.at(-1) === true ? pathOf(token) : undefined;
    if (path === undefined || !(isWord(before, 'BY') || isSymbol(before, ',')) || !isEnd(tokens[i + 1])) continue;
    const hint = `to choose a column, write CASE ?:${path.text} WHEN 'name' THEN name END`;
    throw new SqlProblem(token.at, `ORDER BY ?:${path.text} sorts by a value that is the same for every row; ${hint}`);
  }
}

/** Path of a token that is nothing but a slot. */
function pathOf({ kind, path, pieces }: SqlToken): Path | undefined {
  if (kind === 'slot') return path;
  const [only] = pieces ?? [];
  return pieces?.length === 1 && typeof only !== 'string' ? only : undefined;
}

function isEnd(token: SqlToken | undefined): boolean {
  return token === undefined || isSymbol(token, ',') || isSymbol(token, ')') || isAmong(token, DIRECTIONS) || isAmong(token, ENDS);
}
