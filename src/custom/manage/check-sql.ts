/**
 * Lets the database prepare the sql steps of a definition without running them. Rejected SQL is a
 * problem with its place in the document; an unreachable database is a warning.
 */
import { type Connection, DbFailure, type RunOptions } from '../../engines/contract/engine.ts';
import type { Connections } from '../../engines/pool/connections.ts';
import type { Entry } from '../../model/entry.ts';
import { parseTemplate } from '../../sql/template/parse-template.ts';
import type { SqlSyntax } from '../../sql/template/syntax.ts';
import { placeAtOffset } from '../document/document-logic.ts';
import type { SqlSteps } from '../program/compile.ts';
import { sourceOffset } from '../program/source-offset.ts';
import { sanitizeMessage } from '../sanitize-message.ts';
import { isRelaxed } from '../steps/session.ts';
import type { CodeProblem, Step } from '../steps/step.ts';
import { placeOf, type SourcePlace } from '../yaml/yaml-tree.ts';

const TIMEOUT_MS = 5_000;

export interface SqlFindings {
  readonly problems: CodeProblem[];
  readonly warnings: string[];
  isUnreachable?: boolean;
}

export async function checkSqlSteps(connections: Connections, entry: Entry, { document, steps }: SqlSteps): Promise<SqlFindings> {
  const findings: SqlFindings = { problems: [], warnings: [] };
  const { engine } = document.database;
  const check = engine.checkStatement;
  const sqlSteps = steps.filter(({ probe }) => probe !== undefined);
  if (check === undefined || sqlSteps.length === 0) return findings;
  const options: RunOptions = { timeoutMs: TIMEOUT_MS, signal: AbortSignal.timeout(TIMEOUT_MS) };
  const pool = connections.pool(entry, 'custom');
  const atEntry = (error: unknown): never => {
    throw error instanceof DbFailure ? error.at(entry) : error;
  };
  let connection: Connection | undefined;
  try {
    connection = await pool.acquire({ signal: options.signal });
    for (const step of sqlSteps) {
      if (!connection.usable) throw new DbFailure('lost', 'the connection was lost');
      await checkStep(step, document, findings, (bound) => check(connection as Connection, bound, options).catch(atEntry), sqlSteps);
    }
  } catch {
    findings.isUnreachable = true;
    findings.warnings.push('the database cannot be reached, so its SQL was not checked');
  } finally {
    if (connection !== undefined) await resetAndRelease(connection, pool);
  }
  return findings;
}

async function resetAndRelease(connection: Connection, pool: ReturnType<Connections['pool']>): Promise<void> {
  const isClean = await connection.reset().catch(() => false);
  if (!isClean) connection.close();
  pool.release(connection);
}

type Probe = ReturnType<NonNullable<Step['probe']>>;

async function checkStep(
  step: Step,
  { inputs, database }: Pick<SqlSteps['document'], 'inputs' | 'database'>,
  { problems, warnings }: SqlFindings,
  check: (bound: Probe) => Promise<void>,
  steps: readonly Step[],
): Promise<void> {
  const bound = step.probe?.(inputs);
  if (bound === undefined) return;
  const relax = step.relaxer?.();
  try {
    await check(bound);
  } catch (error) {
    if (!(error instanceof DbFailure) || error.about === 'server') throw error;
    if (isRelaxed(error, relax)) {
      await checkStep(step, { inputs, database }, { problems, warnings }, check, steps);
      return;
    }
    if (error.kind === 'unsupported') return;
    const message = `step ${step.label}: ${sanitizeMessage(error.message)}`;
    const mayBeCreated =
      error.about === 'names' && steps.some(({ source, sql }) => source.index < step.source.index && sql?.changesSchema === true);
    if (error.kind === 'denied') warnings.push(`step ${step.label}: the database user lacks the privilege for it`);
    else if (mayBeCreated) warnings.push(`${message}; an earlier step may create it`);
    else
      problems.push({
        ...locate(step, database.engine.syntax, bound.statement.text, error),
        message,
        kind: 'code',
        step: step.source.index,
      });
  }
}

const QUOTED_NAME = /["'`‘]([^"'`’]+)["'`’]/;

/**
 * Returns the position that the server reports, else the first use of the name it quotes, else the
 * start of the step.
 */
function locate({ source }: Step, syntax: SqlSyntax, bound: string, { position, message }: DbFailure): SourcePlace {
  if (position !== undefined) {
    const { parts } = parseTemplate(source.code, syntax);
    return placeAtOffset(source, sourceOffset(source.code, parts, bound, position - 1));
  }
  const name = QUOTED_NAME.exec(message)?.[1]?.split('.').at(-1) ?? '';
  const at = name === '' ? -1 : source.code.search(new RegExp(`(?<![\\w$])${name.replace(/[^\w]/g, '\\$&')}(?![\\w$])`));
  return at < 0 ? placeOf(source.codeAt) : placeAtOffset(source, at);
}
