/**
 * Runs a PATCH of rows by their keys, all or nothing, with one statement per set of columns where
 * the engine can. Affected-row counts verify that every key matched exactly one row; if they
 * disagree, the offending row is looked up.
 */
import { DbFailure } from '../../engines/contract/engine.ts';
import { apiError } from '../../errors.ts';
import type { Kind, Table } from '../../model/table.ts';
import { compileSelect } from '../../sql/compile/compile.ts';
import { compileUpdateRows } from '../../sql/compile/update-rows.ts';
import type { BoundStatement } from '../../sql/dialect.ts';
import type { SelectPlan } from '../../sql/plan.ts';
import type { Operand } from '../../sql/statement.ts';
import { authorize } from '../plan/authorize.ts';
import { isOneOf } from '../plan/keys.ts';
import type { PatchBodyPlan } from '../plan/plan-write.ts';
import { type Batch, ROWS, readBatch } from '../rows/insert-body.ts';
import type { AnswerSink, AutoResult, AutoSession } from '../session.ts';
import { bisectBatch, isRefusal, LocatedFailure } from './bisect-batch.ts';
import { KeySink, keyText, type RowKey, readByKeys } from './read-back.ts';
import { checkAtomic, checkMaxAffected, inTransaction, isCountedOnly, markUncertain, releaseParameters } from './transaction.ts';

export async function runPatch(plan: PatchBodyPlan, session: AutoSession, sink: AnswerSink): Promise<AutoResult> {
  const { table, body, returning } = plan;
  const { engine } = session;
  if (!engine.capabilities.transactions) {
    if (/^\s*\[\s*\]\s*$/.test(body.toString('latin1', 0, 100))) throw apiError('rows_not_array');
    throw apiError('not_on_engine', 'A PATCH of rows by their keys', engine.label);
  }
  if (table.primaryKey.length === 0) throw apiError('key_missing');
  const isCounted = isCountedOnly(plan, table, session);
  const batch = await readBatch(body, table, session.owner, ROWS.patch);
  checkAtomic(batch.count, table);
  checkMaxAffected(batch.count, plan.maxAffected);
  if (isCounted) return { rows: (await storedKeys(keysOf(batch, table), plan, session)).size, cursor: undefined };
  const patching = inTransaction(plan, session, async (progress) => {
    const statements = statementsOf(batch, plan, session);
    // A single statement changes each row once, so its row count is sufficient.
    if (statements.length > 1)
      await checkDistinct(keysOf(batch, table), plan, session).catch((error: unknown) => {
        releaseParameters(statements);
        throw error;
      });
    let rows = 0;
    for (const statement of statements) {
      rows += (await session.connection.run(statement.statement, statement.params, session.options)).rows;
      progress.hasRun = true;
    }
    if (rows < batch.count) throw await wrongKey(keysOf(batch, table), plan, session);
    if (returning !== undefined) await readByKeys(keysOf(batch, table), returning, 'as given', session, sink);
    return rows;
  });
  try {
    return { rows: await (table.transactional ? patching : patching.catch(markUncertain)), cursor: undefined };
  } catch (error) {
    throw await locateFailure(error, batch, plan, session);
  }
}

/** Kinds whose values are equal only if their texts are. */
const EXACT: ReadonlySet<Kind> = new Set<Kind>(['int', 'uuid', 'date', 'bool']);

/** Keys in the order of the body. */
function keysOf(batch: Batch, { primaryKey: key }: Table): readonly RowKey[] {
  const keys: RowKey[] = new Array(batch.count);
  for (const { columns, rows, places } of batch.groups) {
    const at = key.map((column) => columns.indexOf(column));
    for (const [row, place] of places.entries()) keys[place] = at.map((i) => (rows.value(row * rows.width + i) ?? '') as Operand);
  }
  return keys;
}

/** Rejects repeated keys: several statements could change a row twice. */
async function checkDistinct(keys: readonly RowKey[], plan: PatchBodyPlan, session: AutoSession): Promise<void> {
  if (!plan.table.primaryKey.every(({ kind }) => EXACT.has(kind))) {
    if ((await storedKeys(keys, plan, session)).size < keys.length) throw await wrongKey(keys, plan, session);
    return;
  }
  const seen = new Set<string>();
  for (const [row, key] of keys.entries()) {
    const text = keyText(key);
    if (seen.has(text)) throw apiError('patch_key_twice', String(row));
    seen.add(text);
  }
}

function statementsOf({ groups }: Batch, { table, access }: PatchBodyPlan, { engine }: AutoSession): readonly BoundStatement[] {
  const key = table.primaryKey;
  return groups.flatMap(({ columns, rows }) =>
    compileUpdateRows(authorize({ table, key, columns, rows }, access, 'update'), engine.dialect),
  );
}

/** Adds the row to a failure, if it can be found. */
async function locateFailure(error: unknown, batch: Batch, plan: PatchBodyPlan, session: AutoSession): Promise<unknown> {
  if (!isRefusal(error) || !session.connection.usable) return error;
  const rejected = await bisectBatch(error, batch, session, (part) => ({
    statements: statementsOf(part, plan, session),
    expected: undefined,
  }));
  return rejected?.refusal instanceof DbFailure ? new LocatedFailure(rejected.refusal, rejected.row) : error;
}

const KEYS_PER_STATEMENT = 1000;

/** Returns those keys that exist in the table. */
async function storedKeys(keys: readonly RowKey[], { table, access }: PatchBodyPlan, session: AutoSession): Promise<ReadonlySet<string>> {
  const stored = new Set<string>();
  const key = table.primaryKey;
  for (let at = 0; at < keys.length; at += KEYS_PER_STATEMENT) {
    const sink = new KeySink(key);
    const where = isOneOf(key, keys.slice(at, at + KEYS_PER_STATEMENT));
    const plan: SelectPlan = { table, columns: key, where, order: [], limit: KEYS_PER_STATEMENT, offset: 0 };
    const { statement, params } = compileSelect(authorize(plan, access, 'update'), session.engine.dialect);
    await session.connection.run(statement, params, session.options, sink);
    for (const key of sink.keys) stored.add(keyText(key));
  }
  return stored;
}

/**
 * Finds the first row whose key is repeated or missing: the shortest prefix with fewer stored keys
 * than rows ends with it.
 */
async function wrongKey(keys: readonly RowKey[], plan: PatchBodyPlan, session: AutoSession): Promise<Error> {
  let low = 1;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((await storedKeys(keys.slice(0, middle), plan, session)).size < middle) high = middle;
    else low = middle + 1;
  }
  const exists = (await storedKeys(keys.slice(high - 1, high), plan, session)).size > 0;
  return apiError(exists ? 'patch_key_twice' : 'patch_row_unknown', String(high - 1));
}
