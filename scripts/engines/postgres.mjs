// PostgreSQL for tests, from the npm package that serves the demo. `postgres` needs no password;
// members of the role `needs_password` do (locked/secret is one).
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { execute } from './processes.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const compiled = join(root, 'dist', 'cli', 'demo', 'postgres-program.js');

/** Loads the service's knowledge of the binaries; compiles it before the first build. */
async function loadProgram() {
  if (!existsSync(compiled))
    await execute(process.execPath, [join(root, 'scripts', 'run.mjs'), 'build']).catch((error) => {
      if (!existsSync(compiled)) throw error;
    });
  return import(pathToFileURL(compiled).href);
}

const superuser = (port) => ({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres', connectionTimeoutMillis: 2000 });

async function query(port, ...statements) {
  const { Client } = createRequire(import.meta.url)('pg');
  const client = new Client(superuser(port));
  // The server may close the connection after its last result.
  client.on('error', () => {});
  await client.connect();
  try {
    let rows = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

export const postgres = {
  ports: ['sql'],
  marks: ['data/postmaster.pid'],
  // Fast shutdown: closes open sessions.
  stopSignal: 'SIGINT',

  async install() {
    const { findPostgresProgram } = await loadProgram();
    return findPostgresProgram();
  },

  async prepare(program, folder) {
    const { chooseIdentity, commandAs, giveTo } = await loadProgram();
    mkdirSync(folder, { recursive: true });
    const identity = await chooseIdentity(program, folder);
    giveTo(identity, folder);
    const { file, args, options } = commandAs(identity, program.initdb, [
      `--pgdata=${join(folder, 'data')}`,
      '--username=postgres',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-sync',
      '--no-instructions',
    ]);
    await execute(file, args, { ...options, cwd: folder });
    const rules = join(folder, 'data', 'pg_hba.conf');
    writeFileSync(rules, `host all +needs_password 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, 'utf8')}`);
  },

  async command(program, folder, ports) {
    const { chooseIdentity, commandAs } = await loadProgram();
    const settings = {
      port: ports.sql,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: 300,
      shared_buffers: '64MB',
      // Durability is off: a power failure may lose test data.
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
    };
    const { file, args, options } = commandAs(await chooseIdentity(program, folder), program.postgres, [
      '-D',
      join(folder, 'data'),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ]);
    return { file, args, options: { ...options, cwd: folder } };
  },

  async probe(ports) {
    const [row] = await query(ports.sql, 'SHOW server_version');
    return row.server_version;
  },

  /** Setup that needs a running server; called after the first start. */
  finish: (ports) =>
    query(ports.sql, 'CREATE ROLE needs_password NOLOGIN', "CREATE ROLE locked LOGIN PASSWORD 'secret' IN ROLE needs_password"),

  variables: (ports) => ({ MILLRACE_TEST_PG_URL: `postgres://postgres@127.0.0.1:${ports.sql}/postgres` }),
};
