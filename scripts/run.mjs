// The commands of package.json: each first installs and builds what is missing, so that a fresh clone needs nothing else.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = (name) => join(root, 'node_modules', '.bin', name);
const main = join(root, 'dist', 'main.js');
const [command, ...args] = process.argv.slice(2);

function run(file, argv, options = {}) {
  const result = spawnSync(file, argv, { cwd: root, stdio: 'inherit', ...options });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

const hash = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Installs when node_modules does not match the lock file (a stamp inside it tells). */
function install() {
  const stamp = join(root, 'node_modules', '.millrace-lock');
  const want = hash(join(root, 'package-lock.json'));
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === want) return;
  console.error('installing dependencies ...');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { stdio: ['ignore', 2, 'inherit'] });
  writeFileSync(stamp, want);
}

function newest(folder) {
  let latest = 0;
  for (const item of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, item.name);
    latest = Math.max(latest, item.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return latest;
}

/** Compiles when a source is newer than what was built last. */
function build() {
  install();
  const sources = Math.max(newest(join(root, 'src')), statSync(join(root, 'tsconfig.json')).mtimeMs);
  if (existsSync(main) && statSync(main).mtimeMs >= sources) return;
  console.error('building ...');
  run(bin('tsc'), ['-p', 'tsconfig.json']);
  if (existsSync(main)) writeFileSync(main, readFileSync(main), { mode: 0o755 });
}

/** Hands the process over to the service: signals of the terminal reach it as the child of this process group. */
async function serve(name) {
  build();
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, [main, name, ...args], { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}

function check() {
  install();
  run(bin('biome'), ['check', '.']);
  run(bin('tsc'), ['-p', 'tsconfig.test.json']);
  run(bin('knip'), []);
}

const commands = {
  build,
  check,
  start: () => serve('start'),
  serve: () => serve('serve'),
  test: () => {
    build();
    run(process.execPath, [join(root, 'scripts', 'test.mjs'), ...args]);
  },
  conformance: () => {
    build();
    run(process.execPath, [join(root, 'scripts', 'conformance.mjs'), ...args]);
  },
  bench: () => {
    build();
    run(process.execPath, [join(root, 'bench', 'main.mjs'), ...args]);
  },
};

if (!(command in commands)) {
  console.error(`usage: node scripts/run.mjs ${Object.keys(commands).join('|')}`);
  process.exit(2);
}
await commands[command]();
