// Another major version of Node.js for tests, from the npm registry, in the cache of the engines:
//   node scripts/node-version.mjs 24     installs it if missing and prints the path of its binary
import { join } from 'node:path';
import { installOnce } from './engines/cache.mjs';
import { execute } from './engines/processes.mjs';

const [major = ''] = process.argv.slice(2);
if (!/^\d+$/.test(major)) {
  console.error('usage: node scripts/node-version.mjs MAJOR');
  process.exit(2);
}
const name = `node-${process.platform}-${process.arch}`;
const log = (text) => process.stderr.write(`node ${major}: ${text}\n`);

const home = await installOnce(`node-${major}`, log, async (folder) => {
  log('downloading');
  await execute('npm', [
    'install',
    '--prefix',
    folder,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    `${name}@${major}`,
  ]);
});
process.stdout.write(`${join(home, 'node_modules', name, 'bin', 'node')}\n`);
