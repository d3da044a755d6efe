// Builds the front ends with Vite: console/ into dist/console, apps/ into dist/apps. Each file is
// also stored compressed, so that the service never compresses.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Folders of which every front end is built, beside its own. */
const SHARED = ['ui', 'src/client'];
const FRONT_ENDS = ['console', 'apps'].filter((name) => existsSync(join(root, name, 'vite.config.ts')));

const stampOf = (name) => join(root, 'dist', name, '.built');

function newestMtime(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestMtime(join(path, name))));
}

function isStale(name) {
  const sources = Math.max(...[name, ...SHARED].map((folder) => newestMtime(join(root, folder))));
  return !existsSync(stampOf(name)) || Number(readFileSync(stampOf(name), 'utf8')) < sources;
}

/** `true` if a source file has changed since the last build. */
export const isFrontEndStale = () => FRONT_ENDS.some(isStale);

function compress(folder) {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const bytes = readFileSync(file);
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }));
  }
}

async function buildFrontEnds() {
  const { build } = await import('vite');
  for (const name of FRONT_ENDS.filter(isStale)) {
    const started = Date.now();
    await build({ configFile: join(root, name, 'vite.config.ts'), logLevel: 'warn' });
    compress(join(root, 'dist', name, 'assets'));
    writeFileSync(stampOf(name), String(started));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildFrontEnds();
