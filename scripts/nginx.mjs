// nginx for tests, from Debian's packages, in the cache of the engines:
//   node scripts/nginx.mjs        installs it if it is missing and prints its command as JSON
import { installOnce } from './engines/cache.mjs';
import { checkLibraries, privateCommand, unpackPackage } from './engines/debian.mjs';

const program = 'usr/sbin/nginx';
const say = (text) => process.stderr.write(`nginx: ${text}\n`);

const home = await installOnce('nginx-1.22', say, async (prefix) => {
  await unpackPackage({ suite: 'bookworm', name: 'nginx' }, prefix, say);
  await checkLibraries(prefix, program);
});
process.stdout.write(`${JSON.stringify(privateCommand(home, program, []))}\n`);
