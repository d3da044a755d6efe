/**
 * Runs an update or delete of matching rows: one statement, or a transaction if the outcome depends
 * on the rows before the write.
 */
import type { Outcome } from '../../engines/contract/engine.ts';
import { apiError } from '../../errors.ts';
import type { Cells, RowSink } from '../../model/cells.ts';
import { compileDelete, compileSelect, compileUpdate } from '../../sql/compile/compile.ts';
import type { BoundStatement } from '../../sql/dialect.ts';
import type { Authorized, RowLimit, SelectPlan } from '../../sql/plan.ts';
import { ownKey } from '../plan/keys.ts';
import type { ReturnedRows, WritePlan } from '../plan/plan-write.ts';
import { countRows } from '../read/count.ts';
import { type EntityTags, hasTag, rowTag } from '../request/entity-tags.ts';
import { maskedSink } from '../rows/mask-sink.ts';
import type { AnswerSink, AutoResult, AutoSession } from '../session.ts';
import { changedKeys, KeySink, readByKeys } from './read-back.ts';
import { checkAtomic, checkMaxAffected, inTransaction, isCountedOnly, markUncertain, type Progress } from './transaction.ts';

export function runWrite(plan: WritePlan, session: AutoSession, sink: AnswerSink): Promise<AutoResult> {
  return running(plan, session, sink).then((rows) => {
    if (plan.single !== undefined && rows === 0) throw apiError('row_unknown');
    return { rows, cursor: undefined };
  });
}

function running(plan: WritePlan, session: AutoSession, sink: AnswerSink): Promise<number> {
  if (isCountedOnly(plan, plan.table, session)) return countOnly(plan, session);
  return session.engine.capabilities.transactions ? writeAtomically(plan, session, sink) : writeCounted(plan, session);
}

/** Compiles the statement, which the engine may not support, and counts its rows instead. */
async function countOnly(plan: WritePlan, session: AutoSession): Promise<number> {
  statementOf(plan, false, session);
  return countChecked(plan, session);
}

/**
 * Without transactions a write cannot be rolled back, so the engine counts the rows first and
 * writes none if there are too many.
 */
async function writeCounted(plan: WritePlan, session: AutoSession): Promise<number> {
  const { label } = session.engine;
  if (plan.returning !== undefined) throw apiError('not_on_engine', '$return=rows', label);
  if (plan.single?.ifMatch !== undefined) throw apiError('not_on_engine', 'If-Match', label);
  const maxRows = plan.single === undefined ? plan.maxAffected : Math.min(1, plan.maxAffected ?? 1);
  const rows = await runOne(statementOf(plan, false, session, maxRows), session);
  checkMaxAffected(rows, plan.maxAffected);
  if (plan.single !== undefined && rows > 1) throw apiError('key_repeats');
  return rows;
}

function writeAtomically(plan: WritePlan, session: AutoSession, sink: AnswerSink): Promise<number> {
  const { engine } = session;
  const { table, returning } = plan;
  const isReturned = returning?.isOpen === true && engine.capabilities.returning.includes(plan.write.do);
  if (returning !== undefined && !isReturned) {
    if (ownKey(table).length === 0) throw apiError('not_on_engine', '$return=rows without a primary key', engine.label);
    if (!table.transactional) throw apiError('not_on_engine', '$return=rows', `${engine.label} ${table.storage}`);
  }
  const ifMatch = plan.single?.ifMatch;
  if (ifMatch !== undefined && !table.transactional) throw apiError('not_on_engine', 'If-Match', `${engine.label} ${table.storage}`);
  const write = (into?: RowSink): Promise<number> => runOne(statementOf(plan, isReturned, session), session, into);
  if (!table.transactional) return writeNotTransactional(plan, session, () => write(isReturned ? sink : undefined)).catch(markUncertain);
  const isPlain = !plan.dryRun && plan.maxAffected === undefined && ifMatch === undefined && (returning === undefined || isReturned);
  return isPlain
    ? write(isReturned ? sink : undefined)
    : inTransaction(plan, session, async (progress) => {
        if (ifMatch !== undefined) {
          await checkTag(ifMatch, plan, session);
          progress.hasRun = true;
        }
        if (returning !== undefined && !isReturned) return writeAndRead(plan, returning, write, progress, session, sink);
        const rows = await write(isReturned ? sink : undefined);
        progress.hasRun = true;
        return rows;
      });
}

/** A transaction cannot roll back writes to this table, so the rows are counted first. */
async function writeNotTransactional(plan: WritePlan, session: AutoSession, write: () => Promise<number>): Promise<number> {
  if (plan.maxAffected !== undefined || plan.isPatch) await countChecked(plan, session);
  return write();
}

async function countChecked(plan: WritePlan, session: AutoSession): Promise<number> {
  const rows = Number(await countRows(plan.count(), session));
  checkMaxAffected(rows, plan.maxAffected);
  if (plan.isPatch) checkAtomic(rows, plan.table);
  return rows;
}

/** Reads the rows before a DELETE, or after an UPDATE by their previous keys. */
async function writeAndRead(
  plan: WritePlan,
  returning: ReturnedRows,
  write: () => Promise<number>,
  progress: Progress,
  session: AutoSession,
  sink: AnswerSink,
): Promise<number> {
  const key = ownKey(plan.table);
  const keys = new KeySink(key);
  await select({ ...plan.before(), columns: key }, session, keys);
  progress.hasRun = true;
  if (plan.write.do === 'delete') {
    await readByKeys(keys.keys, returning, 'by key', session, sink);
    return write();
  }
  const rows = await write();
  await readByKeys(changedKeys(keys.keys, key, plan.write.plan.set), returning, 'by key', session, sink);
  return rows;
}

async function checkTag(tags: EntityTags, plan: WritePlan, session: AutoSession): Promise<void> {
  const before = plan.before();
  const row = new TagSink(before.columns.length);
  await select(before, session, maskedSink(before, row));
  if (row.tag === undefined) throw apiError('row_unknown');
  if (!hasTag(tags, row.tag)) throw apiError('row_changed');
}

class TagSink implements RowSink {
  readonly #width: number;
  tag: string | undefined;

  constructor(width: number) {
    this.#width = width;
  }

  start(): void {}

  row(cells: Cells): void {
    this.tag = rowTag(cells, this.#width);
  }
}

async function select(plan: Authorized<SelectPlan>, { connection, engine, options }: AutoSession, sink: RowSink): Promise<void> {
  const { statement, params } = compileSelect(plan, engine.dialect);
  await connection.run(statement, params, options, sink);
}

function statementOf({ write, returning }: WritePlan, isReturned: boolean, { engine }: AutoSession, maxRows?: RowLimit): BoundStatement {
  const returned = isReturned ? returning?.columns : undefined;
  if (write.do === 'update') return compileUpdate({ ...write.plan, returning: returned, maxRows: maxRows }, engine.dialect);
  return compileDelete({ ...write.plan, returning: returned, maxRows: maxRows }, engine.dialect);
}

function runOne({ statement, params }: BoundStatement, { connection, options }: AutoSession, sink?: RowSink): Promise<number> {
  return connection.run(statement, params, options, sink).then(rowsOf);
}

const rowsOf = ({ rows }: Outcome): number => rows;
