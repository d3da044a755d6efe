// The commands of package.json. Each installs and builds what is missing, so a fresh clone needs
// only Node and npm.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withAllocator } from './allocator.mjs';
import { runChecks } from './checks.mjs';
import { isFrontEndStale } from './front-end.mjs';
import { nodeFlagsOf } from './node-flags.mjs';
import { copyViewer, hasViewer } from './viewer.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const main = join(root, 'dist', 'main.js');
const buildStamp = join(root, 'dist', '.built');
const [command, ...args] = process.argv.slice(2);

/**
 * Runs a step and exits if it fails. Its output goes to stderr, so stdout has only that of the
 * command.
 */
function run(file, argv, cwd = root) {
  const result = spawnSync(file, argv, { cwd, stdio: ['ignore', 2, 2] });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** Time between two lines about a step that is running. */
const PROGRESS_MS = 2000;

/** Runs a step, shows how long it has been running, and exits if it fails. */
function runWithProgress(name, file, argv, cwd = root) {
  const started = Date.now();
  const seconds = () => ((Date.now() - started) / 1000).toFixed(1);
  console.error(`${name} ...`);
  const timer = setInterval(() => console.error(`${name} ... ${seconds()} s`), PROGRESS_MS);
  return new Promise((resolve) => {
    const child = spawn(file, argv, { cwd, stdio: ['ignore', 2, 2] });
    child.on('error', (error) => {
      throw error;
    });
    child.on('exit', (code) => {
      clearInterval(timer);
      if (code !== 0) process.exit(code ?? 1);
      console.error(`${name}: done in ${seconds()} s`);
      resolve();
    });
  });
}

/** Installs if node_modules does not match the lock file; a stamp file inside it has its hash. */
async function install(folder = root) {
  const stamp = join(folder, 'node_modules', '.millrace-lock');
  const lockHash = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash) return;
  // `npm ci` rejects a lock file that lacks optional packages of other platforms. This also
  // installs the locked versions with their checksums, and writes nothing back. No install scripts
  // are run.
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await runWithProgress('installing dependencies', 'npm', ['install', ...options], folder);
  writeFileSync(stamp, lockHash);
}

function newestMtime(folder) {
  let latest = statSync(folder).mtimeMs;
  for (const item of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, item.name);
    latest = Math.max(latest, item.isDirectory() ? newestMtime(path) : statSync(path).mtimeMs);
  }
  return latest;
}

/** Compiles if a source file or folder has changed since the last successful build. */
async function build() {
  await install();
  await Promise.all([buildService(), buildFrontEnds()]);
}

async function buildService() {
  const started = new Date();
  const sources = Math.max(newestMtime(join(root, 'src')), statSync(join(root, 'tsconfig.json')).mtimeMs);
  if (existsSync(buildStamp) && Number(readFileSync(buildStamp, 'utf8')) >= sources && hasViewer()) return;
  await runWithProgress('building the service', join(root, 'node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.json']);
  copyViewer();
  if (existsSync(main)) chmodSync(main, 0o755);
  writeFileSync(buildStamp, String(started.getTime()));
}

async function buildFrontEnds() {
  if (!isFrontEndStale()) return;
  await runWithProgress('building the console', process.execPath, [join(root, 'scripts', 'front-end.mjs')]);
}

/**
 * npm signals only its shell, which dies without passing the signal on: losing the parent means
 * SIGTERM.
 */
function endWithParent(child) {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) child.kill('SIGTERM');
  }, 500).unref();
}

/** Reports a port that is in use before anything is installed or built. */
async function checkPort() {
  const file = join(process.cwd(), 'millrace.yaml');
  const fromFile = existsSync(file) ? /^port: *['"]?(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  const port = Number(process.env.MILLRACE_PORT ?? process.env.PORT ?? fromFile ?? 8080);
  if (!Number.isInteger(port) || port < 1 || port > 65535) return;
  const error = await new Promise((resolve) => {
    const probe = createServer().once('error', resolve);
    probe.listen(port, process.env.MILLRACE_HOST ?? '127.0.0.1', () => probe.close(() => resolve(undefined)));
  });
  if (error?.code !== 'EADDRINUSE') return;
  console.error(`millrace: port ${port} is taken; set MILLRACE_PORT to another one (0 picks a free one).`);
  process.exit(1);
}

/** Runs another program of the project: forwards signals and exits with its code. */
async function delegate(argv, env = process.env) {
  await build();
  const child = spawn(process.execPath, [...argv, ...args], { cwd: root, stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  endWithParent(child);
  child.on('exit', (code) => process.exit(code ?? 1));
}

async function runService(name) {
  await checkPort();
  // The flags of Node are in the built file.
  await build();
  await delegate([...nodeFlagsOf(main), main, name], withAllocator(process.env));
}

const commands = {
  build,
  check: async () => {
    await install();
    process.exitCode = (await runChecks(root)).length > 0 ? 1 : 0;
  },
  /** Builds the documentation site into website/dist; its generator is installed there only. */
  docs: async () => {
    const website = join(root, 'website');
    await install(website);
    run(join(website, 'node_modules', '.bin', 'vitepress'), ['build', '.'], website);
  },
  /** Serves the console with reload, against a service at MILLRACE_DEV_URL. */
  'dev:console': async () => {
    await install();
    run(join(root, 'node_modules', '.bin', 'vite'), ['-c', join(root, 'console', 'vite.config.ts')]);
  },
  start: () => runService('start'),
  serve: () => runService('serve'),
  test: () => delegate([join(root, 'scripts', 'test.mjs')]),
  'test:unit': () => delegate([join(root, 'scripts', 'test.mjs'), '--unit']),
  'test:all': () => delegate([join(root, 'scripts', 'test.mjs'), '--all']),
  torture: () => delegate([join(root, 'scripts', 'torture.mjs')]),
  conformance: () => delegate([join(root, 'scripts', 'conformance.mjs')]),
  mutate: () => delegate([join(root, 'scripts', 'mutate-access.mjs')]),
  bench: () => delegate([join(root, 'bench', 'main.mjs')]),
};

if (!Object.hasOwn(commands, command ?? '')) {
  console.error(`usage: node scripts/run.mjs ${Object.keys(commands).join('|')}`);
  process.exit(2);
}
await commands[command]();
