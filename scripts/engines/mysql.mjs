// MySQL for tests, from Debian unstable, since stable does not package it. The version is the
// current one when the cache was filled; each start prints it. root logs in over TCP without a
// password.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installOnce } from './cache.mjs';
import { checkLibraries, privateCommand, unpackPackage } from './debian.mjs';
import { greetedVersion, networkFlags, privateFlags } from './mysql-family.mjs';
import { execute } from './processes.mjs';

const program = 'usr/sbin/mysqld';

// The compiled-in directory for LOAD DATA does not exist here, which would prevent the start.
const ownFlags = ['--secure-file-priv=NULL'];

export const mysql = {
  ports: ['sql'],
  marks: ['pid', 'socket', 'socket.lock'],
  stopSignal: 'SIGTERM',

  install: (say) =>
    installOnce('mysql-9', say, async (prefix) => {
      // Perl is needed by helper scripts only.
      await unpackPackage({ suite: 'sid', name: 'mysql-server-core', without: /^(perl|libperl|libdb5|libgdbm)/ }, prefix, say);
      await checkLibraries(prefix, program);
    }),

  async prepare(prefix, folder) {
    mkdirSync(folder, { recursive: true });
    const script = join(folder, 'init.sql');
    // Names are not resolved: a TCP connection is from 127.0.0.1, never from localhost.
    writeFileSync(script, "CREATE USER root@'127.0.0.1';\nGRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;\n");
    const { file, args } = privateCommand(prefix, program, [
      ...privateFlags(prefix, folder),
      ...ownFlags,
      '--initialize-insecure',
      '--innodb-redo-log-capacity=16M',
      `--init-file=${script}`,
    ]);
    await execute(file, args);
  },

  command: (prefix, folder, ports) =>
    privateCommand(prefix, program, [
      ...privateFlags(prefix, folder),
      ...networkFlags(folder, ports.sql),
      ...ownFlags,
      '--innodb-redo-log-capacity=16M',
      '--mysqlx=OFF',
      '--skip-log-bin',
      '--performance-schema=OFF',
    ]),

  probe: (ports) => greetedVersion(ports.sql),

  variables: (ports) => ({ MILLRACE_TEST_MYSQL_URL: `mysql://root@127.0.0.1:${ports.sql}/` }),
};
