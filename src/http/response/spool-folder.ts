/**
 * The temporary folder in which a service opens files for responses, and the folders that crashes
 * leave behind.
 */
import { mkdirSync, openSync, readdirSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newUlid } from '../../model/ulid.ts';

const PREFIX = 'millrace-spool-';
const NAME = /^millrace-spool-(\d+)-/;

export class SpoolFolder {
  /**
   * The process id shows others whether it is alive; the ULID distinguishes processes with the same
   * id.
   */
  readonly #name = `${PREFIX}${process.pid}-${newUlid()}`;
  #files = 0;

  /** Opens a file and unlinks it at once, so that it never outlives the process. */
  open(): number {
    const folder = join(tmpdir(), this.#name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, String(this.#files++));
    const file = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    return file;
  }

  /**
   * Removes the folders of processes that have ended, for example between open and unlink. The
   * folder of a living process may go too: it is made again when needed, and open files have no
   * names.
   */
  removeStale(): void {
    for (const name of namesInTemporaryFolder()) {
      const pid = Number(NAME.exec(name)?.[1]);
      if (Number.isNaN(pid) || name === this.#name || (pid !== process.pid && isAlive(pid))) continue;
      try {
        rmSync(join(tmpdir(), name), { recursive: true, force: true });
      } catch {
        // It belongs to another user.
      }
    }
  }

  remove(): void {
    rmSync(join(tmpdir(), this.#name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function namesInTemporaryFolder(): readonly string[] {
  try {
    return readdirSync(tmpdir());
  } catch {
    // A missing folder is reported when a file is opened in it.
    return [];
  }
}
