/**
 * Asking the database whether it would take the sql steps of a definition: each is prepared, none is run. What it refuses is a problem with its
 * place in the document; what cannot be asked is a warning.
 */

import { type Connection, DbFailure, type RunOptions } from '../../engines/contract/engine.ts';
import type { Connections } from '../../engines/pool/connections.ts';
import type { Entry } from '../../model/entry.ts';
import { placeAtOffset } from '../document/document-logic.ts';
import type { Askable } from '../program/compile.ts';
import { sourceOffset } from '../program/source-offset.ts';
import { sanitizeMessage } from '../sanitize-message.ts';
import type { CodeProblem, Step } from '../steps/step.ts';
import { placeOf } from '../yaml/yaml-tree.ts';

/** A deploy does not wait longer for a database, nor a database for a deploy. */
const PATIENCE_MS = 5_000;

export interface PrepareFindings {
  readonly problems: CodeProblem[];
  readonly warnings: string[];
  /** The database did not answer. */
  silent?: boolean;
}

export async function prepareSteps(connections: Connections, entry: Entry, { document, steps }: Askable): Promise<PrepareFindings> {
  const findings: PrepareFindings = { problems: [], warnings: [] };
  const { engine } = document.database;
  const check = engine.checkStatement;
  const sqlSteps = steps.filter(({ probe }) => probe !== undefined);
  if (check === undefined || sqlSteps.length === 0) return findings;
  const options: RunOptions = { timeoutMs: PATIENCE_MS, signal: AbortSignal.timeout(PATIENCE_MS) };
  const pool = connections.pool(entry, 'custom');
  let connection: Connection | undefined;
  try {
    connection = await pool.acquire(options.signal);
    for (const step of sqlSteps) {
      if (!connection.usable) throw new DbFailure('lost', 'the connection was lost');
      await checkStep(step, document, findings, (bound) => check(connection as Connection, bound, options), sqlSteps);
    }
  } catch {
    findings.silent = true;
    findings.warnings.push('the database cannot be reached, so its SQL was not looked at');
  } finally {
    if (connection !== undefined) await giveBack(connection, pool);
  }
  return findings;
}

async function giveBack(connection: Connection, pool: ReturnType<Connections['pool']>): Promise<void> {
  const isClean = await connection.reset().catch(() => false);
  if (!isClean) connection.close();
  pool.release(connection);
}

type Probe = ReturnType<NonNullable<Step['probe']>>;

async function checkStep(
  step: Step,
  { inputs }: Askable['document'],
  { problems, warnings }: PrepareFindings,
  check: (bound: Probe) => Promise<void>,
  steps: readonly Step[],
): Promise<void> {
  const bound = step.probe?.(inputs);
  if (bound === undefined) return;
  try {
    await check(bound);
  } catch (error) {
    if (!(error instanceof DbFailure) || error.about === 'server') throw error;
    if (error.kind === 'unsupported') return;
    const words = `step ${step.label}: ${sanitizeMessage(error.message)}`;
    const comesLater =
      error.about === 'names' && steps.some(({ source, sql }) => source.index < step.source.index && sql?.changesSchema === true);
    if (error.kind === 'denied') warnings.push(`step ${step.label}: the database user lacks the privilege for it`);
    else if (comesLater) warnings.push(`${words}; an earlier step may create it`);
    else problems.push({ ...placeFor(step, bound.statement.text, error), message: words, kind: 'code', step: step.source.index });
  }
}

const NAME = /["'`‘]([^"'`’]+)["'`’]/;

/** Where the server points to; else where the name that it complains about first stands; else where the step begins. */
function placeFor({ source }: Step, bound: string, { position, message }: DbFailure): { readonly line: number; readonly column: number } {
  if (position !== undefined) return placeAtOffset(source, sourceOffset(source.code, bound, position - 1));
  const name = NAME.exec(message)?.[1]?.split('.').at(-1) ?? '';
  const at = name === '' ? -1 : source.code.search(new RegExp(`(?<![\\w$])${name.replace(/[^\w]/g, '\\$&')}(?![\\w$])`));
  return at < 0 ? placeOf(source.codeAt) : placeAtOffset(source, at);
}
