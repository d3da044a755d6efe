/**
 * The interface between Millrace and a database engine: connect, run statements, read the
 * catalogue, report failures. Must not import HTTP, tenants or plans.
 */
import type { RowSink } from '../../model/cells.ts';
import type { DbType, Entry, Host } from '../../model/entry.ts';
import type { ForeignKey } from '../../model/relation.ts';
import type { Table } from '../../model/table.ts';
import type { BoundStatement, Dialect } from '../../sql/dialect.ts';
import type { Authorized, SelectPlan } from '../../sql/plan.ts';
import type { Statement, StatementParam } from '../../sql/statement.ts';
import type { SqlSyntax } from '../../sql/template/syntax.ts';
import type { Template } from '../../sql/template/template.ts';
import type { SlotTypes, TemplateBinder } from '../../sql/template/template-binder.ts';
import type { StopSignal } from '../../util/concurrency/stop-signal.ts';
import { withoutQuotes } from '../../util/text/redact-error.ts';
import { type FailureKind, kindTraits } from './failure-kinds.ts';
import { type OutagePlace, outageOf, placeOf, withAlias } from './outage.ts';

export interface Outcome {
  /** Rows matched by a write (not only those changed), or rows returned by a read. */
  readonly rows: number;
  /** True when the statement gave a result set (also an empty one). */
  readonly selected: boolean;
  /** Generated key of the first row, if the server reports it with its response. */
  readonly generated?: number | undefined;
}

export type { FailureKind, StopSignal };

export interface RunOptions {
  /** Cancels the statement on the server and closes the connection. */
  readonly signal?: StopSignal | undefined;
  /** Milliseconds that the statement may run, enforced by the server and by us. */
  readonly timeoutMs: number;
  /**
   * `any` permits a longer limit on the server, which saves changing it for this statement. The
   * deadline of the service holds.
   */
  readonly serverLimit?: 'any' | undefined;
  /**
   * Statements of other callers follow on the same connection. The signal does not end the
   * connection, and a statement that blocks the others is cancelled; it fails as `preempted`.
   */
  readonly pipelined?: boolean;
  /**
   * `may_end` marks a statement that may end the transaction (CALL, DDL), so that a rollback can
   * detect it.
   */
  readonly transaction?: 'may_end' | undefined;
}

/** Options for reading a whole schema, which may have thousands of tables. */
export interface SchemaReadOptions extends RunOptions {
  /** Tenant whose slices of the event loop the work uses. */
  readonly owner: string;
  /** `true` to read the schema's fingerprint as well, which costs the server time. */
  readonly withFingerprint?: boolean;
}

/**
 * Result of a rollback. `some`: statements that committed, and writes to tables without
 * transactions, remain.
 */
export type Undone = 'all' | 'some';

/** A statement with its values, and where its rows go. */
export interface StatementRun {
  readonly statement: Statement;
  readonly params: readonly StatementParam[];
  readonly sink: RowSink;
}

export interface Connection {
  /**
   * Runs one statement. Rows go to the sink, or are counted and dropped without one. Takes over the
   * leases among the parameters and in the statement: neither may be used again.
   */
  run(statement: Statement, params: readonly StatementParam[], options: RunOptions, sink?: RowSink): Promise<Outcome>;
  /**
   * Holds back what is written until `uncork`, so that it leaves in one write. Absent, like
   * `uncork`, without pipelining.
   */
  cork?(): void;
  uncork?(): void;
  /** Engines without transactions do nothing here. */
  begin(options: RunOptions): Promise<void>;
  /** Begins a read-only transaction on a consistent snapshot. Absent if the engine has none. */
  beginSnapshot?(options: RunOptions): Promise<void>;
  /**
   * Runs independent reads of a snapshot, sent in one write. `ends`: the snapshot ends after them.
   * Rejects with the first failure once all have ended. Absent without snapshots.
   */
  runTogether?(runs: readonly StatementRun[], options: RunOptions, ends: boolean): Promise<void>;
  /**
   * Runs a transaction in one write: a write, a read of its result, and the commit. A failed write
   * has no effect. A failed read has effect `unknown`, since the write is committed. If the columns
   * of the result differ from the plan, nothing reaches the sink. Absent without pipelining.
   */
  writeAndRead?(write: BoundStatement, read: StatementRun, options: RunOptions): Promise<Outcome>;
  commit(options: RunOptions): Promise<void>;
  rollback(options: RunOptions): Promise<Undone>;
  /** Sets a savepoint. Absent without transactions, like `returnToMark`. */
  mark?(options: RunOptions): Promise<void>;
  /** Rolls back to the savepoint. The transaction continues, even after a failed statement. */
  returnToMark?(options: RunOptions): Promise<void>;
  /** Checks deferred constraints now. Absent if there are none. */
  checkConstraints?(options: RunOptions): Promise<void>;
  /**
   * Restores the session to its state after connecting. Returns `false` if it cannot: close it
   * then.
   */
  reset(): Promise<boolean>;
  /** Number of statements that the server runs well at a time, if it names one. */
  readonly maxConcurrentStatements?: number;
  /** Returns whether the server responds within `timeoutMs`. Absent without a cheap request. */
  ping?(timeoutMs: number): Promise<boolean>;
  /** `true` if the connection was closed because the server sent nothing until the deadline. */
  readonly isSilent?: boolean;
  /** False once the socket is gone or the protocol is out of sync: the pool drops it. */
  readonly usable: boolean;
  /** Called when the connection dies while idle. */
  onClosed(listener: () => void): void;
  close(): void;
}

export interface ConnectOptions {
  readonly host: Host;
  /** The address that `host` resolved to and that the policy allowed: dial this one. */
  readonly address: string;
  readonly timeoutMs: number;
  readonly signal?: StopSignal | undefined;
  /** Maximum size of a row; the default is `LIMITS.rowBytes`. */
  readonly maxRowBytes?: number | undefined;
}

/** Connect options that a connection keeps. The signal of the request is not one of them. */
export type Destination = Omit<ConnectOptions, 'signal'>;

/** Result of a connection test. */
export interface Probe {
  readonly version: string;
  readonly ms: number;
}

export interface TableName {
  readonly table: string;
  readonly schema: string;
  readonly kind: 'table' | 'view';
}

/** A table by name, in the default schema unless one is given. */
export interface TableReference {
  readonly schema: string | undefined;
  readonly table: string;
}

/** Tables and foreign keys of a schema. */
export interface SchemaDescription {
  /** Every table and view as `describe` has it. */
  readonly tables: readonly Table[];
  /** As `foreignKeys` has them. */
  readonly keys: readonly ForeignKey[];
  /**
   * Fingerprint of the schema, read before its tables; `undefined` if not requested or not
   * available.
   */
  readonly fingerprint: string | undefined;
}

export interface Catalog {
  /** Undefined when the database has no such table or view (for this user to see). */
  describe(connection: Connection, name: TableReference, options: RunOptions): Promise<Table | undefined>;
  /**
   * A text that changes whenever the table's description changes, cheaper than the description.
   * `undefined` if this table has none; absent if the engine has none.
   */
  fingerprint?(connection: Connection, name: TableReference, options: RunOptions): Promise<string | undefined>;
  /** The foreign keys between the tables of one schema; absent where the engine has none. */
  foreignKeys?(connection: Connection, schema: string | undefined, options: SchemaReadOptions): Promise<readonly ForeignKey[]>;
  /**
   * Describes a whole schema in a fixed number of statements. `undefined` if the schema does not
   * exist; absent if the engine has no such way.
   */
  describeSchema?(connection: Connection, schema: string | undefined, options: SchemaReadOptions): Promise<SchemaDescription | undefined>;
  /**
   * A text that changes whenever `describeSchema` changes, computed by the server. Absent if it
   * cannot.
   */
  schemaFingerprint?(connection: Connection, schema: string | undefined, options: RunOptions): Promise<string | undefined>;
  /** Undefined when the schema itself does not exist. */
  list(connection: Connection, schema: string | undefined, options: RunOptions): Promise<readonly TableName[] | undefined>;
}

export interface EngineNames {
  /** The short name: in paths, in entries, in metrics. */
  readonly type: DbType;
  /** Other names that entries and definitions may use; messages show the first. */
  readonly names: readonly string[];
}

/** Differences between engines. Code checks these instead of the engine's name. */
export interface Capabilities {
  /** Several statements of one connection are all or nothing. */
  readonly transactions: boolean;
  /** So are CREATE, ALTER and DROP: a rollback takes them back. */
  readonly transactionalDdl: boolean;
  /** A database has schemas, and `db_name.schema` names one. */
  readonly schemas: boolean;
  /** The schema that is meant when none is named, where there are schemas. */
  readonly defaultSchema?: string;
  /** Coalesce identical concurrent reads: even the smallest SELECT is expensive. */
  readonly sharedReads: boolean;
  /** Which writes can give back the rows that they wrote (RETURNING). */
  readonly returning: readonly ('insert' | 'update' | 'delete')[];
  /** Its connections can `writeAndRead`. */
  readonly readsBack: boolean;
  /** Writes run in the background of the server, so they need no permit. */
  readonly backgroundWrites?: boolean;
  /** Which short statements of several callers may share a connection. */
  readonly pipelining: readonly ('read' | 'write')[];
  /** Number of concurrent bulk writes with the highest throughput. */
  readonly bulkyWrites: number;
}

/** An engine: a folder defines it, and a line in `index.ts` registers it. */
export interface Engine extends EngineNames {
  /** Name in messages. */
  readonly label: string;
  readonly defaultPort: number;
  readonly capabilities: Capabilities;
  readonly dialect: Dialect;
  /** How the SQL of a step is read … */
  readonly syntax: SqlSyntax;
  /** … and how its values are bound. `types` are those of declared inputs. */
  templateBinder(template: Template, types?: SlotTypes): TemplateBinder;
  readonly catalog: Catalog;
  /**
   * Reads a page in an engine-specific way and returns the number of rows. Absent if `compilePage`
   * suffices.
   */
  readPage?(plan: Authorized<SelectPlan>, connection: Connection, options: RunOptions, sink: RowSink): Promise<number>;
  /**
   * Returns whether a failed statement may have had side effects because it names a table without
   * transactions. Absent if the engine has no such tables.
   */
  mayHaveSideEffects?(connection: Connection, text: string, options: RunOptions): Promise<boolean>;
  /**
   * Checks a statement on the server without running it. Throws DbFailure if the server rejects it.
   * Absent if the server cannot.
   */
  checkStatement?(connection: Connection, bound: BoundStatement, options: RunOptions): Promise<void>;
  connect(entry: Entry, options: ConnectOptions): Promise<Connection>;
}

/**
 * Effect of a failed statement:
 *   unsent    none: the server never received all of it, so it may be sent again
 *   nothing   none: the server reported that the statement ended without effect
 *   unknown   it was sent, and its end was not reported
 */
export type StatementEffect = 'unsent' | 'nothing' | 'unknown';

/**
 * Maximum number of retries of an unsent statement. Several idle connections may be dead at once.
 */
export const MAX_UNSENT_RETRIES = 3;

export class DbFailure extends Error {
  readonly kind: FailureKind;
  readonly effect: StatementEffect;
  /** The engine's own code (SQLSTATE, errno, exception code). */
  readonly code: string;
  readonly column: string | undefined;
  readonly constraint: string | undefined;
  /** The values of the key that `column` names, as the engine shows them. */
  readonly key: string | undefined;
  /** The character of the statement, from 1, that the server points to. */
  readonly position: number | undefined;
  /** `true` if the statement's text causes the failure, whatever the data. */
  readonly ofStatement: boolean;
  #place: OutagePlace | undefined;

  constructor(
    kind: FailureKind,
    message: string,
    details: {
      readonly code?: string;
      readonly column?: string | undefined;
      readonly constraint?: string | undefined;
      readonly key?: string | undefined;
      readonly position?: number | undefined;
      readonly ofStatement?: boolean | undefined;
      readonly cause?: unknown;
      /** By default, a failure with a code of the server has effect `nothing`. */
      readonly effect?: StatementEffect | undefined;
    } = {},
  ) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.code = details.code ?? '';
    this.column = details.column;
    this.constraint = details.constraint;
    this.key = details.key;
    this.position = details.position;
    this.ofStatement = details.ofStatement ?? false;
    const { end } = kindTraits(kind);
    this.effect = details.effect ?? (end === 'open' || (end === 'stopped' && this.code === '') ? 'unknown' : 'nothing');
  }

  /** Subject of the failure: the server, names, data … */
  get about(): ReturnType<typeof kindTraits>['of'] {
    return kindTraits(this.kind).of;
  }

  /** The same failure, with better knowledge of what is left. */
  withEffect(effect: StatementEffect): DbFailure {
    const { kind, message, code, column, constraint, key, ofStatement, cause } = this;
    const same = new DbFailure(kind, message, { code, column, constraint, key, ofStatement, cause, effect });
    same.#place = this.#place;
    return same;
  }

  /**
   * Records where the failure occurred: the address that was tried, or the hosts of the entry.
   * Callers know the database by its alias only.
   */
  at(entry: Entry, tried?: Pick<ConnectOptions, 'host' | 'address'>): this {
    if (this.#place !== undefined) return this;
    this.#place = placeOf(entry, tried);
    this.message = withAlias(this.message, entry);
    return this;
  }

  /** `refused: pg/shop at db.example:5432`, where the place is known. */
  get outage(): string | undefined {
    return this.#place === undefined ? undefined : `${outageOf(this)}: ${this.#place.database} at ${this.#place.address}`;
  }

  /** The same failure, which points to a character of the statement. */
  placed(position: number): DbFailure {
    const { kind, message, code, column, constraint, key, ofStatement, cause, effect } = this;
    return new DbFailure(kind, message, { code, column, constraint, key, ofStatement, cause, effect, position });
  }

  /** Messages of engines about servers and rights are logged without quoted parts. */
  loggable(): Readonly<Record<string, string>> {
    const { kind, code } = this;
    if (kindTraits(kind).words === undefined) return { kind, code };
    const { outage } = this;
    return { ...(outage === undefined ? {} : { outage }), kind, code, message: withoutQuotes(this.message) };
  }
}

/** A write error means that not all of the data was sent. Otherwise the effect is unknown. */
export function effectOfSocketError(error: unknown): StatementEffect {
  return (error as { syscall?: unknown } | undefined)?.syscall === 'write' ? 'unsent' : 'unknown';
}

/** Waits for all of them, whatever becomes of each; then fails as the first that has failed. */
export async function allOver(work: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) if (result.status === 'rejected') throw result.reason;
}
