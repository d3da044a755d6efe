// The engines to measure on: real ones, started for this run on ports of their own, or those that MILLRACE_TEST_..._URL name.
// Refuses to know what is stored in them (fixtures.mjs).
import { enginesWithoutAddress, startEngines, stopEngines } from '../scripts/engines/runs.mjs';
import { pidListeningOn } from './measure.mjs';

export const ENGINE_NAMES = { pg: 'PostgreSQL', ms: 'MySQL', ma: 'MariaDB', ch: 'ClickHouse' };
const SCRIPT_NAMES = { pg: 'postgres', ms: 'mysql', ma: 'mariadb', ch: 'clickhouse' };
const VARIABLES = {
  pg: 'MILLRACE_TEST_PG_URL',
  ms: 'MILLRACE_TEST_MYSQL_URL',
  ma: 'MILLRACE_TEST_MARIADB_URL',
  ch: 'MILLRACE_TEST_CLICKHOUSE_URL',
};

/**
 * Where the engine is, {host, port, user, password, pid, entryPort}, and what stops it. Engines come up one at a time: also one that nobody asks
 * has threads that run now and then, on the cores that are measured.
 */
export async function bringUpEngine(type) {
  const id = `bench-${process.pid}-${type}`;
  const name = SCRIPT_NAMES[type];
  const isMissing = enginesWithoutAddress(process.env).includes(name);
  const variables = isMissing ? await startEngines({ id, names: [name], owner: process.pid }) : {};
  return {
    address: toAddress(type, { ...process.env, ...variables }),
    stop: async () => {
      if (isMissing) await stopEngines(id);
    },
  };
}

function toAddress(type, variables) {
  const url = new URL(variables[VARIABLES[type]]);
  const port = Number(url.port);
  return {
    type,
    host: url.hostname,
    port,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    /** Where the service connects: to ClickHouse over HTTP, as the yardstick's client does. */
    entryPort: port,
    pid: url.hostname === '127.0.0.1' ? pidListeningOn(port) : undefined,
  };
}
