/** YAML whose steps are SQL and Starlark, and Starlark alone. */
import { pythonLanguage } from '@codemirror/lang-python';
import { MariaSQL, MySQL, PostgreSQL, type SQLDialect, StandardSQL } from '@codemirror/lang-sql';
import { yamlLanguage } from '@codemirror/lang-yaml';
import { LanguageSupport, LRLanguage } from '@codemirror/language';
import { type Input, type Parser, parseMixed, type SyntaxNode, type SyntaxNodeRef } from '@lezer/common';

const DIALECTS: Readonly<Record<string, SQLDialect>> = { pg: PostgreSQL, ms: MySQL, ma: MariaSQL, ch: StandardSQL };

const ENGINES: Readonly<Record<string, string>> = { postgres: 'pg', mysql: 'ms', mariadb: 'ma', clickhouse: 'ch' };

/** Short name of the engine that a definition names. */
export function engineOf(text: string): string {
  const [, ref, type] =
    /^\s*(?:database:\s*\{)?\s*(?:ref:\s*["']?(pg|ms|ma|ch)\/|type:\s*(postgres|mysql|mariadb|clickhouse)\b)/m.exec(text) ?? [];
  return ref ?? ENGINES[type ?? ''] ?? 'pg';
}

/** Definitions. Expressions stay plain. */
export function definitionLanguage(engine: string): LanguageSupport {
  const sql = (DIALECTS[engine] ?? StandardSQL).language.parser;
  const wrap = parseMixed((node, input) => {
    const parser = nestedParser(node, input, sql);
    if (parser === undefined) return null;
    const overlay = contentRanges(node, input);
    return overlay.length === 0 ? null : { parser, overlay };
  });
  return new LanguageSupport(LRLanguage.define({ name: 'definition', parser: yamlLanguage.parser.configure({ wrap }), languageData }));
}

export const personaLanguage = (): LanguageSupport => new LanguageSupport(yamlLanguage);
export const larkLanguage = (): LanguageSupport => new LanguageSupport(pythonLanguage);

const languageData = { commentTokens: { line: '#' } };

/** `sql: …`, and `code: …` beside `lark:`. */
function nestedParser(node: SyntaxNodeRef, input: Input, sql: Parser): Parser | undefined {
  if (node.name !== 'BlockLiteralContent' && node.name !== 'Literal') return undefined;
  const value = node.name === 'Literal' ? node.node : node.node.parent;
  const pair = value?.parent;
  if (pair?.name !== 'Pair' || value === null) return undefined;
  const key = keyOf(pair, input);
  if (key === 'sql') return sql;
  if (key !== 'code') return undefined;
  const isLark = pair.parent?.getChildren('Pair').some((sibling) => keyOf(sibling, input) === 'lark') === true;
  return isLark ? pythonLanguage.parser : undefined;
}

function keyOf(pair: SyntaxNode, input: Input): string {
  const key = pair.getChild('Key');
  return key === null ? '' : input.read(key.from, key.to);
}

/** The lines of a block without their indentation, which is not part of the code. */
function contentRanges({ name, from, to }: SyntaxNodeRef, input: Input): { from: number; to: number }[] {
  if (name === 'Literal') return [{ from, to }];
  const lines = input.read(from, to).split('\n');
  const indent = /^ */.exec(lines.find((line) => line.trim() !== '') ?? '')?.[0].length ?? 0;
  const ranges: { from: number; to: number }[] = [];
  let at = from;
  for (const line of lines) {
    const end = Math.min(at + line.length + 1, to);
    const start = Math.min(at + Math.min(indent, line.length), end);
    if (start < end) ranges.push({ from: start, to: end });
    at = end;
  }
  return ranges;
}
