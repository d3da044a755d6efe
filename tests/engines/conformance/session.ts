// One engine as the differential tests use it: the service's layers from the parsed query down to
// the socket, without HTTP, and tables made from logical columns.
import { randomBytes } from 'node:crypto';
import { Auto, type Target } from '../../../src/auto/execute/executor.ts';
import { runPlan } from '../../../src/auto/execute/run.ts';
import { UNRESTRICTED } from '../../../src/auto/plan/access.ts';
import { planRequest } from '../../../src/auto/plan/plan.ts';
import { parseDelete, parseInsert, parsePatch, parseRead, parseReadRow, parseUpdate } from '../../../src/auto/request/parse-request.ts';
import type { AutoRequest } from '../../../src/auto/request/request.ts';
import type { AnswerSink, AutoResult } from '../../../src/auto/session.ts';
import type { Connection } from '../../../src/engines/contract/engine.ts';
import { ENGINES } from '../../../src/engines/index.ts';
import { Connections } from '../../../src/engines/pool/connections.ts';
import { HostPolicy } from '../../../src/engines/pool/hosts.ts';
import { CatalogCache } from '../../../src/engines/schema/catalog-cache.ts';
import { RelationCache } from '../../../src/engines/schema/relation-cache.ts';
import type { Cells, ResultColumn } from '../../../src/model/cells.ts';
import type { Entry } from '../../../src/model/entry.ts';
import { MemoryBudget } from '../../../src/util/bytes/memory-lease.ts';
import type { QueryParameter } from '../../../src/util/text/query.ts';
import { createDatabase, type EngineName, type TestDatabase } from '../../support/engines.ts';
import { ENUM_LABELS } from './logical-types.ts';
import type { LogicalColumn, LogicalRow } from './oracle.ts';

/** Collects rows as strings, bytes as hexadecimal. */
class TextSink implements AnswerSink {
  readonly rows: (string | null)[][] = [];
  #columns: readonly ResultColumn[] = [];

  header(): void {}

  start(columns: readonly ResultColumn[]): void {
    this.#columns = columns;
  }

  row(cells: Cells): void {
    this.rows.push(
      this.#columns.map(({ kind }, index) => {
        const from = cells.from[index] ?? -1;
        return from < 0 ? null : cells.bytes.toString(kind === 'bytes' ? 'hex' : 'utf8', from, cells.to[index]);
      }),
    );
  }
}

const MAX_PAGE = 10_000;

export class Session {
  readonly engine: EngineName;
  readonly database: TestDatabase;
  /** The connections of its requests, in their order. */
  readonly used: Connection[] = [];
  readonly #users = new Map<Connection, number>();
  /** How many were on it when each of them began, itself included. */
  readonly together: number[] = [];
  readonly #entry: Entry;
  readonly #connections: Connections;
  readonly #catalog: CatalogCache;
  readonly #auto: Auto;

  constructor(database: TestDatabase) {
    const { address, name, dbType } = database;
    this.engine = database.engine;
    this.database = database;
    this.#entry = {
      id: name,
      type: dbType,
      database: name,
      hosts: [{ host: address.host, port: address.nativePort ?? address.port }],
      username: address.user,
      password: address.password,
      tls: 'disable',
      connectTimeoutSecs: 10,
      idleTimeoutSecs: 60,
      maxOpenConnections: 4,
      maxIdleConnections: 4,
      queryTimeoutSecs: 30,
    };
    this.#connections = new Connections(ENGINES, new HostPolicy([]));
    this.#catalog = new CatalogCache(this.#connections);
    const relations = new RelationCache(this.#connections, this.#catalog);
    this.#auto = new Auto(this.#connections, this.#catalog, relations, new MemoryBudget(2 ** 28));
  }

  static async open(engine: EngineName): Promise<Session> {
    const database = await createDatabase(engine);
    if (engine === 'postgres') {
      const labels = ENUM_LABELS.map((label) => `'${label.replaceAll("'", "''")}'`);
      await database.run(`CREATE TYPE color AS ENUM (${labels})`);
    }
    return new Session(database);
  }

  /** Resets `used` and `together`. */
  forgetUse(): void {
    this.used.splice(0);
    this.together.splice(0);
  }

  /** Ends the connections; the database stays. */
  end(): void {
    this.#connections.close();
  }

  async close(): Promise<void> {
    this.end();
    await this.database.drop();
  }

  /**
   * Creates a table with a unique name and returns the name. With a key, `id` is the first column;
   * without a key it is the last one.
   */
  async createTable(columns: readonly LogicalColumn[], key: 'keyed' | 'keyless'): Promise<string> {
    const name = `t_${randomBytes(5).toString('hex')}`;
    await this.database.run(createStatement(this.engine, name, columns, key));
    return name;
  }

  async read(
    table: string,
    query: readonly QueryParameter[],
  ): Promise<{ readonly rows: (string | null)[][]; readonly cursor: string | undefined }> {
    const sink = new TextSink();
    const result = await this.#perform(table, parseRead(query, MAX_PAGE), sink);
    return { rows: sink.rows, cursor: result.cursor };
  }

  async ids(table: string, query: readonly QueryParameter[]): Promise<number[]> {
    const { rows } = await this.read(table, [
      { name: 'pg', value: '0' },
      { name: 'ps', value: '1000' },
      { name: '$select', value: 'id' },
      ...query,
    ]);
    return rows.map(([id]) => Number(id));
  }

  /** How old what is known of a table is, in milliseconds. */
  descriptionAge(table: string): number {
    return this.#catalog.age(this.#target(table));
  }

  /** A connection for as long as the work needs it. */
  async connected<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const pool = this.#connections.pool(this.#entry, 'auto');
    const connection = await pool.acquire({ signal: new AbortController().signal });
    try {
      return await work(connection);
    } finally {
      pool.release(connection);
    }
  }

  /** How many statements a read needs. */
  async statements(table: string, query: readonly QueryParameter[]): Promise<number> {
    let count = 0;
    const request = parseRead(query, MAX_PAGE);
    await this.#auto.execute(request, this.#target(table), new TextSink(), (found, session, rows) => {
      const { connection } = session;
      const counting: Pick<Connection, 'run' | 'runTogether'> = {
        run: (...given) => {
          count++;
          return connection.run(...given);
        },
        runTogether: async (runs, ...given) => {
          count += runs.length;
          await connection.runTogether?.(runs, ...given);
        },
      };
      const counted = new Proxy(connection, {
        get: (target, name) => {
          if (name in counting) return Reflect.get(counting, name);
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      return runPlan(planRequest(request, found, UNRESTRICTED, session), { ...session, connection: counted }, rows);
    });
    return count;
  }

  insert(table: string, columns: readonly LogicalColumn[], rows: readonly LogicalRow[]): Promise<number> {
    return rows.length === 0 ? Promise.resolve(0) : this.#write(table, parseInsert([], Buffer.from(bodyOf(columns, rows))));
  }

  /** The rows that a POST returns, including those returned before it failed. */
  async insertAndReturn(table: string, body: string): Promise<{ readonly rows: unknown[]; readonly failure: unknown }> {
    const sink = new TextSink();
    const request = parseInsert([{ name: '$return', value: 'rows' }], Buffer.from(body));
    const failure = await this.#perform(table, request, sink).then(
      () => undefined,
      (error: unknown) => error,
    );
    return { rows: sink.rows, failure };
  }

  update(table: string, query: readonly QueryParameter[]): Promise<number> {
    return this.#write(table, parseUpdate(query));
  }

  /** A JSON object for the rows that match, or an array of rows with their keys. */
  patch(table: string, query: readonly QueryParameter[], body: string): Promise<number> {
    return this.#write(table, parsePatch(query, Buffer.from(body)));
  }

  /** The row of a key, with the columns of the query's `$select`. */
  async row(table: string, key: string, query: readonly QueryParameter[]): Promise<readonly (string | null)[] | undefined> {
    const sink = new TextSink();
    await this.#perform(table, parseReadRow(query, { key, ifMatch: undefined, ifNoneMatch: undefined }, MAX_PAGE), sink);
    return sink.rows[0];
  }

  delete(table: string, query: readonly QueryParameter[]): Promise<number> {
    return this.#write(table, parseDelete(query));
  }

  async #write(table: string, request: AutoRequest): Promise<number> {
    return (await this.#perform(table, request, new TextSink())).rows;
  }

  #perform(table: string, request: AutoRequest, sink: AnswerSink): Promise<AutoResult> {
    return this.#auto.execute(request, this.#target(table), sink, (found, session, rows) => {
      const { connection } = session;
      this.used.push(connection);
      const users = (this.#users.get(connection) ?? 0) + 1;
      this.#users.set(connection, users);
      this.together.push(users);
      const leave = (): void => void this.#users.set(connection, (this.#users.get(connection) ?? 1) - 1);
      return runPlan(planRequest(request, found, UNRESTRICTED, session), session, rows).finally(leave);
    });
  }

  #target(table: string): Target {
    const meter = { subject: undefined, isKnown: false, rows: -1, databaseMs: 0 };
    const { signal } = new AbortController();
    return {
      entry: this.#entry,
      schema: undefined,
      table,
      requestId: 'test',
      signal,
      meter,
      access: UNRESTRICTED,
      readsOnly: false,
      countsDryRuns: false,
    };
  }
}

const QUOTES: Readonly<Record<EngineName, (name: string) => string>> = {
  postgres: (name) => `"${name.replaceAll('"', '""')}"`,
  mysql: (name) => `\`${name.replaceAll('`', '``')}\``,
  mariadb: (name) => `\`${name.replaceAll('`', '``')}\``,
  clickhouse: (name) => `\`${name.replace(/[\\`]/g, '\\$&')}\``,
};

export function createStatement(engine: EngineName, table: string, columns: readonly LogicalColumn[], key: 'keyed' | 'keyless'): string {
  const quote = QUOTES[engine];
  const ch = engine === 'clickhouse';
  const items = columns.flatMap(({ name, type, nullable }) => {
    const declared = type.declared[engine];
    if (declared === undefined) return [];
    if (ch) return [`${quote(name)} ${nullable ? `Nullable(${declared})` : declared}`];
    return [`${quote(name)} ${declared} ${nullable ? 'NULL' : 'NOT NULL'}`];
  });
  if (key === 'keyed') items.unshift(ch ? 'id Int32' : 'id int PRIMARY KEY');
  else items.push(ch ? 'id Int32' : 'id int NOT NULL');
  const storage = ch ? ` ENGINE = MergeTree ORDER BY ${key === 'keyed' ? 'id' : 'tuple()'}` : '';
  return `CREATE TABLE ${table} (${items.join(', ')})${storage}`;
}

export function bodyOf(columns: readonly LogicalColumn[], rows: readonly LogicalRow[]): string {
  const objects = rows.map(({ id, values }) => {
    const members = columns.map(({ name, type }, index) => {
      const value = values[index] ?? null;
      return `${JSON.stringify(name)}:${value === null ? 'null' : type.json(value)}`;
    });
    return `{${[`"id":${id}`, ...members].join(',')}}`;
  });
  return `[${objects.join(',')}]`;
}
