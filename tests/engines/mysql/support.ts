/**
 * The two servers under test, whose addresses are in the environment, and helpers around a
 * connection.
 */

import { createConnection } from 'mysql2/promise';
import type { Connection, Engine, Outcome } from '../../../src/engines/contract/engine.ts';
import { mariadbEngine } from '../../../src/engines/mariadb/index.ts';
import { mysqlEngine } from '../../../src/engines/mysql/index.ts';
import type { ResultColumn, RowSink } from '../../../src/model/cells.ts';
import type { Entry } from '../../../src/model/entry.ts';
import type { Table } from '../../../src/model/table.ts';
import type { ParamType, Statement, StatementParam } from '../../../src/sql/statement.ts';

export interface Server {
  readonly engine: Engine;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

function server(engine: Engine, variable: string): Server {
  const text = process.env[variable];
  if (text === undefined)
    throw new Error(`${variable} is not set: give the URL of a ${engine.label} server, such as mysql://root@127.0.0.1:3306/`);
  const url = new URL(text);
  return {
    engine,
    host: url.hostname,
    port: Number(url.port || '3306'),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
}

export const SERVERS: readonly (readonly [string, Server])[] = [
  ['MySQL', server(mysqlEngine, 'MILLRACE_TEST_MYSQL_URL')],
  ['MariaDB', server(mariadbEngine, 'MILLRACE_TEST_MARIADB_URL')],
];

export function entryOf(at: Server, database: string, changes: Partial<Entry> = {}): Entry {
  return {
    id: `${at.engine.type}-${database}`,
    type: at.engine.type,
    database,
    hosts: [{ host: at.host, port: at.port }],
    username: at.username,
    password: at.password,
    tls: 'prefer',
    connectTimeoutSecs: 5,
    idleTimeoutSecs: 60,
    maxOpenConnections: 10,
    maxIdleConnections: 2,
    queryTimeoutSecs: 30,
    ...changes,
  };
}

export function connect(at: Server, database: string, changes: Partial<Entry> = {}, port = at.port): Promise<Connection> {
  const host = { host: at.host, port };
  return at.engine.connect(entryOf(at, database, changes), { host, address: at.host, timeoutMs: 5000 });
}

export const OPTIONS = { timeoutMs: 30_000 } as const;

export interface Result extends Outcome {
  readonly columns: readonly ResultColumn[];
  readonly values: readonly (readonly (string | null)[])[];
}

/** Collects rows as strings; bytes as hexadecimal. */
export class Collector implements RowSink {
  columns: readonly ResultColumn[] = [];
  readonly values: (readonly (string | null)[])[] = [];

  start(columns: readonly ResultColumn[]): void {
    this.columns = columns;
  }

  row(cells: Parameters<RowSink['row']>[0]): void {
    this.values.push(
      this.columns.map((column, i) => {
        const from = cells.from[i] ?? -1;
        if (from < 0) return null;
        return cells.bytes.toString(column.kind === 'bytes' ? 'hex' : 'utf8', from, cells.to[i]);
      }),
    );
  }
}

export async function collect(connection: Connection, statement: Statement, params: readonly StatementParam[] = []): Promise<Result> {
  const sink = new Collector();
  const outcome = await connection.run(statement, params, OPTIONS, sink);
  return { ...outcome, columns: sink.columns, values: sink.values };
}

export function sql(
  connection: Connection,
  text: string,
  types: readonly ParamType[] = [],
  params: readonly StatementParam[] = [],
): Promise<Result> {
  return collect(connection, { text, types }, params);
}

/** Runs statements that cannot be prepared (procedures, databases) over a separate driver. */
export async function admin(at: Server, database: string, text: string): Promise<void> {
  const other = await createConnection({ host: at.host, port: at.port, user: at.username, password: at.password, database });
  try {
    await other.query(text);
  } finally {
    await other.end();
  }
}

/** Creates a database for one test file. */
export async function freshDatabase(at: Server, name: string): Promise<Connection> {
  const first = await connect(at, '');
  await sql(first, `DROP DATABASE IF EXISTS ${name}`);
  await sql(first, `CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  first.close();
  return connect(at, name);
}

export async function describe(at: Server, connection: Connection, table: string): Promise<Table> {
  const found = await at.engine.catalog.describe(connection, { schema: undefined, table }, OPTIONS);
  if (found === undefined) throw new Error(`no table ${table}`);
  return found;
}
