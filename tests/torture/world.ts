// The system under torture: two instances on one PostgreSQL store, a tenant on each engine behind a
// breakable network, one on an engine that can be killed, and one without any faults.
import { randomBytes } from 'node:crypto';
import { Bench } from '../custom/definitions.ts';
import {
  createDatabase,
  type EngineAddress,
  type EngineName,
  type PrivateEngine,
  startPrivateEngine,
  type TestDatabase,
} from '../support/engines.ts';
import { FaultProxy } from '../support/proxy.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';
import { Client } from './client.ts';
import { History } from './history.ts';

/** Rows of the table that is streamed. */
export const BIG_ROWS = 3_000;
export const STALE_SECS = 4;

export interface Tenant {
  readonly name: string;
  readonly engine: EngineName;
  /** In every row of this tenant, and in nothing of any other. */
  readonly marker: string;
  readonly database: TestDatabase;
  /**
   * Proxies in front of its database, in the order of the hosts; none for the tenant without
   * faults.
   */
  readonly proxies: readonly FaultProxy[];
  readonly project: TestProject;
  readonly bench: Bench;
  readonly client: Client;
  readonly rows: History;
  readonly ledger: History;
  autoPath(table: string): string;
  callPath(uri: string): string;
}

export interface World {
  readonly main: Service;
  /** The same records, reached by another way: what it answers must hold at `main` too. */
  readonly other: Service;
  readonly storeProxy: FaultProxy;
  readonly noisy: readonly Tenant[];
  readonly calm: Tenant;
  readonly crash: { readonly tenant: Tenant; readonly server: PrivateEngine };
  readonly otherClient: Client;
  close(): Promise<void>;
}

const TABLES: Readonly<Record<EngineName, (marker: string) => readonly string[]>> = {
  postgres: (marker) => [
    'CREATE TABLE rows_ (id bigint PRIMARY KEY, batch varchar(60) NOT NULL, tenant varchar(60) NOT NULL, note varchar(200))',
    'CREATE TABLE ledger (batch varchar(60) NOT NULL, n int NOT NULL, tenant varchar(60) NOT NULL)',
    'CREATE TABLE big (id int PRIMARY KEY, tenant varchar(60), pad varchar(200))',
    `INSERT INTO big SELECT n, '${marker}', repeat('x', 100) FROM generate_series(1, ${BIG_ROWS}) n`,
    'CREATE TABLE shape (id int PRIMARY KEY, v int)',
    'INSERT INTO shape VALUES (1, 1), (2, 2), (3, 3)',
  ],
  mysql: mysqlTables,
  mariadb: mysqlTables,
  clickhouse: (marker) => [
    'CREATE TABLE rows_ (id Int64, batch String, tenant String, note Nullable(String)) ENGINE = MergeTree ORDER BY id',
    'CREATE TABLE ledger (batch String, n Int32, tenant String) ENGINE = MergeTree ORDER BY batch',
    'CREATE TABLE big (id Int32, tenant String, pad String) ENGINE = MergeTree ORDER BY id',
    `INSERT INTO big SELECT number + 1, '${marker}', repeat('x', 100) FROM numbers(${BIG_ROWS})`,
    'CREATE TABLE shape (id Int32, v Int32) ENGINE = MergeTree ORDER BY id',
    'INSERT INTO shape VALUES (1, 1), (2, 2), (3, 3)',
  ],
};

function mysqlTables(marker: string): readonly string[] {
  const pads = Array.from({ length: BIG_ROWS }, (_, i) => `(${i + 1}, '${marker}', '${'x'.repeat(100)}')`);
  return [
    'CREATE TABLE rows_ (id bigint PRIMARY KEY, batch varchar(60) NOT NULL, tenant varchar(60) NOT NULL, note varchar(200))',
    'CREATE TABLE ledger (batch varchar(60) NOT NULL, n int NOT NULL, tenant varchar(60) NOT NULL)',
    'CREATE TABLE big (id int PRIMARY KEY, tenant varchar(60), pad varchar(200))',
    `INSERT INTO big VALUES ${pads.join(', ')}`,
    'CREATE TABLE shape (id int PRIMARY KEY, v int)',
    'INSERT INTO shape VALUES (1, 1), (2, 2), (3, 3)',
  ];
}

const NAPS: Readonly<Record<EngineName, string>> = {
  postgres: 'SELECT pg_sleep(0.4)::text AS slept',
  mysql: 'SELECT sleep(0.4) AS slept',
  mariadb: 'SELECT sleep(0.4) AS slept',
  clickhouse: 'SELECT sleep(0.4) AS slept',
};

/** Two rows in two statements, or in one statement (one block) on engines without transactions. */
function writingSteps(engine: EngineName, marker: string): readonly object[] {
  const insert = (values: string): object => ({ sql: `INSERT INTO ledger (batch, n, tenant) VALUES ${values}` });
  if (engine === 'clickhouse') return [insert(`(?:batch, 0, '${marker}'), (?:batch, 1, '${marker}')`)];
  return [insert(`(?:batch, 0, '${marker}')`), insert(`(?:batch, 1, '${marker}')`)];
}

async function deployAll(bench: Bench, engine: EngineName, marker: string): Promise<void> {
  const done = { expr: 'done', code: '{"batch": input.batch}' };
  const trap = { lark: 'trap', omit: true, code: 'result = 1 + "a" if input.get("fail") == "yes" else 0' };
  const [first, ...rest] = writingSteps(engine, marker);
  await bench.deploy({
    uri: 'echo',
    logic: [
      { sql: "SELECT tenant, '?:nonce' AS nonce FROM big WHERE id = 1" },
      { lark: 'm', code: 'result = [{"tenant": r["tenant"], "nonce": r["nonce"]} for r in step_0]' },
      { expr: 'e', code: 'map(step_1, {{"tenant": .tenant, "nonce": .nonce, "n": len(step_0)}})' },
    ],
  });
  await bench.deploy({ uri: 'write', method: 'post', logic: [...writingSteps(engine, marker), done] });
  // The second version fails after its first write on request; its write is rolled back and the
  // first version responds.
  if (engine !== 'clickhouse')
    await bench.deploy({
      uri: 'write',
      method: 'post',
      version: '2.0.0',
      logic: [first ?? done, trap, ...rest, done],
      config: { rollback_version: '1.0.0' },
    });
  await bench.deploy({ uri: 'nap', logic: [{ sql: NAPS[engine] }] });
  await bench.deploy({ uri: 'loop', logic: [{ lark: 'l', code: 'def f():\n  for i in range(1000000000):\n    pass\nf()\nresult = 1' }] });
  await bench.deploy({ uri: 'hoard', logic: [{ lark: 'l', code: 'result = len([[x] * 1000 for x in range(100000000)])' }] });
  await bench.deploy({ uri: 'swallow', method: 'post', logic: [{ expr: 'l', code: '{"items": len(input.items)}' }] });
}

interface TenantPlan {
  readonly name: string;
  readonly engine: EngineName;
  readonly address?: EngineAddress;
  readonly proxies: number;
}

/** Cleans up in reverse order, also after a failed start. */
type Closers = (() => Promise<unknown>)[];

async function makeTenant(main: Service, { name, engine, address, proxies: count }: TenantPlan, closers: Closers): Promise<Tenant> {
  const marker = `tenant-${name}-${randomBytes(4).toString('hex')}`;
  const database = await createDatabase(engine, ...(address === undefined ? [] : [address]));
  closers.push(() => database.drop());
  // Test engines acknowledge commits before they are on disk. Where one is killed, that would look
  // like a loss of ours.
  if (address !== undefined) await database.run(`ALTER DATABASE ${database.name} SET synchronous_commit = on`);
  for (const statement of TABLES[engine](marker)) await database.run(statement);
  const { host, port, nativePort } = database.address;
  const proxies = await Promise.all(Array.from({ length: count }, () => FaultProxy.start({ host, port: nativePort ?? port })));
  closers.push(() => Promise.all(proxies.map((proxy) => proxy.stop())));
  const hosts = proxies.map((proxy) => ({ host: proxy.host, port: String(proxy.port) }));
  const limits = { connect_timeout_secs: 3, timeout_secs: 5, max_open_connections: 8, max_idle_connections: 4 };
  const project = await setUpProject(main, [{ ...database.entry(hosts.length > 0 ? { host_details: hosts } : {}), ...limits }]);
  const bench = new Bench(main, project, database);
  await deployAll(bench, engine, marker);
  const client = new Client(main);
  closers.push(async () => client.close());
  return {
    name,
    engine,
    marker,
    database,
    proxies,
    project,
    bench,
    client,
    rows: new History(),
    ledger: new History(),
    autoPath: (table) => project.autoPath(database.dbType, database.name, table),
    callPath: (uri) => bench.path(uri),
  };
}

export async function makeWorld(engines: readonly EngineName[]): Promise<World> {
  const closers: Closers = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer().catch(() => undefined);
  };
  try {
    return await makeParts(engines, closers, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function makeParts(engines: readonly EngineName[], closers: Closers, close: () => Promise<void>): Promise<World> {
  const store = await createDatabase('postgres');
  closers.push(() => store.drop());
  const server = await startPrivateEngine('postgres');
  closers.push(() => server.stop());
  const storeProxy = await FaultProxy.start(store.address);
  closers.push(() => storeProxy.stop());
  const { user, password, host } = store.address;
  const storeUrl = (port: number): string =>
    `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port}/${store.name}`;
  const env = { MILLRACE_STALE_SECS: String(STALE_SECS) };
  const main = await startService({ env: { ...env, MILLRACE_STORE_URL: storeUrl(storeProxy.port) } });
  closers.push(() => main.stop());
  const keys = { MILLRACE_SERVER_KEY: main.serverKey, MILLRACE_ENCRYPTION_KEY: main.encryptionKey };
  const other = await startService({ env: { ...env, ...keys, MILLRACE_STORE_URL: storeUrl(store.address.port) } });
  closers.push(() => other.stop());
  const noisy: Tenant[] = [];
  // MySQL's tenant has two ways to its database.
  for (const engine of engines) noisy.push(await makeTenant(main, { name: engine, engine, proxies: engine === 'mysql' ? 2 : 1 }, closers));
  const tenant = await makeTenant(main, { name: 'crash', engine: 'postgres', address: server.address, proxies: 1 }, closers);
  const calm = await makeTenant(main, { name: 'calm', engine: 'postgres', proxies: 0 }, closers);
  const otherClient = new Client(other);
  closers.push(async () => otherClient.close());
  return { main, other, storeProxy, noisy, calm, crash: { tenant, server }, otherClient, close };
}
