// A thousand databases for one service: a PostgreSQL of its own that allows so many sessions, two hundred databases in it, and five projects
// that register each of them. Knows how to make them and what to ask; the contest is run elsewhere.
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { cachePath } from '../scripts/engines/cache.mjs';
import { postgres } from '../scripts/engines/postgres.mjs';
import { end, freePorts, launch } from '../scripts/engines/processes.mjs';
import { anyOf, anyRequest, makeRequest } from './load.mjs';
import { startYardstick } from './servers.mjs';
import { databaseEntry, inParallel } from './tenants.mjs';

const PROJECTS = 5;
const FEW = 10;
const ROWS = 1000;
const SESSIONS = 1000 * 2 + 100;

/** A server that allows a session for each pool of both the service and the yardstick. */
async function startServer() {
  const folder = cachePath('runs', `bench-many-${process.pid}`);
  const program = await postgres.install();
  await postgres.prepare(program, folder);
  const [sql] = await freePorts(1);
  const command = await postgres.command(program, folder, { sql });
  command.args.push('-c', `max_connections=${SESSIONS}`, '-c', 'autovacuum=off');
  const pid = launch(command, `${folder}/log`);
  const stop = async () => {
    await end(pid, 'SIGINT', 5000);
    rmSync(folder, { recursive: true, force: true });
  };
  for (let attempt = 0; ; attempt++) {
    try {
      await postgres.probe({ sql });
      break;
    } catch (error) {
      if (attempt > 200) {
        await stop();
        throw error;
      }
      await delay(50);
    }
  }
  return { type: 'pg', host: '127.0.0.1', port: sql, entryPort: sql, user: 'postgres', password: '', pid, stop };
}

async function query(address, database, ...statements) {
  const client = new pg.Client({ host: address.host, port: address.port, user: address.user, database });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function createDatabases(address, count) {
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

export async function manyDatabases(engine, { quick }, say) {
  const { service, administrator, folder } = engine;
  const each = quick ? 20 : 200;
  const address = await startServer();
  engine.later(address.stop);
  say(`  creating ${each} databases`);
  await createDatabases(address, each);
  const names = Array.from({ length: each }, (_, i) => `tenant_${i + 1}`);
  const small = await administrator.createProject(names.slice(0, FEW).map((name) => databaseEntry(address, name)));
  const entries = names.map((name) => databaseEntry(address, name, { max_open_connections: 1, max_idle_connections: 1 }));
  const projects = [];
  for (let i = 0; i < PROJECTS; i++) projects.push(await administrator.createProject(entries));
  const yardstick = await startYardstick('pg', address, 'tenant_1', folder);
  engine.later(yardstick.stop);

  // The first request to each opens its connection, which is not what is compared.
  const first = projects.flatMap((project) => names.map((name) => ({ project, path: `${project.auto('pg', name, 'users')}?pg=0&ps=1` })));
  await inParallel(first, 16, ({ project, path }) => administrator.send('GET', path, project.headers));

  const database = (most) => `tenant_${most === 1 ? 1 : anyOf(most)}`;
  const ours = (project, most) =>
    makeRequest({ path: `${project.auto('pg', database(most), 'users')}?pg=0&ps=1&id=eq.${anyOf(ROWS)}`, headers: project.headers });
  const theirs = (path, most) => makeRequest({ path: `${path}?database=${database(most)}&id=${anyOf(ROWS)}` });
  const contestant = (label, server, request) => ({ label, server, database: address, rows: 1, request });
  return [
    contestant('1 database', service, ours(small, 1)),
    contestant(`${FEW} databases`, service, ours(small, FEW)),
    contestant(`${each * PROJECTS} databases`, service, anyRequest(projects.map((project) => ours(project, each)))),
    contestant('yardstick, 1', yardstick, theirs('/one', 1)),
    contestant(`yardstick, ${each}`, yardstick, theirs('/tenant', each)),
  ];
}
