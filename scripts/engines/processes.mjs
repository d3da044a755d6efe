// Processes, ports and waiting, for the scripts that run engines. Must not depend on any engine.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * `true` if the process has ended but its parent has not collected it; it still accepts signals.
 */
function isZombie(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) === 'Z';
  } catch {
    return false;
  }
}

/** `true` if the command line names the run's folder. Process ids are reused, folders are not. */
export function isProcessOf(pid, folder) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
  } catch {
    return isAlive(pid);
  }
}

/** Runs a command and returns its standard output. Throws with its output if it fails. */
export function execute(file, args, options = {}) {
  return new Promise((resolve, reject) => {
    const { input, ...rest } = options;
    const child = spawn(file, args, { ...rest, stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    child.on('error', (error) => reject(new Error(`${file} could not be started: ${error.message}`)));
    child.on('close', (code, signal) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`${file} ${args.join(' ')}\nended with ${signal ?? code}\n${(stderr + stdout).slice(-4000)}`));
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** Starts a process in its own session, so that it outlives this one; its output goes to a log. */
export function launch({ file, args, options = {} }, logFile) {
  const log = openSync(logFile, 'a');
  try {
    const child = spawn(file, args, { ...options, detached: true, stdio: ['ignore', log, log] });
    child.on('error', () => {});
    child.unref();
    return child.pid;
  } finally {
    closeSync(log);
  }
}

/** Signals the process, and kills it after `patience` ms. */
export async function end(pid, signal, patience) {
  if (!isAlive(pid)) return;
  process.kill(pid, signal);
  const deadline = Date.now() + patience;
  while (isAlive(pid)) {
    if (Date.now() > deadline) process.kill(pid, 'SIGKILL');
    await delay(20);
  }
}

/** Free ports, below the range that the system uses for outgoing connections. */
export async function freePorts(count) {
  const held = [];
  while (held.length < count) {
    const server = createServer();
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const bound = await new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(true));
    });
    if (bound) held.push({ server, port });
  }
  await Promise.all(held.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  return held.map(({ port }) => port);
}

/** Connects, passes the first bytes of the server to `read`, and disconnects. */
export function firstBytes(port, read) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.setTimeout(2000, () => socket.destroy(new Error(`port ${port} is silent`)));
    socket.once('error', reject);
    socket.once('data', (bytes) => {
      socket.destroy();
      try {
        resolve(read(bytes));
      } catch (error) {
        reject(error);
      }
    });
    socket.once('close', () => reject(new Error(`port ${port} hung up`)));
  });
}

export function canConnect(port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
