/** SQL around a trial, in its own transaction: what a test sets up before, and what it looks at afterwards. */
import { apiError } from '../errors.ts';
import { parseTemplate, SqlProblem } from '../sql/bind.ts';
import type { PlainValue } from '../util/decimal.ts';
import { MemoryBudget } from '../util/memory-lease.ts';
import type { Compiled } from './compile.ts';
import { explainStep } from './failures.ts';
import { RowCollector } from './row-collector.ts';
import type { CallSession } from './session.ts';

const MOST_BYTES = 16 * 1024 * 1024;

export interface SideStatements {
  /** The rows of each. */
  run(statements: readonly string[]): Promise<readonly PlainValue[]>;
}

export function sideStatements({ document, timeoutMs }: Compiled, session: CallSession): SideStatements {
  const { engine } = document.database;
  return {
    async run(statements) {
      const results: PlainValue[] = [];
      for (const text of statements) {
        try {
          const template = parseTemplate(text, engine.syntax);
          const bound = engine.templateBinder(template).bind(() => null);
          const lease = new MemoryBudget(MOST_BYTES).lease('');
          const collector = new RowCollector(MOST_BYTES / 1024 / 1024, lease);
          const { rows, selected } = await session.run(bound, { label: 'of the test', sql: template.facts }, collector);
          results.push(selected ? collector.rows : new Map([['rows_affected', rows]]));
        } catch (error) {
          if (error instanceof SqlProblem) throw apiError('bad_field', `the SQL of the test is not valid: ${error.message}`);
          throw explainStep(error, 'of the test', timeoutMs);
        }
      }
      return results;
    },
  };
}
