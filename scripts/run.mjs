// The commands of package.json: each first installs and builds what is missing, so that a fresh clone needs nothing else.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withAllocator } from './allocator.mjs';
import { runChecks } from './checks.mjs';
import { copyViewer, hasViewer } from './viewer.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const main = join(root, 'dist', 'main.js');
const buildStamp = join(root, 'dist', '.built');
const [command, ...args] = process.argv.slice(2);

/** Runs a step to its end; its output goes to stderr, so that stdout has only what was asked for. */
function run(file, argv, cwd = root) {
  const result = spawnSync(file, argv, { cwd, stdio: ['ignore', 2, 2] });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** Installs when node_modules does not match the lock file (a stamp inside it tells). */
function install(folder = root) {
  const stamp = join(folder, 'node_modules', '.millrace-lock');
  const want = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === want) return;
  console.error('installing dependencies ...');
  // Not `npm ci`: it refuses a lock file that lacks optional packages of other platforms, as those written where a registry does not carry
  // them do. This installs the locked versions with their checksums all the same, and writes nothing back. No package's own scripts are run.
  run('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder);
  writeFileSync(stamp, want);
}

function newest(folder) {
  let latest = statSync(folder).mtimeMs;
  for (const item of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, item.name);
    latest = Math.max(latest, item.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return latest;
}

/** Compiles when a source (or a folder: a file is gone) has changed since the last build that went through. */
function build() {
  install();
  const started = new Date();
  const sources = Math.max(newest(join(root, 'src')), statSync(join(root, 'tsconfig.json')).mtimeMs);
  if (existsSync(buildStamp) && Number(readFileSync(buildStamp, 'utf8')) >= sources && hasViewer()) return;
  console.error('building ...');
  run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.json']);
  copyViewer();
  if (existsSync(main)) chmodSync(main, 0o755);
  writeFileSync(buildStamp, String(started.getTime()));
}

/** npm passes a signal to its shell, which dies of it and tells nobody: being orphaned is the signal then. */
function endWithParent(child) {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) child.kill('SIGTERM');
  }, 500).unref();
}

/** A port that is taken is told before anything is installed or built. */
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

/** Hands over to another program of the project: signals are passed on, and its exit code becomes ours. */
function handOver(argv, env = process.env) {
  build();
  const child = spawn(process.execPath, [...argv, ...args], { cwd: root, stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  endWithParent(child);
  child.on('exit', (code) => process.exit(code ?? 1));
}

const commands = {
  build,
  check: async () => {
    install();
    process.exitCode = (await runChecks(root)).length > 0 ? 1 : 0;
  },
  /** The documentation as a site in website/dist; its generator is installed there, and nowhere else. */
  docs: () => {
    const website = join(root, 'website');
    install(website);
    run(join(website, 'node_modules', '.bin', 'vitepress'), ['build', '.'], website);
  },
  start: async () => {
    await checkPort();
    handOver([main, 'start'], withAllocator(process.env));
  },
  serve: async () => {
    await checkPort();
    handOver([main, 'serve'], withAllocator(process.env));
  },
  test: () => handOver([join(root, 'scripts', 'test.mjs')]),
  torture: () => handOver([join(root, 'scripts', 'torture.mjs')]),
  conformance: () => handOver([join(root, 'scripts', 'conformance.mjs')]),
  mutate: () => handOver([join(root, 'scripts', 'mutate-access.mjs')]),
  bench: () => handOver([join(root, 'bench', 'main.mjs')]),
};

if (!Object.hasOwn(commands, command ?? '')) {
  console.error(`usage: node scripts/run.mjs ${Object.keys(commands).join('|')}`);
  process.exit(2);
}
await commands[command]();
