// What running MySQL and MariaDB has in common: the flags of a private, throw-away server, and the greeting that says it is up.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { firstBytes } from './processes.mjs';

/** Flags for a server of the prefix that keeps its data in `folder` and reads no configuration of the machine. */
export function privateFlags(prefix, folder) {
  // A server that starts removes every temporary table that it finds in its folder for them, those of a server beside it too.
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const flags = [
    '--no-defaults',
    `--basedir=${prefix}/usr`,
    `--lc-messages-dir=${prefix}/usr/share/mysql`,
    `--character-sets-dir=${prefix}/usr/share/mysql/charsets`,
    `--plugin-dir=${prefix}/usr/lib/mysql/plugin`,
    `--datadir=${join(folder, 'data')}`,
    `--tmpdir=${temporary}`,
    '--innodb-buffer-pool-size=64M',
    // A power failure may cost the rows of a test.
    '--innodb-flush-log-at-trx-commit=0',
  ];
  return process.getuid?.() === 0 ? [...flags, '--user=root'] : flags;
}

export const networkFlags = (folder, port) => [
  `--port=${port}`,
  '--bind-address=127.0.0.1',
  `--socket=${join(folder, 'socket')}`,
  `--pid-file=${join(folder, 'pid')}`,
  '--skip-name-resolve',
  '--max-connections=500',
];

/** The greeting: three bytes of length, a sequence number, the protocol's version (10), then the server's version up to a NUL. */
export const greetedVersion = (port) =>
  firstBytes(port, (bytes) => {
    if (bytes[4] !== 10) throw new Error('the server refuses connections');
    return bytes.toString('latin1', 5, bytes.indexOf(0, 5)).replace(/^5\.5\.5-/, '');
  });
