// Many databases behind one service: a server with 100 databases, or with 205 in five projects
// each.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@clickhouse/client';
import mysql2 from 'mysql2/promise';
import pg from 'pg';
import { cachePath } from '../scripts/engines/cache.mjs';
import { clickhouse } from '../scripts/engines/clickhouse.mjs';
import { mariadb } from '../scripts/engines/mariadb.mjs';
import { mysql } from '../scripts/engines/mysql.mjs';
import { postgres } from '../scripts/engines/postgres.mjs';
import { end, freePorts, launch } from '../scripts/engines/processes.mjs';
import { anyOf, anyRequest, makeRequest } from './load.mjs';
import { startService, startYardstick } from './servers.mjs';
import { Administrator, databaseEntry, inParallel } from './tenants.mjs';

const PROJECTS = 5;
const FEW = 10;
const FEW_CONNECTIONS = 5;
const ROWS = 1000;
/**
 * Requests per database before measuring, for 1,000 and for fewer. PostgreSQL plans the first five
 * executions of each statement again.
 */
const FIRST = { pg: [6, 4], ms: [2, 2], ma: [2, 2], ch: [2, 2] };
/** Age at which the service refreshes a cached table. */
const LOOK_AGAIN_MS = 5100;
/** Sessions for 1,000 databases of both sides, and for the few databases beside them. */
const SESSIONS = 1000 * 2 + FEW * FEW_CONNECTIONS * 2 + 100;

const MYSQL_FLAGS = [`--max-connections=${SESSIONS}`];

/** Start of each engine with room for a session per pool of both sides. */
const SERVERS = {
  pg: {
    program: postgres,
    flags: ['-c', `max_connections=${SESSIONS}`, '-c', 'autovacuum=off'],
    signal: 'SIGINT',
    user: 'postgres',
    create: createOnPostgres,
  },
  ch: { program: clickhouse, flags: [], signal: 'SIGKILL', user: 'svc', password: 'secret', create: createOnClickhouse },
  ms: { program: mysql, flags: MYSQL_FLAGS, signal: 'SIGTERM', user: 'root', create: createOnMysql },
  ma: { program: mariadb, flags: MYSQL_FLAGS, signal: 'SIGTERM', user: 'root', create: createOnMysql },
};

async function startServer(type) {
  const { program, flags, signal, user, password = '' } = SERVERS[type];
  const folder = cachePath('runs', `bench-many-${process.pid}`);
  const prefix = await program.install(() => {});
  await program.prepare(prefix, folder);
  const free = await freePorts(program.ports.length);
  const ports = Object.fromEntries(program.ports.map((name, i) => [name, free[i]]));
  const command = await program.command(prefix, folder, ports);
  command.args.push(...flags);
  const pid = launch(command, `${folder}/log`);
  const stop = async () => {
    await end(pid, signal, 10_000);
    rmSync(folder, { recursive: true, force: true });
  };
  for (let attempt = 0; ; attempt++) {
    try {
      await program.probe(ports);
      break;
    } catch (error) {
      if (attempt > 400) {
        await stop();
        throw error;
      }
      await delay(50);
    }
  }
  const [port] = free;
  return { type, host: '127.0.0.1', port, entryPort: port, user, password, pid, stop };
}

async function query(address, database, ...statements) {
  const client = new pg.Client({ host: address.host, port: address.port, user: address.user, database });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function createOnPostgres(address, count) {
  await query(address, 'postgres', 'CREATE DATABASE tenant_0');
  await query(
    address,
    'tenant_0',
    'CREATE TABLE users (id int PRIMARY KEY, name varchar(100) NOT NULL, email varchar(100) NOT NULL, created_at timestamptz NOT NULL)',
    `INSERT INTO users SELECT i, 'Customer ' || i, 'user' || i || '@example.com', timestamptz '2024-01-01' + i * interval '61 seconds'
     FROM generate_series(1, ${ROWS}) AS i`,
    'ANALYZE users',
  );
  const statements = Array.from({ length: count }, (_, i) => `CREATE DATABASE tenant_${i + 1} TEMPLATE tenant_0 STRATEGY file_copy`);
  await query(address, 'postgres', ...statements);
}

async function createOnMysql({ host, port, user }, count) {
  const connection = await mysql2.createConnection({ host, port, user });
  const rows = Array.from({ length: ROWS }, (_, i) => [
    i + 1,
    `Customer ${i + 1}`,
    `user${i + 1}@example.com`,
    new Date(1704067200000 + i * 61_000),
  ]);
  for (let i = 1; i <= count; i++) {
    await connection.query(`CREATE DATABASE tenant_${i}`);
    await connection.query(
      `CREATE TABLE tenant_${i}.users (id int PRIMARY KEY, name varchar(100) NOT NULL, email varchar(100) NOT NULL, created_at datetime NOT NULL)`,
    );
    await connection.query(`INSERT INTO tenant_${i}.users VALUES ?`, [rows]);
  }
  await connection.end();
}

async function createOnClickhouse({ host, port, user, password }, count) {
  const client = createClient({ url: `http://${host}:${port}`, username: user, password });
  const columns = "(id Int32, name String, email String, created_at DateTime64(3, 'UTC'))";
  const rows =
    "SELECT number + 1, concat('Customer ', toString(number + 1)), concat('user', toString(number + 1), '@example.com'), " +
    `toDateTime64('2024-01-01 00:00:00', 3, 'UTC') + (number + 1) * 61 FROM numbers(${ROWS})`;
  for (let i = 1; i <= count; i++) {
    for (const query of [
      `CREATE DATABASE tenant_${i}`,
      `CREATE TABLE tenant_${i}.users ${columns} ENGINE = MergeTree ORDER BY id`,
      `INSERT INTO tenant_${i}.users ${rows}`,
    ])
      await client.command({ query });
  }
  await client.close();
}

/**
 * The server with its databases, a service, a yardstick and the projects, created once per engine.
 * `few` holds ten databases with pools of five; `projects` hold all of them with pools of one.
 */
async function setUp(engine, { thousand, quick, workers, prof }, say) {
  const { fixture } = engine;
  const { type } = fixture.address;
  const folder = join(engine.folder, 'tenants');
  const each = thousand ? (quick ? 20 : 200) : 100;
  const address = await startServer(type);
  engine.stops.push(address.stop);
  say(`  creating ${each} databases`);
  await SERVERS[type].create(address, each);
  const names = Array.from({ length: each }, (_, i) => `tenant_${i + 1}`);
  const service = await startService({ folder, workers, prof });
  engine.stops.push(async () => {
    await service.stop();
    rmSync(join(folder, 'data'), { recursive: true, force: true });
  });
  const administrator = new Administrator(service);
  const project = (chosen, connections) =>
    administrator.createProject(
      chosen.map((name) => databaseEntry(address, name, { max_open_connections: connections, max_idle_connections: connections })),
    );
  const few = await project(names.slice(0, FEW), FEW_CONNECTIONS);
  const projects = [];
  for (let i = 0; i < (thousand ? PROJECTS : 1); i++) projects.push(await project(names, 1));
  const yardstick = await startYardstick(type, address, 'tenant_1', folder);
  engine.stops.push(yardstick.stop);
  return { address, each, few, projects, service, yardstick, greet: firstRequests(administrator, type, names, say) };
}

/**
 * The first request opens a connection, and the next ones may be planned again. Neither is
 * measured, so these requests run first, at the interval of the table refresh. With few databases
 * the usual warm-up suffices.
 */
const firstRequests = (administrator, type, names, say) => async (projects, times) => {
  const first = projects.flatMap((project) =>
    names.map((name) => ({ project, path: `${project.auto(type, name, 'users')}?pg=0&ps=1&id=eq.1` })),
  );
  for (let i = 1; i <= times; i++) {
    say(`  first requests to all of them, ${i} of ${times}`);
    const started = performance.now();
    await inParallel(first, 16, ({ project, path }) => administrator.send('GET', path, project.headers));
    if (times > 1) await delay(Math.max(0, LOOK_AGAIN_MS - (performance.now() - started)));
  }
};

export async function prepareMany(engine, settings, say) {
  engine.tenants ??= await setUp(engine, settings, say);
}

/** Single rows from `count` databases in turn, against a handler with one pool per database. */
export const manyDatabases = (count) => async (engine, settings, say) => {
  const { type } = engine.fixture.address;
  const isThousand = count === 1000;
  await prepareMany(engine, settings, say);
  const { address, each, few, projects, service, yardstick, greet } = engine.tenants;
  const isFew = count === FEW;
  const [ofThousand, ofFewer] = FIRST[type];
  if (!isFew) await greet(isThousand ? projects : projects.slice(0, 1), settings.quick ? 1 : isThousand ? ofThousand : ofFewer);
  const most = isThousand ? each : Math.min(count, each);
  const own = isFew ? [few] : isThousand ? projects : projects.slice(0, 1);
  const database = `tenant_${anyOf(most)}`;
  const ours = (project) =>
    makeRequest({ path: `${project.auto(type, database, 'users')}?pg=0&ps=1&id=eq.${anyOf(ROWS)}`, headers: project.headers });
  const theirs = makeRequest({ path: `${isFew ? '/few' : '/tenant'}?database=${database}&tenant=${anyOf(own.length)}&id=${anyOf(ROWS)}` });
  const contestant = (label, server, request) => ({ label, server, database: address, rows: 1, request });
  return [contestant('yardstick', yardstick, theirs), contestant('millrace', service, anyRequest(own.map(ours)))];
};
