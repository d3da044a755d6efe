/** Writes files atomically, readable by their owner only. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

export function writePrivateFile(file: string, text: string): void {
  const beside = `${file}.${process.pid}`;
  rmSync(beside, { force: true });
  const descriptor = openSync(beside, 'wx', 0o600);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(beside, file);
}
