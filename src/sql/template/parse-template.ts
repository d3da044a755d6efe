/**
 * Parses the SQL of a step into a template. `?:name` and `'?:name'` become slots, and a literal
 * with a slot inside becomes a concatenation. The engine's binder decides how values are bound.
 */
import { runToEnd, type Slices } from '../../util/concurrency/slices.ts';
import { rejectConstantOrder } from './constant-order.ts';
import { findOperands } from './operands.ts';
import { PartBuilder } from './part-builder.ts';
import { SLICE_TOKENS, SqlProblem, scanSlices } from './scan.ts';
import { TRANSACTION_STATEMENTS } from './sql-keywords.ts';
import { statementFacts } from './statement-facts.ts';
import { isExecuted, isSymbol, type SqlSyntax } from './syntax.ts';
import { tablesIn } from './tables.ts';
import type { Template, TemplatePart, TemplateSlot } from './template.ts';
import type { SqlToken } from './token.ts';

/** Parses a template at once. Throws SqlProblem if the text is not a single statement. */
export function parseTemplate(text: string, syntax: SqlSyntax): Template {
  return runToEnd(templateSlices(text, syntax));
}

/** Parses a template in slices. `strict` also rejects what is certainly a mistake of the author. */
export function* templateSlices(text: string, syntax: SqlSyntax, strict = false): Slices<Template> {
  const tokens = withoutEnd(yield* scanSlices(text, syntax));
  const significant = tokens.filter(({ kind }) => kind !== 'space' && kind !== 'comment');
  const [first] = significant;
  if (first === undefined) throw new SqlProblem(0, 'there is no statement');
  yield* rejectForeign(tokens, significant, syntax);
  if (strict) yield* rejectConstantOrder(significant);
  const verb = first.kind === 'word' ? first.text.toUpperCase() : '(';
  if (TRANSACTION_STATEMENTS.has(verb))
    throw new SqlProblem(first.at, `${verb} has no place in a step: all sql steps of a call are one transaction`);
  const operands = yield* findOperands(significant);
  const parts = yield* new PartBuilder(tokens, significant, syntax.literalCasts, operands).build();
  const facts = yield* statementFacts(verb, tokens, significant, syntax);
  return { parts, slots: parts.flatMap(slotsOf), facts, tables: yield* tablesIn(significant) };
}

function slotsOf(part: TemplatePart): readonly TemplateSlot[] {
  if (part.kind === 'text') return [];
  return part.kind === 'joined' ? part.pieces.filter((piece) => typeof piece !== 'string') : [part.slot];
}

/** Removes a final semicolon; nothing may follow it. */
function withoutEnd(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const end = tokens.findIndex((token) => isSymbol(token, ';'));
  if (end < 0) return tokens;
  const more = tokens.slice(end + 1).find(({ kind, text }) => kind !== 'space' && kind !== 'comment' && text !== ';');
  if (more !== undefined) throw new SqlProblem(more.at, 'a step is one statement; make another step for what follows the semicolon');
  return tokens.slice(0, end);
}

/** Rejects the engine's own placeholders, which would be confused with slots. */
function* rejectForeign(tokens: readonly SqlToken[], significant: readonly SqlToken[], syntax: SqlSyntax): Slices<void> {
  for (const token of tokens) {
    if (isExecuted(token, syntax) && token.text.includes('?'))
      throw new SqlProblem(token.at, 'a comment that the server executes cannot have parameters');
    if (token.kind === 'string' && token.pieces !== undefined && !/^e?$/i.test(token.prefix ?? ''))
      throw new SqlProblem(token.at, `a literal that begins with ${token.prefix} cannot have parameters`);
  }
  for (const [i, token] of significant.entries()) {
    const foreign = syntax.foreignPlaceholder(significant, i);
    if (foreign !== undefined) throw new SqlProblem(token.at, `${foreign} is not a parameter here; write ?:name`);
    if (i % SLICE_TOKENS === SLICE_TOKENS - 1) yield;
  }
}
