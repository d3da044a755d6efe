/**
 * Checks a statement without running it: EXPLAIN reports unknown tables, columns and functions of a
 * SELECT, and syntax errors of any other statement. Names in an INSERT, UPDATE or DELETE are
 * checked too.
 */
import type { BoundStatement } from '../../sql/dialect.ts';
import { scanSql } from '../../sql/template/scan.ts';
import { isSymbol, isWord } from '../../sql/template/syntax.ts';
import type { SqlToken } from '../../sql/template/token.ts';
import { type Connection, DbFailure, type RunOptions } from '../contract/engine.ts';
import { TextRows } from '../contract/rows.ts';
import { clickhouseSyntax } from './dialect/syntax.ts';

const SELECTS = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(?:SELECT|WITH|\()/i;
/**
 * Failures that the text and the catalog prove. Others depend on values, which are known only when
 * the step runs.
 */
const PROVEN: ReadonlySet<string> = new Set(['syntax', 'missing_table', 'missing_column', 'denied']);

export async function checkStatement(connection: Connection, { statement, params }: BoundStatement, options: RunOptions): Promise<void> {
  const { text } = statement;
  const explain = SELECTS.test(text) ? 'EXPLAIN ' : 'EXPLAIN AST ';
  await ignoreUnproven(connection.run({ ...statement, text: explain + text }, params, options), -explain.length);
  const tokens = scanSql(text, clickhouseSyntax).filter(({ kind }) => kind !== 'space' && kind !== 'comment');
  const mutation = mutationIn(tokens, text);
  if (mutation !== undefined) await ignoreUnproven(connection.run({ ...statement, text: `EXPLAIN ${mutation}` }, params, options));
  const insert = insertionIn(tokens, text);
  if (insert === undefined) return;
  await ignoreUnproven(checkColumns(connection, insert, options));
  if (insert.select === undefined) return;
  const select = `EXPLAIN ${text.slice(insert.select)}`;
  await ignoreUnproven(connection.run({ ...statement, text: select }, params, options), insert.select - 'EXPLAIN '.length);
}

interface Insertion {
  /** As it is written, with its database. */
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly at: number }[];
  /** Offset of the SELECT that provides the rows. */
  readonly select: number | undefined;
}

/** Words before and after the table of an UPDATE or DELETE. */
const MUTATIONS = [
  [['ALTER', 'TABLE'], 'UPDATE'],
  [['ALTER', 'TABLE'], 'DELETE'],
  [['UPDATE'], 'SET'],
  [['DELETE', 'FROM'], undefined],
] as const;

/** The assignments and the condition of a mutation, as a SELECT with the same names. */
function mutationIn(tokens: readonly SqlToken[], text: string): string | undefined {
  for (const [before, after] of MUTATIONS) {
    if (!before.every((word, i) => isWord(tokens[i], word)) || !isName(tokens[before.length])) continue;
    let at = before.length;
    if (isSymbol(tokens[at + 1], '.')) at += 2;
    const table = text.slice(tokens[before.length]?.at, endOf(tokens[at] as SqlToken));
    if (after !== undefined && !isWord(tokens[++at], after)) continue;
    const where = tokens.findIndex((token, i) => i > at && isWord(token, 'WHERE'));
    const between = tokens.slice(at + 1, Math.max(where, 0));
    // Other clauses and nested queries are not checked.
    if (where < 0 || between.some((token) => isWord(token, 'IN', 'ON', 'SELECT'))) continue;
    const assignments = text.slice(endOf(tokens[at] as SqlToken), tokens[where]?.at).trim();
    return `SELECT ${assignments === '' ? '1' : assignments} FROM ${table} ${text.slice(tokens[where]?.at)}`;
  }
  return undefined;
}

function insertionIn(tokens: readonly SqlToken[], text: string): Insertion | undefined {
  const start = tokens.findIndex((token, i) => isWord(token, 'INSERT') && isWord(tokens[i + 1], 'INTO'));
  if (start < 0) return undefined;
  let at = isWord(tokens[start + 2], 'TABLE') && isName(tokens[start + 3]) ? start + 3 : start + 2;
  const from = tokens[at];
  if (!isName(from)) return undefined;
  if (isSymbol(tokens[at + 1], '.')) at += 2;
  const table = text.slice(from.at, endOf(tokens[at] ?? from));
  const list = columnsIn(tokens, at + 1);
  const next = tokens[list.end];
  return { table, columns: list.columns, select: isWord(next, 'SELECT', 'WITH') ? next?.at : undefined };
}

/** Reads a list of plain names. Other lists (`* EXCEPT(a)`) are not checked. */
function columnsIn(tokens: readonly SqlToken[], start: number): Pick<Insertion, 'columns'> & { readonly end: number } {
  const columns: { name: string; at: number }[] = [];
  if (!isSymbol(tokens[start], '(')) return { columns, end: start };
  for (let i = start + 1; ; i += 2) {
    const token = tokens[i];
    if (!isName(token)) return { columns: [], end: start };
    let name = nameOf(token);
    for (; isSymbol(tokens[i + 1], '.') && isName(tokens[i + 2]); i += 2) name += `.${nameOf(tokens[i + 2] as SqlToken)}`;
    columns.push({ name, at: token.at });
    if (isSymbol(tokens[i + 1], ')')) return { columns, end: i + 2 };
    if (!isSymbol(tokens[i + 1], ',')) return { columns: [], end: start };
  }
}

async function checkColumns(connection: Connection, { table, columns }: Insertion, options: RunOptions): Promise<void> {
  const described = new TextRows();
  await connection.run({ text: `DESCRIBE TABLE ${table}`, types: [] }, [], options, described);
  const known = new Set(described.rows.map(([name]) => name));
  // Nested columns may be named as a whole.
  const isKnown = (name: string): boolean => known.has(name) || described.rows.some(([other]) => other?.startsWith(`${name}.`));
  const unknown = columns.find(({ name }) => !isKnown(name));
  if (unknown === undefined) return;
  throw new DbFailure('missing_column', `No such column \`${unknown.name}\` in the table ${table}`, {
    code: NO_SUCH_COLUMN,
    column: unknown.name,
    position: unknown.at + 1,
  });
}

/** The server's code for it. */
const NO_SUCH_COLUMN = '16';

function isName(token: SqlToken | undefined): token is SqlToken {
  return token?.kind === 'word' || token?.kind === 'name';
}

const endOf = ({ at, text }: SqlToken): number => at + text.length;

function nameOf({ kind, text }: SqlToken): string {
  return kind === 'word' ? text : text.slice(1, -1).replace(/\\([\s\S])|(["`])\2/g, '$1$2');
}

const POSITION = /at position (\d+)$/;

/** `offset` of the checked text in the statement, if it is a part of it. */
async function ignoreUnproven(run: Promise<unknown>, offset?: number): Promise<void> {
  try {
    await run;
  } catch (error) {
    const isOther = error instanceof DbFailure && error.code !== '' && !PROVEN.has(error.kind);
    const position = error instanceof DbFailure && offset !== undefined ? POSITION.exec(error.message)?.[1] : undefined;
    if (error instanceof DbFailure && position !== undefined && offset !== undefined)
      throw error.placed(Math.max(1, Number(position) + offset));
    if (!isOther) throw error;
  }
}
