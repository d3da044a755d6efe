/**
 * Connects the ClickHouse tests to their engine, runs statements and collects rows. Every test
 * fails if the engine's address is not configured.
 */

import { clickhouseEngine } from '../../../src/engines/clickhouse/index.ts';
import type { Connection, ConnectOptions, DbFailure, Outcome, RunOptions } from '../../../src/engines/contract/engine.ts';
import type { Backpressure, Cells, ResultColumn, RowSink } from '../../../src/model/cells.ts';
import type { Entry } from '../../../src/model/entry.ts';
import type { BoundStatement } from '../../../src/sql/dialect.ts';
import type { Statement, StatementParam } from '../../../src/sql/statement.ts';

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} must name a running ClickHouse server for these tests`);
  return value;
}

export const server = new URL(setting('MILLRACE_TEST_CLICKHOUSE_URL'));
export const httpPort = Number(server.port);
export const nativePort = Number(setting('MILLRACE_TEST_CLICKHOUSE_NATIVE_PORT'));

/** The tests run over both ports. */
export const PORTS = [
  ['http', httpPort],
  ['native', nativePort],
] as const;

export const RUN: RunOptions = { timeoutMs: 20_000 };

export function entryFor(database: string, changes: Partial<Entry> = {}): Entry {
  return {
    id: 'test',
    type: 'ch',
    database,
    hosts: [{ host: server.hostname, port: httpPort }],
    username: decodeURIComponent(server.username),
    password: decodeURIComponent(server.password),
    tls: 'disable',
    connectTimeoutSecs: 5,
    idleTimeoutSecs: 60,
    maxOpenConnections: 5,
    maxIdleConnections: 5,
    queryTimeoutSecs: 20,
    ...changes,
  };
}

export function dialling(port: number, changes: Partial<ConnectOptions> = {}): ConnectOptions {
  return { host: { host: server.hostname, port }, address: server.hostname, timeoutMs: 5_000, ...changes };
}

export function open(port: number, database = 'default', changes: Partial<Entry> = {}): Promise<Connection> {
  return clickhouseEngine.connect(entryFor(database, changes), dialling(port));
}

/** Creates an empty database for a test file. */
export async function freshDatabase(name: string): Promise<Connection> {
  const connection = await open(httpPort);
  await command(connection, `DROP DATABASE IF EXISTS ${name}`);
  await command(connection, `CREATE DATABASE ${name}`);
  connection.close();
  return open(httpPort, name);
}

/** Collects rows as strings; NULL is null. */
export class Kept implements RowSink {
  columns: readonly ResultColumn[] = [];
  readonly rows: (string | null)[][] = [];
  starts = 0;

  start(columns: readonly ResultColumn[], _flow: Backpressure): void {
    this.columns = columns;
    this.starts += 1;
  }

  row(cells: Cells): void {
    this.rows.push(Array.from(cells.from, (from, i) => (from < 0 ? null : cells.bytes.toString('utf8', from, cells.to[i]))));
  }
}

export function command(connection: Connection, text: string, options: RunOptions = RUN): Promise<Outcome> {
  return connection.run({ text, types: [] }, [], options);
}

export async function rowsOf(connection: Connection, statement: Statement | string, params: readonly StatementParam[] = []): Promise<Kept> {
  const kept = new Kept();
  await connection.run(typeof statement === 'string' ? { text: statement, types: [] } : statement, params, RUN, kept);
  return kept;
}

export async function runAll(connection: Connection, ready: readonly BoundStatement[]): Promise<number> {
  let rows = 0;
  for (const { statement, params } of ready) rows += (await connection.run(statement, params, RUN)).rows;
  return rows;
}

export async function tableOf(connection: Connection, table: string) {
  const found = await clickhouseEngine.catalog.describe(connection, { schema: undefined, table }, RUN);
  if (found === undefined) throw new Error(`no table ${table}`);
  return found;
}

/** Returns the failure of a promise. A success fails the test. */
export async function failureOf(promise: Promise<unknown>): Promise<DbFailure> {
  try {
    await promise;
  } catch (error) {
    return error as DbFailure;
  }
  throw new Error('a failure was expected');
}
