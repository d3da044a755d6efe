// A run: engines on their own ports and data below one folder, which is removed when the run stops.
// The run's file records the processes, so that another process can stop or restart them.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cachePath } from './cache.mjs';
import { clickhouse } from './clickhouse.mjs';
import { mariadb } from './mariadb.mjs';
import { mysql } from './mysql.mjs';
import { postgres } from './postgres.mjs';
import { end, freePorts, isAlive, isProcessOf, launch } from './processes.mjs';

const engines = { postgres, mariadb, mysql, clickhouse };
export const engineNames = Object.keys(engines);

const START_PATIENCE = 60_000;
const ATTEMPTS = 3;

const runFolder = (id) => cachePath('runs', id);
const stateFile = (id) => join(runFolder(id), 'run.json');
const sayFor = (name) => (text) => process.stderr.write(`${name}: ${text}\n`);

function readState(id) {
  return existsSync(stateFile(id)) ? JSON.parse(readFileSync(stateFile(id), 'utf8')) : undefined;
}

function writeState(id, state) {
  const draft = `${stateFile(id)}.draft`;
  writeFileSync(draft, JSON.stringify(state, null, 2));
  renameSync(draft, stateFile(id));
}

/** Engines without a server in the variables. */
export const enginesWithoutAddress = (variables) =>
  engineNames.filter((name) => !Object.keys(engines[name].variables({})).every((variable) => variables[variable]));

export async function installEngines(names = engineNames) {
  await settle(names, async (name) => {
    const started = performance.now();
    await engines[name].install(sayFor(name));
    sayFor(name)(`installed (${seconds(started)} s)`);
  });
}

/**
 * Starts the engines of the run that are down and returns the variables that name them. Once the
 * `owner` process has ended, the next start stops the run. A run without an owner runs until
 * stopped.
 */
export async function startEngines({ id, names = engineNames, owner }) {
  await sweepAbandonedRuns();
  mkdirSync(runFolder(id), { recursive: true, mode: 0o755 });
  const state = readState(id) ?? { owner, engines: {} };
  writeState(id, state);
  try {
    await settle(names, async (name) => {
      await startEngine(name, join(runFolder(id), name), state.engines[name] ?? {}, (record) => {
        state.engines[name] = record;
        writeState(id, state);
      });
    });
  } catch (error) {
    if (owner !== undefined) await stopEngines(id);
    throw error;
  }
  return Object.assign({}, ...Object.keys(state.engines).map((name) => engines[name].variables(state.engines[name].ports)));
}

async function startEngine(name, folder, known, save) {
  const engine = engines[name];
  const say = sayFor(name);
  const started = performance.now();
  if (known.pid && isAlive(known.pid) && isProcessOf(known.pid, folder)) {
    say(`${await engine.probe(known.ports)} is up already on ${Object.values(known.ports).join(' and ')}`);
    return;
  }
  const home = await engine.install(say);
  const isNew = !existsSync(join(folder, 'data'));
  if (isNew) await engine.prepare(home, folder);
  // A new server would take the marks of a killed one for a running server.
  for (const file of engine.marks) rmSync(join(folder, file), { force: true });
  let ports = known.ports;
  for (let attempt = 1; ; attempt++) {
    ports ??= await choosePorts(engine);
    const pid = launch(await engine.command(home, folder, ports), join(folder, 'log'));
    save({ pid, ports });
    try {
      const version = await waitUntilUp(engine, pid, ports, folder);
      if (isNew) await engine.finish?.(ports);
      say(`${version} ready on ${Object.values(ports).join(' and ')} in ${seconds(started)} s`);
      return;
    } catch (error) {
      await end(pid, 'SIGKILL', 0);
      // A port may be taken in the meantime. Known ports stay, because clients rely on them.
      if (attempt === ATTEMPTS || known.ports) throw error;
      ports = undefined;
    }
  }
}

async function choosePorts(engine) {
  const numbers = await freePorts(engine.ports.length);
  return Object.fromEntries(engine.ports.map((port, index) => [port, numbers[index]]));
}

async function waitUntilUp(engine, pid, ports, folder) {
  const deadline = Date.now() + START_PATIENCE;
  for (;;) {
    let reason;
    try {
      const version = await engine.probe(ports);
      // Otherwise another server that took the port would pass for this one.
      if (isAlive(pid)) return version;
    } catch (error) {
      reason = error;
    }
    if (!isAlive(pid) || Date.now() > deadline)
      throw new Error(`did not come up: ${reason?.message ?? 'the process ended'}\n${tail(join(folder, 'log'))}`);
    await delay(30);
  }
}

const tail = (file) => (existsSync(file) ? readFileSync(file, 'utf8').slice(-3000) : '');

async function endEngine(id, name, pid, signal) {
  if (isAlive(pid) && isProcessOf(pid, join(runFolder(id), name))) await end(pid, signal, 5000);
}

/** Kills engines of the run; their data stays. */
export async function killEngines(id, names = engineNames) {
  const state = readState(id);
  const running = Object.entries(state?.engines ?? {}).filter(([name]) => names.includes(name));
  await Promise.all(running.map(([name, { pid }]) => endEngine(id, name, pid, 'SIGKILL')));
}

/** Stops all engines of the run and removes its folder. */
export async function stopEngines(id) {
  const state = readState(id);
  if (!state) return false;
  await Promise.all(Object.entries(state.engines).map(([name, { pid }]) => endEngine(id, name, pid, engines[name].stopSignal)));
  rmSync(runFolder(id), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  return true;
}

/** Stops the runs whose owner has ended. */
export async function sweepAbandonedRuns() {
  const folder = cachePath('runs');
  if (!existsSync(folder)) return;
  for (const id of readdirSync(folder)) {
    const state = readState(id);
    if (state?.owner !== undefined && !isAlive(state.owner)) await stopEngines(id);
  }
}

/** Does the work for all names concurrently, waits for all of them and then reports failures. */
async function settle(names, work) {
  const results = await Promise.allSettled(names.map(work));
  const failures = results.flatMap((result, index) => (result.status === 'rejected' ? [`${names[index]}: ${result.reason.message}`] : []));
  if (failures.length > 0) throw new Error(failures.join('\n'));
}

const seconds = (since) => ((performance.now() - since) / 1000).toFixed(1);
