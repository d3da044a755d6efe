/**
 * Runs what was planned: finds the table, takes a connection, executes, and gives the connection back whatever happens. A statement that
 * fails because the catalogue's picture was old is planned and run anew, and one that never reached its server, too. Nothing else is
 * repeated: reads may call functions that write.
 */
import type { CatalogCache, TableWanted } from '../engines/catalog-cache.ts';
import type { Connections } from '../engines/connections.ts';
import {
  type Connection,
  DbFailure,
  type Engine,
  type FailureKind,
  type Outcome,
  type RunOptions,
  type StopSignal,
  type Workload,
} from '../engines/engine.ts';
import { TextRows } from '../engines/rows.ts';
import { ApiError, apiError } from '../errors.ts';
import type { RowSink } from '../model/cells.ts';
import type { Table } from '../model/table.ts';
import { compileCount, compileDelete, compileInKeyOrder, compileSelect, compileUpdate, type KeyOrderedPage } from '../sql/compile.ts';
import type { BoundStatement } from '../sql/dialect.ts';
import type { Condition, SelectPlan } from '../sql/plan.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import { CursorSink } from './cursor.ts';
import { type AutoMethod, explain } from './failures.ts';
import { type Batch, planInsert, prefix, readBatch } from './insert.ts';
import { KeyOrderSink } from './key-order.ts';
import { lateRow } from './late-row.ts';
import { PatientSink } from './patient-sink.ts';
import { planDelete, planRead, planUpdate } from './plan.ts';
import type { DeleteRequest, InsertRequest, ReadRequest, UpdateRequest, WriteOptions } from './request.ts';

export interface Target extends TableWanted {
  readonly requestId: string;
  readonly signal: StopSignal;
}

export interface ReadResult {
  /** Behind the last row of a full page, when a cursor was asked for. */
  readonly cursor: string | undefined;
}

/** Told before the first row, while headers can still be sent. */
export interface ReadSink extends RowSink {
  total(count: string): void;
}

/** The catalogue's picture of the table is old. */
const STALE: ReadonlySet<FailureKind> = new Set<FailureKind>(['missing_table', 'missing_column', 'stale']);
/** What a database may say of a statement that was planned for the table as it was, and of others too. */
const SUSPECT: ReadonlySet<FailureKind> = new Set<FailureKind>(['invalid', 'unsupported', 'syntax', 'other']);
/** So many times in all a request is planned for a table that changes again and again. */
const TRIES_MOST = 20;
/** So many results that disagree with a picture which is read again and stays the same: the catalogue is wrong (of some view, say). */
const DISAGREEMENTS = 3;
/** A picture younger than this is not read again for the sake of a name that it does not have. */
const TRUST_MS = 1000;
/** A body from this size on, some hundred rows, is a bulky write. */
const BULKY_BYTES = 16 * 1024;

interface Session {
  readonly connection: Connection;
  readonly engine: Engine;
  readonly options: RunOptions;
}

export class Auto {
  readonly #connections: Connections;
  readonly #catalog: CatalogCache;
  /** Tables of which the catalogue says something else than their rows do: these are written by what comes with them. */
  readonly #misdescribed = new WeakSet<Table>();

  constructor(connections: Connections, catalog: CatalogCache) {
    this.#connections = connections;
    this.#catalog = catalog;
  }

  /** Are identical reads of this database, at one time, worth one statement? */
  sharesReads({ entry }: Target): boolean {
    return this.#connections.engine(entry.type).capabilities.sharedReads;
  }

  read(request: ReadRequest, target: Target, sink: ReadSink): Promise<ReadResult> {
    const patient = new PatientSink(sink);
    let isCounted = false;
    return this.#attempt(
      target,
      'GET',
      () => patient.started,
      async (table, session) => {
        const plan = planRead(request, table, this.#misdescribed.has(table) ? 'described' : undefined);
        if (request.count && !isCounted) sink.total(await count(session, table, plan.where));
        isCounted = true;
        const cursor = request.after === undefined ? undefined : new CursorSink(patient, plan.select.order, plan.visible.length);
        const rows = await readPage(plan.select, session, cursor ?? patient);
        patient.finish();
        return cursor === undefined || rows < request.size ? NO_CURSOR : { cursor: cursor.cursor };
      },
    );
  }

  insert(request: InsertRequest, target: Target, body: Buffer): Promise<number> {
    return this.#attempt(
      target,
      'POST',
      never,
      async (table, session) => {
        const owner = target.entry.projectId ?? target.entry.id;
        const read = readBatch(body, table, owner);
        const batch = read instanceof Promise ? await read : read;
        const { count } = batch;
        if (count > 1 && !table.transactional) throw apiError('rows_not_atomic', table.storage);
        if (request.upsert && table.primaryKey.length === 0)
          throw apiError('not_on_engine', '$upsert without a primary key', session.engine.label);
        // While the database works nothing holds on to the rows, or many large batches at a time would be too much for the collector of
        // garbage: when a row was refused, the body is read again.
        return this.#write(toStatements(batch, table, request, session.engine), request, table, session).then(
          () => count,
          async (error: unknown) => {
            throw await located(error, () => readBatch(body, table, owner), count, table, request, session);
          },
        );
      },
      body.length < BULKY_BYTES ? 'light' : 'bulky',
    );
  }

  update(request: UpdateRequest, target: Target): Promise<number> {
    return this.#attempt(target, 'PUT', never, async (table, session) => {
      const plan = planUpdate(request, table);
      if (!session.engine.capabilities.transactions) await checkMost(request, table, plan.where, session);
      return this.#write([compileUpdate(plan, session.engine.dialect)], request, table, session);
    });
  }

  delete(request: DeleteRequest, target: Target): Promise<number> {
    return this.#attempt(target, 'DELETE', never, async (table, session) => {
      const plan = planDelete(request, table);
      if (!session.engine.capabilities.transactions) await checkMost(request, table, plan.where, session);
      return this.#write([compileDelete(plan, session.engine.dialect)], request, table, session);
    });
  }

  /** One statement is all or nothing by itself; more, or a condition on the count, need a transaction. */
  #write(statements: readonly BoundStatement[], request: WriteOptions, table: Table, session: Session): Promise<number> {
    const { connection, options, engine } = session;
    if (request.dryRun && !(engine.capabilities.transactions && table.transactional))
      throw apiError('not_on_engine', '$dry_run', `${engine.label} ${table.storage}`.trim());
    const [only] = statements;
    const plain = !request.dryRun && (request.maxAffected === undefined || !engine.capabilities.transactions);
    const isAtomic = table.transactional || !engine.capabilities.transactions;
    if (statements.length === 1 && only !== undefined && plain) {
      const running = connection.run(only.statement, only.params, options).then(rowsOf);
      return isAtomic ? running : running.catch(halfDone);
    }
    const transacting = this.#transact(statements, request, session);
    return isAtomic ? transacting : transacting.catch(halfDone);
  }

  async #transact(statements: readonly BoundStatement[], request: WriteOptions, { connection, options }: Session): Promise<number> {
    await connection.begin(options);
    let rows = 0;
    try {
      for (const { statement, params } of statements) rows += (await connection.run(statement, params, options)).rows;
      if (request.maxAffected !== undefined && rows > request.maxAffected) {
        throw apiError('too_many_affected', String(rows), String(request.maxAffected));
      }
      if (request.dryRun) await connection.checkConstraints?.(options);
    } catch (error) {
      await connection.rollback(options).catch(() => undefined);
      throw rows > 0 ? uncommitted(error) : error;
    }
    if (request.dryRun) await connection.rollback(options);
    else await connection.commit(options);
    return rows;
  }

  async #attempt<T>(
    target: Target,
    method: AutoMethod,
    started: () => boolean,
    work: (table: Table, session: Session) => Promise<T>,
    load: Workload = 'light',
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      let table: Table | undefined;
      try {
        const found = this.#catalog.find(target);
        table = found instanceof Promise ? await found : found;
        if (table === undefined) throw apiError('table_unknown', target.table);
        const { entry, signal } = target;
        const pool = this.#connections.pool(entry, 'auto');
        const taken = pool.acquire(signal, load);
        const connection = taken instanceof Promise ? await taken : taken;
        try {
          const options = { signal, timeoutMs: entry.queryTimeoutSecs * 1000 };
          return await work(table, { connection, engine: this.#connections.engine(entry.type), options });
        } finally {
          pool.release(connection);
        }
      } catch (error) {
        const failure = table === undefined ? ofCatalogue(error) : error;
        const isOver = started() || !(await this.#isWorthAnother(failure, target, table, tries).catch(never));
        if (isOver) throw this.#explained(failure, method, target);
      }
    }
  }

  /** Another try is worth it when the table is not what the request was planned for; the catalogue has been read again by then. */
  async #isWorthAnother(error: unknown, target: Target, table: Table | undefined, tries: number): Promise<boolean> {
    const failure = error instanceof Located ? error.failure : error;
    if (failure instanceof ApiError) {
      const isUnknownName = failure.key === 'column_unknown' || failure.key === 'row_key_unknown';
      if (!isUnknownName || tries > 1 || this.#catalog.age(target) <= TRUST_MS) return false;
      await this.#catalog.renew(target, 'stamp');
      return true;
    }
    if (!(failure instanceof DbFailure) || tries >= TRIES_MOST) return false;
    if (failure.kind === 'lost') return failure.left === 'unsent' && tries === 1;
    if (table === undefined || failure.left === 'unknown') return false;
    if (STALE.has(failure.kind)) {
      const hasChanged = (await this.#catalog.renew(target, 'nothing')) !== table;
      if (!hasChanged && failure.kind === 'stale' && tries >= DISAGREEMENTS) this.#misdescribed.add(table);
      return hasChanged || tries === 1 || failure.kind === 'stale';
    }
    if (!SUSPECT.has(failure.kind)) return false;
    const hasChanged = (await this.#catalog.renew(target, 'stamp')) !== table;
    return hasChanged || (tries < DISAGREEMENTS && this.#catalog.isRestless(target));
  }

  #explained(error: unknown, method: AutoMethod, target: Target): unknown {
    if (error instanceof Located) {
      return explain(error.failure, { ...this.#circumstances(method, target), row: error.row });
    }
    return error instanceof DbFailure ? explain(error, this.#circumstances(method, target)) : error;
  }

  #circumstances(method: AutoMethod, target: Target) {
    return { method, table: target.table, timeoutSecs: target.entry.queryTimeoutSecs, requestId: target.requestId };
  }
}

const NO_CURSOR: ReadResult = { cursor: undefined };
const never = (): boolean => false;

/** The catalogue's statements are our own and read only: one that was cut off may be sent again. */
function ofCatalogue(error: unknown): unknown {
  return error instanceof DbFailure && error.left === 'unknown' ? error.leaving('unsent') : error;
}

/** The commit was never sent: whatever happened to the connection, nothing stays, and what was sent is not sent again. */
function uncommitted(error: unknown): unknown {
  return error instanceof DbFailure ? error.leaving('nothing') : error;
}

/** A statement that fails in the middle leaves what it wrote in a table without transactions. */
function halfDone(error: unknown): never {
  throw error instanceof DbFailure && IN_THE_MIDDLE.has(error.kind) && error.left === 'nothing' ? error.leaving('unknown') : error;
}

function toStatements(batch: Batch, table: Table, request: InsertRequest, engine: Engine): readonly BoundStatement[] {
  return planInsert(batch, table, request.upsert, engine.capabilities.transactions).flatMap((plan) => engine.dialect.insert(plan));
}

/** The rows of a page into a sink; returns how many there were. */
function readPage(plan: SelectPlan, session: Session, sink: RowSink): Promise<number> {
  const quick = KeyOrderSink.suits(plan.table) ? compileInKeyOrder(plan, session.engine.dialect) : undefined;
  return quick === undefined ? readInOrder(plan, session, sink) : readInKeyOrder(plan, session, sink, quick);
}

function readInOrder(plan: SelectPlan, { connection, engine, options }: Session, sink: RowSink): Promise<number> {
  const { statement, params } = compileSelect(plan, engine.dialect);
  return connection.run(statement, params, options, sink).then(rowsOf);
}

async function readInKeyOrder(plan: SelectPlan, session: Session, sink: RowSink, quick: KeyOrderedPage): Promise<number> {
  const checked = new KeyOrderSink(sink, plan.table, quick, plan.limit);
  await session.connection.run(quick.statement, quick.params, session.options, checked);
  return checked.end() ? checked.passed : readInOrder(plan, session, checked);
}

const rowsOf = ({ rows }: Outcome): number => rows;

async function count(session: Session, table: Table, where: Condition | undefined): Promise<string> {
  const { statement, params } = compileCount({ table, where }, session.engine.dialect);
  const sink = new TextRows();
  await session.connection.run(statement, params, session.options, sink);
  return sink.rows[0]?.[0] ?? '0';
}

/** Without transactions a write cannot be taken back: count first. */
async function checkMost(request: WriteOptions, table: Table, where: Condition, session: Session): Promise<void> {
  if (request.maxAffected === undefined) return;
  const rows = await count(session, table, where);
  if (BigInt(rows) > BigInt(request.maxAffected)) throw apiError('too_many_affected', rows, String(request.maxAffected));
}

/** A failure of a batch with the place of the row that caused it. */
class Located extends Error {
  readonly failure: DbFailure;
  readonly row: number;

  constructor(failure: DbFailure, row: number) {
    super(failure.message);
    this.failure = failure;
    this.row = row;
  }
}

const OF_A_ROW = new Set(['duplicate', 'constraint', 'invalid', 'raised']);
/** Failures of a statement that was under way. */
const IN_THE_MIDDLE = new Set([...OF_A_ROW, 'timeout', 'cancelled', 'conflict', 'lost', 'other']);

/** Engines do not say which row of a batch they refused: the shortest failing beginning of the batch ends with it. Nothing stays written. */
async function located(
  error: unknown,
  readAgain: () => MaybePromise<Batch>,
  count: number,
  table: Table,
  request: InsertRequest,
  session: Session,
): Promise<unknown> {
  if (!(error instanceof DbFailure) || !OF_A_ROW.has(error.kind) || !session.connection.usable) return error;
  if (count === 1) return new Located(error, 0);
  if (!session.engine.capabilities.transactions) return error;
  const batch = await readAgain();
  if (session.connection.checkConstraints !== undefined && (await tryPrefix(batch, table, request, session)) === undefined) {
    const row = lateRow(error, batch);
    return row === undefined ? error : new Located(error, row);
  }
  let low = 1;
  let high = count;
  let failure = error;
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = await tryPrefix(prefix(batch, middle), table, request, session);
    if (found === undefined) low = middle + 1;
    else if (!OF_A_ROW.has(found.kind)) return error;
    else {
      high = middle;
      failure = found;
    }
  }
  return new Located(failure, high - 1);
}

async function tryPrefix(batch: Batch, table: Table, request: InsertRequest, session: Session): Promise<DbFailure | undefined> {
  const { connection, options } = session;
  await connection.begin(options);
  try {
    for (const { statement, params } of toStatements(batch, table, request, session.engine))
      await connection.run(statement, params, options);
    return undefined;
  } catch (error) {
    if (error instanceof DbFailure) return error;
    throw error;
  } finally {
    await connection.rollback(options).catch(() => undefined);
  }
}
