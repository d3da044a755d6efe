// The cache folder of the engines, shared by all runs. An engine is unpacked once, under a lock,
// and moved into place whole. Must not depend on any engine.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './processes.mjs';

const cacheFolder = process.env.MILLRACE_ENGINES_DIR || join(process.env.TMPDIR || tmpdir(), 'millrace-engines');

/** A folder below the cache. World-readable, because PostgreSQL runs as another user under root. */
export function cachePath(...parts) {
  mkdirSync(cacheFolder, { recursive: true, mode: 0o755 });
  // Programs are executed from here, so another user's folder of this name is rejected.
  if (process.getuid && statSync(cacheFolder).uid !== process.getuid())
    throw new Error(`${cacheFolder} belongs to another user; name a folder of your own in MILLRACE_ENGINES_DIR`);
  return join(cacheFolder, ...parts);
}

/** Runs `work` while holding a lock. The lock of a dead process is taken over. */
async function withLock(name, onWait, work) {
  const lock = cachePath(`${name}.lock`);
  const holder = join(lock, 'pid');
  let waited = false;
  for (;;) {
    try {
      mkdirSync(lock);
      writeFileSync(holder, String(process.pid));
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isAbandoned(lock, holder)) {
      rmSync(lock, { recursive: true, force: true });
      continue;
    }
    if (!waited) onWait();
    waited = true;
    await delay(200);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function isAbandoned(lock, holder) {
  try {
    return !isAlive(Number(readFileSync(holder, 'utf8')));
  } catch {
    // The holder writes its id at once; a folder without one for 5 s belongs to a dead process.
    try {
      return Date.now() - statSync(lock).mtimeMs > 5000;
    } catch {
      return false;
    }
  }
}

const exists = (path) => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** Path of the named folder. `fill(folder)` fills it on first use. */
export async function installOnce(name, say, fill) {
  const home = cachePath(name);
  if (exists(home)) return home;
  return withLock(
    name,
    () => say('waiting for another run that is installing it'),
    async () => {
      if (exists(home)) return home;
      const draft = `${home}.draft`;
      rmSync(draft, { recursive: true, force: true });
      mkdirSync(draft, { recursive: true });
      await fill(draft);
      renameSync(draft, home);
      return home;
    },
  );
}
