// The measured processes: the service as users run it, and the yardsticks. Their output goes to a
// file that is emptied between scenarios.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { withAllocator } from '../scripts/allocator.mjs';
import { nodeFlagsOf } from '../scripts/node-flags.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PATIENCE_MS = 60_000;
const YARDSTICKS = { pg: 'pg.mjs', ms: 'mysql.mjs', ma: 'mysql.mjs', ch: 'clickhouse.mjs' };

/** Starts a program that prints its address. Returns {port, pid, log, clearLog, stop}. */
async function startServer(argv, env, log, cwd) {
  const descriptor = openSync(log, 'a');
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ['ignore', descriptor, descriptor] });
  closeSync(descriptor);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const port = await readPort(child, log);
  return {
    port,
    pid: child.pid,
    log,
    clearLog: () => truncateSync(log),
    stop: async () => {
      process.removeListener('exit', kill);
      child.kill('SIGTERM');
      const impatience = setTimeout(kill, 15_000);
      await exited;
      clearTimeout(impatience);
    },
  };
}

async function readPort(child, log) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const port = /ready on http:\/\/\S+:(\d+)/.exec(readFileSync(log, 'utf8'))?.[1];
    if (port) return Number(port);
    if (child.exitCode !== null || Date.now() > end) throw new Error(`a server did not start:\n${readFileSync(log, 'utf8')}`);
    await delay(20);
  }
}

/**
 * Millrace as `npm run serve` runs it: authentication, checks, metrics and a log line per request.
 */
export async function startService({ folder, workers, prof }) {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { recursive: true });
  const serverKey = randomBytes(24).toString('hex');
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MILLRACE_') && name !== 'PORT'));
  const env = {
    ...withAllocator(inherited),
    NODE_ENV: 'production',
    MILLRACE_PORT: '0',
    MILLRACE_DATA_DIR: dataDir,
    MILLRACE_SERVER_KEY: serverKey,
    MILLRACE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    MILLRACE_WORKERS: String(workers),
    // For the scenario that streams a million rows.
    MILLRACE_MAX_PAGE_SIZE: '1000000',
  };
  const profiling = prof ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [];
  const main = join(ROOT, 'dist', 'main.js');
  const server = await startServer([...nodeFlagsOf(main), ...profiling, main, 'serve'], env, join(folder, 'service.log'), dataDir);
  return { ...server, serverKey };
}

export function startYardstick(type, address, database, folder) {
  const { host, port, user, password } = address;
  const file = join(ROOT, 'bench', 'yardsticks', YARDSTICKS[type]);
  const env = { ...process.env, NODE_ENV: 'production', BENCH_DATABASE: JSON.stringify({ host, port, user, password, database }) };
  return startServer([file], env, join(folder, `yardstick-${type}-${database}.log`), ROOT);
}
