// The engines to measure: started for this run on their own ports, or named by
// MILLRACE_TEST_..._URL.
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
 * Starts an engine and returns its address and a function that stops it. Engines start one at a
 * time, since even idle ones use CPU time on the measured cores.
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
    /** Port that the service connects to: HTTP for ClickHouse, as the yardstick's client uses. */
    entryPort: port,
    pid: url.hostname === '127.0.0.1' ? pidListeningOn(port) : undefined,
  };
}
