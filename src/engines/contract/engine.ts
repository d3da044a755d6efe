/**
 * THE interface between Millrace and a database engine: connect, run a statement, read the catalogue; and the kinds of failure that a database
 * can report. Knows no HTTP, tenants or plans: it sees SQL text and typed parameters.
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
import type { TemplateBinder } from '../../sql/template/template-binder.ts';
import type { StopSignal } from '../../util/concurrency/stop-signal.ts';
import { withoutQuotes } from '../../util/text/redact-error.ts';
import { type FailureKind, kindTraits } from './failure-kinds.ts';
import { type OutagePlace, outageOf, placeOf } from './outage.ts';

export interface Outcome {
  /** Rows matched by a write (not only those changed), or rows returned by a read. */
  readonly rows: number;
  /** True when the statement gave a result set (also an empty one). */
  readonly selected: boolean;
  /** The key that the server made for the first row, where it tells it with its answer. */
  readonly generated?: number | undefined;
}

export type { FailureKind, StopSignal };

export interface RunOptions {
  /** Ends the statement: the server is told to stop, and the connection is dropped. */
  readonly signal?: StopSignal | undefined;
  /** Milliseconds that the statement may run, enforced by the server and by us. */
  readonly timeoutMs: number;
  /** `any`: the server's own limit may be a longer one, which spares the statements before and after the change of it. Ours holds. */
  readonly serverLimit?: 'any' | undefined;
  /**
   * Statements of other callers follow on the same connection. The signal does not end the connection, and a statement that
   * blocks the others is cancelled; it fails as `preempted`.
   */
  readonly pipelined?: boolean;
  /** `may_end`: the statement may end the transaction that it runs in (CALL, DDL); a rollback must then be able to tell. */
  readonly transaction?: 'may_end' | undefined;
}

/** Of a look at a whole schema, which may have thousands of tables. */
export interface SchemaReadOptions extends RunOptions {
  /** Whose turns of the event loop are taken. */
  readonly owner: string;
  /** Is the fingerprint of the schema wanted too? It costs the server something. */
  readonly withFingerprint?: boolean;
}

/** How much a rollback undid. `some`: what a statement committed by itself, or wrote to a table without transactions, stays. */
export type Undone = 'all' | 'some';

/** A statement with its values, and where its rows go. */
export interface StatementRun {
  readonly statement: Statement;
  readonly params: readonly StatementParam[];
  readonly sink: RowSink;
}

export interface Connection {
  /**
   * Runs one statement. Rows, if any, go to the sink; without one they are counted and dropped. Takes over the leases among the parameters, and
   * whatever the statement itself holds of the pool: none of it may be used again.
   */
  run(statement: Statement, params: readonly StatementParam[], options: RunOptions, sink?: RowSink): Promise<Outcome>;
  /** Holds back what is written until `uncork`, so that it leaves in one write. Absent, like `uncork`, without pipelining. */
  cork?(): void;
  uncork?(): void;
  /** Engines without transactions do nothing here. */
  begin(options: RunOptions): Promise<void>;
  /** Begins a transaction that only reads, and sees the database as it was at one moment; absent where the engine has none. */
  beginSnapshot?(options: RunOptions): Promise<void>;
  /**
   * Runs reads in a snapshot that do not need each other's rows: all of them are sent at once. `ends`: the last of the transaction, which is rolled back
   * behind them. Fails with the first failure, when everything is over. Absent where there are no snapshots.
   */
  runTogether?(runs: readonly StatementRun[], options: RunOptions, ends: boolean): Promise<void>;
  /**
   * A transaction of its own: writes by one statement, reads what that left, and commits; all of it is sent at once. A write that fails leaves nothing.
   * After that it is done whatever happens to the read: when that fails, the failure leaves `unknown`; when its result has other kinds than it was
   * planned for, it gives nothing, not even its start. Absent where statements wait for each other.
   */
  writeAndRead?(write: BoundStatement, read: StatementRun, options: RunOptions): Promise<Outcome>;
  commit(options: RunOptions): Promise<void>;
  rollback(options: RunOptions): Promise<Undone>;
  /** Marks a point of the open transaction. Absent, like the next, where the engine has no transactions. */
  mark?(options: RunOptions): Promise<void>;
  /** Takes back what came after the mark; the transaction goes on, also when a statement has failed in it. */
  returnToMark?(options: RunOptions): Promise<void>;
  /** Checks now what would else be checked at the commit (deferred constraints); absent where nothing is. */
  checkConstraints?(options: RunOptions): Promise<void>;
  /** Restores the session to its state after connecting; false when it cannot, and must be closed. */
  reset(): Promise<boolean>;
  /** Number of statements that the server runs well at a time, if it names one. */
  readonly maxConcurrentStatements?: number;
  /** Returns whether the server answers within `timeoutMs`. Absent if the protocol has no cheap way to ask. */
  ping?(timeoutMs: number): Promise<boolean>;
  /** `true` if the connection was given up because the server had sent nothing at all by the deadline of a statement. */
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
  /** The largest row that is read; `LIMITS.rowBytes` when nothing is said. */
  readonly maxRowBytes?: number | undefined;
}

/** What a connection keeps of how it was opened: nothing of the request that wanted it. */
export type Destination = Omit<ConnectOptions, 'signal'>;

/** What a server said to a trial of its entry. */
export interface Probe {
  readonly version: string;
  readonly ms: number;
}

export interface TableName {
  readonly table: string;
  readonly schema: string;
  readonly kind: 'table' | 'view';
}

/** A table as it is asked for; without a schema, in the default one. */
export interface TableReference {
  readonly schema: string | undefined;
  readonly table: string;
}

/** What a schema has. */
export interface SchemaDescription {
  /** Every table and view as `describe` has it. */
  readonly tables: readonly Table[];
  /** As `foreignKeys` has them. */
  readonly keys: readonly ForeignKey[];
  /** The fingerprint of the schema at that time or before; undefined where there is none, or none was wanted. */
  readonly fingerprint: string | undefined;
}

export interface Catalog {
  /** Undefined when the database has no such table or view (for this user to see). */
  describe(connection: Connection, name: TableReference, options: RunOptions): Promise<Table | undefined>;
  /**
   * A text that stays the same while the table's description does, for less than the description costs. Undefined when there is none for this
   * table; absent where the engine has none at all.
   */
  fingerprint?(connection: Connection, name: TableReference, options: RunOptions): Promise<string | undefined>;
  /** The foreign keys between the tables of one schema; absent where the engine has none. */
  foreignKeys?(connection: Connection, schema: string | undefined, options: SchemaReadOptions): Promise<readonly ForeignKey[]>;
  /**
   * A whole schema, in a number of statements that does not grow with its tables. Undefined when the schema itself does not exist; absent where the
   * engine has only one way to describe a table.
   */
  describeSchema?(connection: Connection, schema: string | undefined, options: SchemaReadOptions): Promise<SchemaDescription | undefined>;
  /** A text that stays the same while `describeSchema` does; the server makes it, so that nothing need be sent. Absent where it cannot. */
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

/** What one engine can do and another cannot. Code asks this, and never which engine it is. */
export interface Capabilities {
  /** Several statements of one connection are all or nothing. */
  readonly transactions: boolean;
  /** So are CREATE, ALTER and DROP: a rollback takes them back. */
  readonly transactionalDdl: boolean;
  /** A database has schemas, and `db_name.schema` names one. */
  readonly schemas: boolean;
  /** The schema that is meant when none is named, where there are schemas. */
  readonly defaultSchema?: string;
  /** Even the smallest SELECT is so expensive that identical ones at one time share a single execution. */
  readonly sharedReads: boolean;
  /** Which writes can give back the rows that they wrote (RETURNING). */
  readonly returning: readonly ('insert' | 'update' | 'delete')[];
  /** Its connections can `writeAndRead`. */
  readonly readsBack: boolean;
  /** Writes are done in the background, many of them at once, and awaited: they need no permit of the server. */
  readonly backgroundWrites?: boolean;
  /** Which short statements of several callers may share a connection. */
  readonly pipelining: readonly ('read' | 'write')[];
  /** How many bulky writes at a time the server finishes soonest; beyond that they wait for each other's pages. */
  readonly bulkyWrites: number;
}

/** Everything that Millrace knows of an engine. A folder below this one defines it, and one line in `index.ts` registers it. */
export interface Engine extends EngineNames {
  /** What messages call it. */
  readonly label: string;
  readonly defaultPort: number;
  readonly capabilities: Capabilities;
  readonly dialect: Dialect;
  /** How the SQL of a step is read … */
  readonly syntax: SqlSyntax;
  /** … and how its values are bound. */
  templateBinder(template: Template): TemplateBinder;
  readonly catalog: Catalog;
  /** Reads a page in a way of the engine's own, and returns the number of its rows. Absent where `compilePage` gives the best statement. */
  readPage?(plan: Authorized<SelectPlan>, connection: Connection, options: RunOptions, sink: RowSink): Promise<number>;
  /**
   * May a text that failed by itself have left something behind, because it names a table without transactions? Absent where there are no such
   * tables.
   */
  mayHaveSideEffects?(connection: Connection, text: string, options: RunOptions): Promise<boolean>;
  /** Asks the server whether it would take a statement, without running it; throws DbFailure where it would not. Absent where it cannot be asked. */
  checkStatement?(connection: Connection, bound: BoundStatement, options: RunOptions): Promise<void>;
  connect(entry: Entry, options: ConnectOptions): Promise<Connection>;
}

/**
 * What a statement that failed has left behind.
 *   unsent    nothing: the server never had the whole of it, or ended the session before it looked. The only failure after which it may be sent again
 *   nothing   the server had it, and says that it ended without effect
 *   unknown   it was sent, and nobody said how it ended
 */
export type StatementEffect = 'unsent' | 'nothing' | 'unknown';

/** How often that is done: when a server ends its sessions, several idle connections of a pool may be dead, and each is found out by itself. */
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
  /** Does it lie in how the statement is written, whatever the data are? */
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
      /** Without it: a server that gave a code has said how the statement ended. */
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

  /** What it is about: the server, names, data … */
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

  /** Where it happened, by whoever knows first: the address that was tried, else those of the entry. */
  at(entry: Entry, tried?: Pick<ConnectOptions, 'host' | 'address'>): this {
    this.#place ??= placeOf(entry, tried);
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

  /** What engines say about servers and rights is kept, without quoted parts. */
  loggable(): Readonly<Record<string, string>> {
    const { kind, code } = this;
    if (kindTraits(kind).words === undefined) return { kind, code };
    const { outage } = this;
    return { ...(outage === undefined ? {} : { outage }), kind, code, message: withoutQuotes(this.message) };
  }
}

/** For a socket that failed in a write: the end of the data has not left this machine. Otherwise nobody knows how far it came. */
export function effectOfSocketError(error: unknown): StatementEffect {
  return (error as { syscall?: unknown } | undefined)?.syscall === 'write' ? 'unsent' : 'unknown';
}

/** Waits for all of them, whatever becomes of each; then fails as the first that has failed. */
export async function allOver(work: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) if (result.status === 'rejected') throw result.reason;
}
