// Real engines for tests: their addresses, a private database, and a private engine that may be
// killed. A test fails if its engine is missing. Must not depend on the service.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import mysql from 'mysql2/promise';
import pg from 'pg';

export type EngineName = 'postgres' | 'mysql' | 'mariadb' | 'clickhouse';
export const ENGINE_NAMES: readonly EngineName[] = ['postgres', 'mysql', 'mariadb', 'clickhouse'];

export interface EngineAddress {
  readonly host: string;
  /** SQL port; for ClickHouse the HTTP port. */
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** ClickHouse's native protocol. */
  readonly nativePort?: number;
}

export type Row = Record<string, unknown>;

/** A private database on a shared engine. */
export interface TestDatabase {
  readonly engine: EngineName;
  readonly dbType: 'pg' | 'ms' | 'ma' | 'ch';
  readonly name: string;
  readonly address: EngineAddress;
  /** Runs a statement and returns its rows. ClickHouse accepts no parameters here. */
  run(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Entry that registers the database in a project; `changes` replaces fields. */
  entry(changes?: Partial<DatabaseEntry>): DatabaseEntry;
  /** Drops the database, also while connections are open. */
  drop(): Promise<void>;
}

/** A database entry in the request that creates a project. */
export interface DatabaseEntry {
  host_details: { host: string; port: string }[];
  username: string;
  password: string;
  db_name: string;
  db_type: string;
  connect_timeout_secs?: number;
  idle_timeout_secs?: number;
  timeout_secs?: number;
  max_open_connections?: number;
  max_idle_connections?: number;
  tls?: string;
  ca?: string;
  read_only?: boolean;
  alias?: string;
  spaces?: readonly string[];
  relations?: readonly RelationEntry[];
}

/** A relation that the database does not declare. */
interface RelationEntry {
  readonly table: string;
  readonly columns: readonly string[];
  readonly references: { readonly table: string; readonly columns: readonly string[] };
}

const VARIABLES: Record<EngineName, string> = {
  postgres: 'MILLRACE_TEST_PG_URL',
  mysql: 'MILLRACE_TEST_MYSQL_URL',
  mariadb: 'MILLRACE_TEST_MARIADB_URL',
  clickhouse: 'MILLRACE_TEST_CLICKHOUSE_URL',
};

const DB_TYPES = { postgres: 'pg', mysql: 'ms', mariadb: 'ma', clickhouse: 'ch' } as const;

type Variables = Readonly<Record<string, string | undefined>>;

/** Address of the engine that `npm test` or the developer provides. */
export function engineAddress(engine: EngineName, variables: Variables = process.env): EngineAddress {
  const variable = VARIABLES[engine];
  const text = variables[variable];
  if (!text) throw new Error(`${variable} is not set: run \`npm test\`, or first \`eval "$(node scripts/engines.mjs start)"\``);
  const url = new URL(text);
  const nativePort = engine === 'clickhouse' ? variables['MILLRACE_TEST_CLICKHOUSE_NATIVE_PORT'] : undefined;
  return {
    host: url.hostname,
    port: Number(url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    ...(nativePort && { nativePort: Number(nativePort) }),
  };
}

/** Creates an empty database with a unique name. */
export async function createDatabase(engine: EngineName, address: EngineAddress = engineAddress(engine)): Promise<TestDatabase> {
  const name = `test_${process.pid}_${randomBytes(5).toString('hex')}`;
  const { run, close, drop } = await OPENERS[engine](address, name);
  return {
    engine,
    dbType: DB_TYPES[engine],
    name,
    address,
    run,
    entry: (changes) => ({
      host_details: [{ host: address.host, port: String(address.nativePort ?? address.port) }],
      username: address.user,
      password: address.password,
      db_name: name,
      db_type: DB_TYPES[engine],
      // Proxies of tests read the traffic.
      tls: 'disable',
      ...changes,
    }),
    drop: async () => {
      await close();
      await drop();
    },
  };
}

interface Opened {
  run(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
  drop(): Promise<void>;
}

const OPENERS: Record<EngineName, (address: EngineAddress, name: string) => Promise<Opened>> = {
  postgres: openPostgres,
  mysql: openMysql,
  mariadb: openMysql,
  clickhouse: openClickhouse,
};

async function openPostgres(address: EngineAddress, name: string): Promise<Opened> {
  const once = async (sql: string): Promise<void> => {
    const client = new pg.Client({ ...address, database: 'postgres' });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await once(`CREATE DATABASE ${name}`);
  const pool = new pg.Pool({ ...address, database: name, max: 4 });
  // The engine may be killed under an idle connection; the next statement reports it.
  pool.on('error', () => {});
  return {
    run: async (sql, parameters) => {
      const result: pg.QueryResult<Row> | pg.QueryResult<Row>[] = await pool.query(sql, parameters && [...parameters]);
      // Several statements in one string return several results; the last one is used.
      return (Array.isArray(result) ? result.at(-1)?.rows : result.rows) ?? [];
    },
    close: () => pool.end(),
    drop: () => once(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function openMysql(address: EngineAddress, name: string): Promise<Opened> {
  const settings = {
    host: address.host,
    port: address.port,
    user: address.user,
    password: address.password,
    multipleStatements: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
  };
  const once = async (sql: string): Promise<void> => {
    const connection = await mysql.createConnection(settings);
    await connection.query(sql).finally(() => connection.end());
  };
  await once(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  const pool = mysql.createPool({ ...settings, database: name, connectionLimit: 4 });
  return {
    run: async (sql, parameters) => {
      const [result] = await pool.query(sql, parameters && [...parameters]);
      return Array.isArray(result) ? (result as Row[]) : [];
    },
    close: () => pool.end(),
    drop: () => once(`DROP DATABASE IF EXISTS ${name}`),
  };
}

async function openClickhouse(address: EngineAddress, name: string): Promise<Opened> {
  await queryClickhouse(address, 'default', `CREATE DATABASE ${name}`);
  return {
    run: (sql) => queryClickhouse(address, name, sql),
    close: async () => {},
    drop: async () => {
      await queryClickhouse(address, 'default', `DROP DATABASE IF EXISTS ${name} SYNC`);
    },
  };
}

async function queryClickhouse(address: EngineAddress, database: string, sql: string): Promise<Row[]> {
  const settings = new URLSearchParams({
    database,
    default_format: 'JSONEachRow',
    output_format_json_quote_64bit_integers: '1',
    wait_end_of_query: '1',
  });
  const response = await fetch(`http://${address.host}:${address.port}/?${settings}`, {
    method: 'POST',
    headers: { 'X-ClickHouse-User': address.user, 'X-ClickHouse-Key': address.password },
    body: sql,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text.trim());
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

/** A private engine that may be killed; it restarts on the same port with the same data. */
export interface PrivateEngine {
  readonly address: EngineAddress;
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL('../../scripts/engines.mjs', import.meta.url));

export async function startPrivateEngine(engine: EngineName): Promise<PrivateEngine> {
  const run = `private-${process.pid}-${randomBytes(4).toString('hex')}`;
  const command = async (name: string, ...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, name, ...args, '--run', run]);
    return stdout;
  };
  const start = (): Promise<string> => command('start', engine, '--owner', String(process.pid));
  const printed = [...(await start()).matchAll(/^export (\w+)='(.*)'$/gm)];
  return {
    address: engineAddress(engine, Object.fromEntries(printed.map(([, name, value]) => [name, value]))),
    kill: async () => void (await command('kill', engine)),
    restart: async () => void (await start()),
    stop: async () => void (await command('stop')),
  };
}
