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

/** Gives {pg: {host, port, user, password, pid, entryPort}} for the wanted types, and what stops them. */
export async function bringUpEngines(types) {
  const id = `bench-${process.pid}`;
  const missing = new Set(enginesWithoutAddress(process.env));
  const names = types.map((type) => SCRIPT_NAMES[type]).filter((name) => missing.has(name));
  const variables = names.length === 0 ? {} : await startEngines({ id, names, owner: process.pid });
  const known = { ...process.env, ...variables };
  return {
    addresses: Object.fromEntries(types.map((type) => [type, toAddress(type, known)])),
    stop: async () => {
      if (names.length > 0) await stopEngines(id);
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
