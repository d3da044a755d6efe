/** SQL around a trial, in its own transaction: what a test sets up before, and what it looks at afterwards. */
import { apiError } from '../../errors.ts';
import type { SqlSyntax } from '../../sql/template/syntax.ts';
import { parseTemplate, SqlProblem, type Template } from '../../sql/template/template.ts';
import { MemoryBudget } from '../../util/bytes/memory-lease.ts';
import type { PlainValue } from '../../util/text/decimal.ts';
import { explainStep } from '../failures.ts';
import type { Compiled } from '../program/compile.ts';
import { RowCollector } from '../steps/row-collector.ts';
import type { CallSession } from '../steps/session.ts';

const MOST_BYTES = 16 * 1024 * 1024;

export interface SideStatements {
  /** The rows of each. `when`: for messages. */
  run(statements: readonly string[], when: 'before' | 'after'): Promise<readonly PlainValue[]>;
}

/** Throws what is wrong with it. */
export function readSide(text: string, syntax: SqlSyntax): Template {
  try {
    return parseTemplate(text, syntax);
  } catch (error) {
    if (!(error instanceof SqlProblem)) throw error;
    throw apiError('bad_field', `the SQL of the test is not valid: ${error.message}`);
  }
}

export function sideStatements({ document, timeoutMs }: Compiled, session: CallSession): SideStatements {
  const { engine } = document.database;
  return {
    async run(statements, when) {
      const results: PlainValue[] = [];
      for (const [index, text] of statements.entries()) {
        const label = `${when}[${index}] of the test`;
        const template = readSide(text, engine.syntax);
        try {
          const bound = engine.templateBinder(template).bind(() => null);
          const lease = new MemoryBudget(MOST_BYTES).lease('');
          const collector = new RowCollector(MOST_BYTES / 1024 / 1024, lease);
          const { rows, selected } = await session.run(bound, { label, sql: template.facts }, collector);
          results.push(selected ? collector.rows : new Map([['rows_affected', rows]]));
        } catch (error) {
          throw explainStep(error, label, timeoutMs);
        }
      }
      return results;
    },
  };
}
