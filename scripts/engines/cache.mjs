// Where the engines for tests live: one cache folder shared by all runs. What is in it was unpacked once, under a lock, and moved into place
// whole, so that a run never sees half an engine. Knows nothing about any engine.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './processes.mjs';

const cacheFolder = process.env.MILLRACE_ENGINES_DIR || join(process.env.TMPDIR || tmpdir(), 'millrace-engines');

/** A folder below the cache, made when missing. Others may look in, because PostgreSQL runs as another user when we are root. */
export function cachePath(...parts) {
  mkdirSync(cacheFolder, { recursive: true, mode: 0o755 });
  // Programs are started from here, so a folder that somebody else made under the well-known name is not to be trusted.
  if (process.getuid && statSync(cacheFolder).uid !== process.getuid())
    throw new Error(`${cacheFolder} belongs to another user; name a folder of your own in MILLRACE_ENGINES_DIR`);
  return join(cacheFolder, ...parts);
}

/** Runs the work while no other process holds the lock of that name; a lock whose holder died is taken over. */
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
    // The holder writes its id right after making the folder; only one that died in between leaves it empty for seconds.
    try {
      return Date.now() - statSync(lock).mtimeMs > 5000;
    } catch {
      return false;
    }
  }
}

const exists = (path) => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** The folder of that name, filled by `fill(folder)` the first time anyone asks for it. */
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
