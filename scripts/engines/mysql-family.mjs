// Shared by MySQL and MariaDB: flags of a private, disposable server, and the probe of its
// greeting.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { firstBytes } from './processes.mjs';

/** Flags of a server that keeps its data in `folder` and reads no configuration of the machine. */
export function privateFlags(prefix, folder) {
  // A starting server removes all temporary tables in this folder, also those of other servers.
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
    // Durability is off: a power failure may lose test data.
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

/** The greeting: length (3 bytes), sequence number, protocol version (10), server version, NUL. */
export const greetedVersion = (port) =>
  firstBytes(port, (bytes) => {
    if (bytes[4] !== 10) throw new Error('the server refuses connections');
    return bytes.toString('latin1', 5, bytes.indexOf(0, 5)).replace(/^5\.5\.5-/, '');
  });
