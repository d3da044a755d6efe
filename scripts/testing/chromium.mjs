// The browser of the tests: Debian's Chromium. Installs it when it is missing and this is root.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

function findChromium() {
  if (process.env.MILLRACE_TEST_CHROMIUM) return process.env.MILLRACE_TEST_CHROMIUM;
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function install() {
  if (process.getuid?.() !== 0)
    throw new Error('Chromium is missing. Install the package chromium, or name a browser in MILLRACE_TEST_CHROMIUM.');
  process.stderr.write('chromium: installing the Debian package\n');
  aptGet('update');
  aptGet('install', '-y', '--no-install-recommends', 'chromium');
}

function aptGet(...args) {
  // Another run may be installing it.
  const result = spawnSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=3', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 2, 2],
  });
  if (result.error) throw result.error;
  if (result.status !== 0) throw new Error(`apt-get ${args[0]} failed with ${result.status}`);
}

/** Variables that name the browser. */
export function bringUpChromium() {
  if (findChromium() === undefined) install();
  const path = findChromium();
  if (path === undefined) throw new Error('The package chromium has brought no browser.');
  return { MILLRACE_TEST_CHROMIUM: path };
}
