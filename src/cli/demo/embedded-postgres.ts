// The PostgreSQL of `npm start`: created in the data directory at the first start, run as a child
// of this process and stopped with it. Listens on loopback only.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { writePrivateFile } from '../terminal/private-file.ts';
import { chooseIdentity, commandAs, findPostgresProgram, giveTo, type Identity, type PostgresProgram } from './postgres-program.ts';

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  /** Receives a line for each slow step and each problem. */
  readonly log: (line: string) => void;
}

export interface EmbeddedPostgres {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  stop(): Promise<void>;
}

/** Chosen at the first start and kept. The port changes only if another program uses it. */
interface Settings {
  readonly port: number;
  readonly password: string;
}

interface Home {
  readonly folder: string;
  readonly cluster: string;
  readonly settingsFile: string;
  readonly ownerFile: string;
  readonly logFile: string;
}

const HOST = '127.0.0.1';
const DRAFT = 'cluster.draft-';
const USER = 'postgres';
const START_PATIENCE_MS = 30_000;
const STOP_PATIENCE_MS = 10_000;

/** Starts the server, creating the cluster first if necessary. */
export async function startEmbeddedPostgres({ dataDir, log }: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const home = openHome(dataDir);
  await takeOver(home, log);
  const program = findPostgresProgram();
  const identity = chooseIdentity(program, home.folder);
  giveTo(identity, home.folder);
  const known = existsSync(home.cluster) ? readSettings(home) : undefined;
  const port = known && (await isFree(known.port)) ? known.port : await freePort();
  const settings = { port, password: known?.password ?? randomBytes(24).toString('base64url') };
  // Stored before the cluster exists, which cannot be entered without this password.
  writePrivateFile(home.settingsFile, `${JSON.stringify(settings)}\n`);
  if (!known) {
    log('making an embedded PostgreSQL ...');
    initialise(program, identity, home, settings.password);
  }
  const server = launch(program, identity, home, port);
  writeFileSync(home.ownerFile, String(process.pid));
  await waitUntilUp(server, home, settings);
  return { host: HOST, user: USER, ...settings, stop: () => stopServer(server, home) };
}

function openHome(dataDir: string): Home {
  const folder = resolve(dataDir, 'postgres');
  mkdirSync(folder, { recursive: true });
  return {
    folder,
    cluster: join(folder, 'cluster'),
    settingsFile: join(folder, 'settings.json'),
    ownerFile: join(folder, 'owner.pid'),
    logFile: join(folder, 'server.log'),
  };
}

function readSettings(home: Home): Settings | undefined {
  if (!existsSync(home.settingsFile))
    throw new Error(`${home.folder} has a database but lacks ${home.settingsFile}; restore it or remove the folder`);
  return JSON.parse(readFileSync(home.settingsFile, 'utf8')) as Settings;
}

/**
 * Stops a server that a killed process left behind. A server whose parent still runs cannot be
 * shared: the first process to stop would end it for the other.
 */
async function takeOver(home: Home, log: (line: string) => void): Promise<void> {
  const lockFile = join(home.cluster, 'postmaster.pid');
  if (!existsSync(lockFile)) return;
  const server = readPid(lockFile);
  if (server !== undefined && isServerOf(server, home)) {
    const owner = existsSync(home.ownerFile) ? readPid(home.ownerFile) : undefined;
    if (owner !== undefined && owner !== process.pid && isAlive(owner))
      throw new Error(
        `Another Millrace (process ${owner}) is using ${home.folder}; stop it, or set MILLRACE_DATA_DIR to another directory`,
      );
    log('stopping the embedded PostgreSQL that an earlier run left behind ...');
    process.kill(server, 'SIGINT');
    const deadline = Date.now() + STOP_PATIENCE_MS;
    while (isServerOf(server, home)) {
      if (Date.now() > deadline) process.kill(server, 'SIGKILL');
      await delay(20);
    }
  }
  // The process is gone, whatever uses its id now. The file would prevent the server's start.
  rmSync(lockFile, { force: true });
}

function readPid(file: string): number | undefined {
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  return pid > 0 ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * `true` if the process is the server of this folder. Ids are reused, but the command line names
 * the folder.
 */
function isServerOf(pid: number, home: Home): boolean {
  if (!isAlive(pid)) return false;
  if (existsSync('/proc/self/cmdline')) {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(home.cluster);
    } catch {
      return false;
    }
  }
  const { stdout } = spawnSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' });
  return stdout.includes(home.cluster);
}

/**
 * Creates the cluster under another name first, so that an interrupted one is not mistaken for
 * complete.
 */
function initialise(program: PostgresProgram, identity: Identity, home: Home, password: string): void {
  for (const name of readdirSync(home.folder))
    if (name.startsWith(DRAFT)) rmSync(join(home.folder, name), { recursive: true, force: true, maxRetries: 5 });
  // The program that created an interrupted cluster may still be running.
  const draft = mkdtempSync(join(home.folder, DRAFT));
  const passwordFile = join(home.folder, 'initial-password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  for (const path of [draft, passwordFile]) giveTo(identity, path);
  const { file, args, options } = commandAs(identity, program.initdb, [
    `--pgdata=${draft}`,
    `--username=${USER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Sorting and case by Unicode code points, equal on every platform.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ]);
  const { status, stderr, error } = spawnSync(file, args, { ...options, cwd: home.folder, encoding: 'utf8' });
  rmSync(passwordFile, { force: true });
  if (status !== 0) throw new Error(`The embedded PostgreSQL could not be made: ${error?.message ?? stderr.trim()}`);
  renameSync(draft, home.cluster);
}

function launch(program: PostgresProgram, identity: Identity, home: Home, port: number): ChildProcess {
  const settings = { port, listen_addresses: HOST, unix_socket_directories: '', shared_buffers: '64MB', max_connections: 100 };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { file, args, options } = commandAs(identity, program.postgres, ['-D', home.cluster, ...flags]);
  const output = openSync(home.logFile, 'a', 0o600);
  // A session of its own: Ctrl-C must not end the server before the requests that use it.
  const server = spawn(file, args, { ...options, cwd: home.folder, detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  server.on('error', () => {});
  // The server ends with this process unless it is killed. An orderly shutdown stops it earlier.
  const stopAtExit = (): void => void server.kill('SIGINT');
  process.once('exit', stopAtExit);
  server.once('exit', () => process.removeListener('exit', stopAtExit));
  return server;
}

const hasEnded = (server: ChildProcess): boolean => server.pid === undefined || server.exitCode !== null || server.signalCode !== null;

async function waitUntilUp(server: ChildProcess, home: Home, { port, password }: Settings): Promise<void> {
  const deadline = Date.now() + START_PATIENCE_MS;
  for (;;) {
    const client = new pg.Client({ host: HOST, port, user: USER, password, database: 'postgres', connectionTimeoutMillis: 2000 });
    client.on('error', () => {});
    try {
      await client.connect();
      return;
    } catch (error) {
      if (!hasEnded(server) && Date.now() < deadline) {
        await delay(20);
        continue;
      }
      server.kill('SIGQUIT');
      const said = readFileSync(home.logFile, 'utf8').trimEnd().split('\n').slice(-10).join('\n');
      throw new Error(`The embedded PostgreSQL did not start (${String(error)}); the end of ${home.logFile}:\n${said}`);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/**
 * Fast shutdown: sessions are closed, everything is written. After a timeout the server is killed
 * and recovers at the next start.
 */
async function stopServer(server: ChildProcess, home: Home): Promise<void> {
  if (!hasEnded(server)) {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGINT');
    const impatience = setTimeout(() => server.kill('SIGQUIT'), STOP_PATIENCE_MS);
    await ended;
    clearTimeout(impatience);
  }
  rmSync(home.ownerFile, { force: true });
}

function freePort(): Promise<number> {
  return listenOnce(0);
}

async function isFree(port: number): Promise<boolean> {
  return listenOnce(port).then(
    () => true,
    () => false,
  );
}

/** Listens and closes again. Resolves with the port, or rejects if it is taken. */
function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: HOST, exclusive: true }, () => {
      const { port: given } = server.address() as AddressInfo;
      server.close(() => resolve(given));
    });
  });
}
