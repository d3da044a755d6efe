/**
 * A connection to a ClickHouse server: detects the protocol of the port, runs statements with
 * deadlines, and cancels abandoned queries. ClickHouse has no transactions, so begin, commit and
 * rollback do nothing.
 */
import { randomBytes } from 'node:crypto';
import type { ResultColumn, RowSink } from '../../model/cells.ts';
import type { Entry } from '../../model/entry.ts';
import type { Statement, StatementParam } from '../../sql/statement.ts';
import { StatementBackpressure } from '../contract/backpressure.ts';
import type { Connection, ConnectOptions, Destination, Outcome, RunOptions, StopSignal, Undone } from '../contract/engine.ts';
import { DbFailure } from '../contract/engine.ts';
import { TextRows } from '../contract/rows.ts';
import { unwatch, type Watched, watch } from '../driver-kit/watchdog.ts';
import { cancelled, lostFailure, noAnswer, timedOut } from './dialect/failures.ts';
import { Mutations } from './mutations.ts';
import { detectTransport, forgetTransport, openSocket, rememberedTransport, type Transport, untilDeadline } from './protocol/dial.ts';
import { HttpWire } from './protocol/http-wire.ts';
import { NativeWire } from './protocol/native-wire.ts';
import { RowReader } from './protocol/row-reader.ts';
import { knownSettings, SETTING_NAMES, type Settings, settingsAsOne } from './protocol/settings.ts';
import type { Summary, Wire, WireParam } from './protocol/wire.ts';
import type { ClickhouseStatement } from './statement.ts';
import { tableQueueOf } from './table-queue.ts';
import { type Block, releaseBlock } from './types/block.ts';
import { literalText, paramText } from './types/params.ts';
import { batcherOf } from './write-batcher.ts';

/** The server's own limit comes first; ours ends what the server does not. */
const GRACE_MS = 500;
const KILL_TIMEOUT_MS = 5_000;

const process8 = randomBytes(6).toString('hex');
let statementCount = 0;

function nextQueryId(): string {
  statementCount += 1;
  return `millrace-${process8}-${statementCount.toString(36)}`;
}

export async function connect(entry: Entry, options: ConnectOptions): Promise<Connection> {
  const ends = performance.now() + options.timeoutMs;
  const remembered = rememberedTransport(entry, options);
  if (remembered === undefined) {
    const transport = await detectTransport(entry, options);
    return open(entry, untilDeadline(options, ends), transport);
  }
  try {
    return await open(entry, options, remembered);
  } catch (error) {
    if (!maySpeakAnother(error) || error.code === 'ECONNREFUSED') throw error;
    // A different server may listen there now, with a different protocol. Only its settings were
    // requested so far.
    const transport = await detectTransport(entry, untilDeadline(options, ends));
    return open(entry, untilDeadline(options, ends), transport);
  }
}

/** If the connection fails, the protocol is detected again at the next attempt. */
async function open(entry: Entry, options: ConnectOptions, transport: Transport): Promise<Connection> {
  const ends = performance.now() + options.timeoutMs;
  try {
    const wire = await openWire(entry, options, transport);
    const { signal, ...at } = untilDeadline(options, ends);
    return await ClickhouseConnection.open(wire, { entry, at, transport }, signal);
  } catch (error) {
    if (maySpeakAnother(error)) forgetTransport(entry, options);
    throw error;
  }
}

function maySpeakAnother(error: unknown): error is DbFailure {
  return error instanceof DbFailure && (error.kind === 'lost' || error.kind === 'malformed' || error.kind === 'unreachable');
}

async function openWire(entry: Entry, options: ConnectOptions, transport: Transport): Promise<Wire> {
  const ends = performance.now() + options.timeoutMs;
  const socket = await openSocket(entry, options, transport.tls ? 'tls' : 'plain');
  if (transport.protocol === 'http') return new HttpWire(socket, entry, options);
  return NativeWire.open(socket, entry, untilDeadline(options, ends));
}

/** How the connection came about: what a second one, to stop a query, needs. */
interface Origin {
  readonly entry: Entry;
  readonly at: Destination;
  readonly transport: Transport;
}

const NOTHING_RUNS = (): void => undefined;

class ClickhouseConnection implements Connection, Watched {
  readonly #wire: Wire;
  readonly #origin: Origin;
  #settings: Settings = [];
  /** For inserts of several callers. */
  #settingsAsOne: Settings = [];
  maxConcurrentStatements = MIN_CONCURRENT;
  #busy = false;
  readonly #mutations: Mutations;
  /** Ends what runs now. */
  #expire = NOTHING_RUNS;
  deadline = Number.POSITIVE_INFINITY;

  private constructor(wire: Wire, origin: Origin) {
    this.#wire = wire;
    this.#origin = origin;
    this.#mutations = new Mutations({
      queue: tableQueueOf(origin.entry),
      tag: nextQueryId,
      execute: (text, bound, options, columns, sink) => this.#execute({ text, bound, columns, blocks: undefined }, options, sink),
    });
    watch(this);
    wire.onClosed(() => unwatch(this));
  }

  expire(): void {
    this.#expire();
  }

  /** Logs in and reads the server's settings and its number of threads per statement. */
  static async open(wire: Wire, origin: Origin, signal: StopSignal | undefined): Promise<ClickhouseConnection> {
    const connection = new ClickhouseConnection(wire, origin);
    try {
      await connection.#readSettings(signal);
    } catch (error) {
      wire.destroy();
      throw error instanceof DbFailure && error.kind === 'timeout' ? noAnswer(error) : error;
    }
    return connection;
  }

  get usable(): boolean {
    return this.#wire.usable && !this.#busy;
  }

  onClosed(listener: () => void): void {
    this.#wire.onClosed(listener);
  }

  close(): void {
    this.#wire.destroy();
  }

  async begin(): Promise<void> {}

  async commit(): Promise<void> {}

  async rollback(): Promise<Undone> {
    return 'some';
  }

  /** Every statement carries its own settings, so a session has no state. */
  async reset(): Promise<boolean> {
    return this.usable;
  }

  /** Inserts the rows of several callers as one block. */
  async #insertAll(text: string, blocks: readonly Block[], options: RunOptions): Promise<void> {
    try {
      const settings = blocks.length > 1 ? this.#settingsAsOne : this.#settings;
      await this.#execute({ text, bound: [], columns: undefined, blocks, settings }, options);
    } catch (error) {
      // The server may not have read all of them, and closes the connection when it sees the rest.
      if (blocks.length > 1) this.#wire.destroy();
      throw error;
    }
  }

  async run(statement: ClickhouseStatement, params: readonly StatementParam[], options: RunOptions, sink?: RowSink): Promise<Outcome> {
    if (options.signal?.aborted === true) throw cancelled();
    const bound = statement.types.map((type, index): WireParam => {
      return { name: `p${index + 1}`, text: paramText(type, params[index] ?? null) };
    });
    const { counted, block } = statement;
    if (block !== undefined && statement.isBatchable === true) {
      const insert = (blocks: readonly Block[], by: RunOptions): Promise<void> => this.#insertAll(statement.text, blocks, by);
      await batcherOf(this.#origin.entry).insert({ text: statement.text, block, options, insert });
      return { rows: block.rows, selected: false };
    }
    if (counted !== undefined) return this.#mutations.run({ statement, bound, options });
    const planned = statement.columns === undefined ? undefined : statement;
    const blocks = block === undefined ? undefined : [block];
    const request = { text: statement.text, bound, columns: statement.columns, planned, blocks };
    const { summary, rows } = await this.#execute(request, options, sink);
    if (block !== undefined) {
      releaseBlock(block);
      return { rows: block.rows, selected: false };
    }
    return { rows: summary.selected ? rows : summary.written, selected: summary.selected };
  }

  async #readSettings(signal: StopSignal | undefined): Promise<void> {
    const { timeoutMs } = this.#origin.at;
    const names = [...SETTING_NAMES, THREADS].map(literalText).join(', ');
    const sink = new TextRows();
    const request = {
      text: `SELECT name, value FROM system.settings WHERE name IN (${names})`,
      bound: [],
      columns: SETTING_COLUMNS,
      blocks: undefined,
    };
    await this.#execute(request, { timeoutMs, signal }, sink);
    const known = new Map(sink.rows.map(([name, value]) => [name ?? '', value ?? '']));
    this.#settings = knownSettings(new Set(known.keys()), this.#origin.entry);
    this.#settingsAsOne = settingsAsOne(this.#settings);
    this.maxConcurrentStatements = Math.max(MIN_CONCURRENT, CONCURRENT_PER_THREAD * threadsOf(known.get(THREADS) ?? ''));
  }

  /** One request to the server, aborted at the deadline or by the signal. */
  async #execute(request: Request, options: RunOptions, sink?: RowSink): Promise<{ readonly summary: Summary; readonly rows: number }> {
    if (!this.usable) throw lostFailure(undefined, 'unsent');
    if (options.signal?.aborted === true) throw cancelled();
    const wire = this.#wire;
    const flow = new StatementBackpressure(wire);
    const reader = new RowReader(sink, flow);
    const queryId = nextQueryId();
    let ended: DbFailure | undefined;
    const end = (failure: DbFailure): void => {
      ended = failure;
      wire.destroy();
      void this.#kill(queryId);
    };
    const abort = (): void => end(cancelled());
    options.signal?.addEventListener('abort', abort, { once: true });
    this.#expire = () => end(timedOut(options.timeoutMs));
    this.deadline = performance.now() + options.timeoutMs + GRACE_MS;
    this.#busy = true;
    try {
      const { text, bound, columns, planned, blocks, settings = this.#settings } = request;
      const maxSeconds = seconds(options.timeoutMs);
      const sent = { text, queryId, params: bound, settings, maxSeconds, reader, columns, planned, blocks };
      const summary = await wire.execute(sent);
      return { summary, rows: reader.rows };
    } catch (error) {
      throw ended ?? error;
    } finally {
      this.#busy = false;
      flow.end();
      this.#expire = NOTHING_RUNS;
      this.deadline = Number.POSITIVE_INFINITY;
      options.signal?.removeEventListener('abort', abort);
    }
  }

  /** The native protocol stops a query when its socket closes; HTTP requires another request. */
  async #kill(queryId: string): Promise<void> {
    const { entry, at, transport } = this.#origin;
    if (transport.protocol === 'native') return;
    try {
      const wire = await openWire(entry, { ...at, timeoutMs: KILL_TIMEOUT_MS }, transport);
      const timer = setTimeout(() => wire.destroy(), KILL_TIMEOUT_MS);
      const reader = new RowReader(undefined, wire);
      const text = `KILL QUERY WHERE query_id = ${literalText(queryId)} ASYNC`;
      await wire
        .execute({
          text,
          queryId: `${queryId}-kill`,
          params: [],
          settings: [],
          maxSeconds: undefined,
          reader,
          columns: undefined,
          blocks: undefined,
        })
        .finally(() => {
          clearTimeout(timer);
          wire.destroy();
        });
    } catch {
      // The server's own time limit remains.
    }
  }
}

interface Request {
  readonly text: string;
  readonly bound: readonly WireParam[];
  readonly columns: readonly ResultColumn[] | undefined;
  readonly planned?: Statement | undefined;
  readonly blocks: readonly Block[] | undefined;
  /** The default is the connection's settings. */
  readonly settings?: Settings;
}

const SETTING_COLUMNS: readonly ResultColumn[] = [
  { name: 'name', kind: 'text' },
  { name: 'value', kind: 'text' },
];

/** Threads per statement: the number of cores, unless the server is configured otherwise. */
const THREADS = 'max_threads';
/**
 * With more concurrent statements than this, throughput falls and the slowest take several times as
 * long.
 */
const CONCURRENT_PER_THREAD = 4;
const MIN_CONCURRENT = 8;

/** Parses `auto(16)` or a number. */
function threadsOf(text: string): number {
  return Number(/\d{1,4}/.exec(text)?.[0] ?? 1);
}

function seconds(timeoutMs: number): string {
  return String(Math.max(0.001, timeoutMs / 1000));
}
