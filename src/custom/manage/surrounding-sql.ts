/**
 * Runs the SQL before and after a trial in the trial's own transaction: fixtures and assertions of
 * a test.
 */
import { apiError } from '../../errors.ts';
import { parseTemplate } from '../../sql/template/parse-template.ts';
import { SqlProblem } from '../../sql/template/scan.ts';
import type { SqlSyntax } from '../../sql/template/syntax.ts';
import type { Template } from '../../sql/template/template.ts';
import { MemoryBudget } from '../../util/bytes/memory-lease.ts';
import type { PlainValue } from '../../util/text/decimal.ts';
import { explainStep } from '../failures.ts';
import type { Compiled } from '../program/compile.ts';
import { RowCollector } from '../steps/row-collector.ts';
import type { CallSession } from '../steps/session.ts';

const MAX_BYTES = 16 * 1024 * 1024;

export function parseStatement(text: string, syntax: SqlSyntax): Template {
  try {
    return parseTemplate(text, syntax);
  } catch (error) {
    if (!(error instanceof SqlProblem)) throw error;
    throw apiError('bad_field', `the SQL of the test is not valid: ${error.message}`);
  }
}

/** Returns the rows of each statement. `when` appears in error messages. */
export async function runStatements(
  { document, timeoutMs }: Compiled,
  session: CallSession,
  statements: readonly string[],
  when: 'before' | 'after',
): Promise<readonly PlainValue[]> {
  const { engine } = document.database;
  const results: PlainValue[] = [];
  for (const [index, text] of statements.entries()) {
    const label = `${when}[${index}] of the test`;
    const template = parseStatement(text, engine.syntax);
    try {
      const bound = engine.templateBinder(template).bind(() => null);
      const lease = new MemoryBudget(MAX_BYTES).lease('');
      const collector = new RowCollector(MAX_BYTES / 1024 / 1024, lease);
      const { rows, selected } = await session.run(bound, { label, sql: template.facts }, collector);
      results.push(selected ? collector.rows : new Map([['rows_affected', rows]]));
    } catch (error) {
      throw explainStep(error, label, timeoutMs);
    }
  }
  return results;
}
