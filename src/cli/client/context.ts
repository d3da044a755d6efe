/**
 * `millrace context` and `millrace login`: store the address and credentials of a service between
 * commands.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CONTEXT_NAMES, ConfigError, contextFile, loadConfig, readContext } from '../../config.ts';
import { writePrivateFile } from '../terminal/private-file.ts';
import { CLIENT_SETTINGS, Client } from './client.ts';
import { Flags } from './client-flags.ts';

function save(settings: ReadonlyMap<string, string>): void {
  const file = contextFile();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writePrivateFile(file, `${JSON.stringify(Object.fromEntries(settings), undefined, 2)}\n`);
}

const SECRETS = new Set(['server_key', 'gateway_secret', 'power_token']);

function show(settings: ReadonlyMap<string, string>): void {
  for (const [name, value] of settings) process.stdout.write(`${name}: ${SECRETS.has(name) ? '***' : value}\n`);
}

const USAGE = `  millrace context use [--url URL] [--org-id ORG] [--project-id PROJECT] [--space-id SPACE] [--user-id USER] [--server-key KEY] …
                          keep these for later commands; names and abbreviations become ids
  millrace context show   what is kept, secrets masked
  millrace context clear  forget all of it
`;

/** Adds the given settings to the stored ones. Names are resolved now. */
async function use(args: readonly string[]): Promise<number> {
  const flags = new Flags(args, { values: Object.keys(CLIENT_SETTINGS) });
  const merged = new Map(readContext());
  for (const [flag, name] of Object.entries(CLIENT_SETTINGS)) {
    const value = flags.get(flag);
    if (value !== undefined && CONTEXT_NAMES.has(name)) merged.set(name, value);
  }
  const client = new Client(flags, merged);
  await client.resolveNames();
  for (const name of ['org_id', 'project_id', 'space_id']) {
    const id = client.setting(name);
    if (id !== undefined) merged.set(name, id);
  }
  save(merged);
  show(merged);
  return 0;
}

export async function contextCommand(args: readonly string[]): Promise<number> {
  const [verb = '--help', ...rest] = args.includes('--help') || args.includes('-h') ? [] : args;
  switch (verb) {
    case 'use':
      return use(rest);
    case 'show':
      show(readContext());
      return 0;
    case 'clear':
      save(new Map());
      return 0;
    case '--help':
      process.stdout.write(USAGE);
      return 0;
    default:
      throw new ConfigError(`context has no command ${JSON.stringify(verb)}; use one of use, show, clear.`);
  }
}

const DEMO_FIELDS = ['url', 'org_id', 'project_id', 'space_id', 'user_id'] as const;
/** Time that a demo may take to start. */
const READY_TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 200;

type Fields = Readonly<Record<string, string>>;

/** Stores the demo's address, ids and server key, which `npm start` keeps in the data directory. */
export async function loginCommand(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write('  millrace login  use the demo of npm start: its address, ids and server key, from the data directory\n');
    return 0;
  }
  const { config } = loadConfig();
  const read = (name: string): Fields => {
    const file = join(config.dataDir, name);
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Fields) : {};
  };
  const [serverKey = read('keys.json')['server_key']] = config.serverKeys;
  if (serverKey === undefined)
    throw new ConfigError(`there is no demo in ${config.dataDir}; run npm start first, or name another service with millrace context use.`);
  const demo = await whenReady(() => read('demo.json'));
  if (demo === undefined)
    throw new ConfigError(
      `the demo in ${config.dataDir} is not ready, so nothing was stored; run npm start, wait for its ready line, then run millrace login again.`,
    );
  const kept = new Map([...DEMO_FIELDS.map((name): [string, string] => [name, demo[name] ?? '']), ['server_key', serverKey]]);
  save(kept);
  show(kept);
  return 0;
}

/** Waits until the demo responds at the address that it stored. `undefined` after the timeout. */
async function whenReady(read: () => Fields): Promise<Fields | undefined> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (let tries = 0; performance.now() < deadline; tries++) {
    const demo = read();
    if (DEMO_FIELDS.every((name) => demo[name] !== undefined) && (await isReady(demo['url'] ?? ''))) return demo;
    if (tries === 0) process.stderr.write('waiting for the demo of npm start ...\n');
    await delay(POLL_INTERVAL_MS);
  }
  return undefined;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(POLL_INTERVAL_MS * 10) })).ok;
  } catch {
    return false;
  }
}
