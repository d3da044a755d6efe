// Builds the front ends with Vite: console/ into dist/console, apps/ into dist/app-pages (dist/apps
// has the compiled src/apps). Each file is also stored compressed, so the service never compresses.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Folders of which every front end is built, beside its own. */
const SHARED = ['ui', 'src/client'];
/** Folders below `dist` by the front end. */
const OUTPUTS = { console: 'console', apps: 'app-pages' };
const FRONT_ENDS = Object.keys(OUTPUTS).filter((name) => existsSync(join(root, name, 'vite.config.ts')));

const outputOf = (name) => join(root, 'dist', OUTPUTS[name]);
const stampOf = (name) => join(outputOf(name), '.built');

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
    const output = { outDir: outputOf(name), emptyOutDir: true };
    await build({ configFile: join(root, name, 'vite.config.ts'), logLevel: 'warn', build: output });
    compress(join(outputOf(name), 'assets'));
    writeFileSync(stampOf(name), String(started));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildFrontEnds();
