// MySQL for tests: Oracle's server as Debian's unstable suite packages it, since stable has none. That suite moves on, so the version that is
// under test is whatever was current when the cache was filled; it is printed at each start. root comes in over TCP without a password.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installOnce } from './cache.mjs';
import { checkLibraries, privateCommand, unpackPackage } from './debian.mjs';
import { greetedVersion, networkFlags, privateFlags } from './mysql-family.mjs';
import { execute } from './processes.mjs';

const program = 'usr/sbin/mysqld';

// The directory for LOAD DATA that was compiled in does not exist here, which would stop the start.
const ownFlags = ['--secure-file-priv=NULL'];

export const mysql = {
  ports: ['sql'],
  marks: ['pid', 'socket', 'socket.lock'],
  stopSignal: 'SIGTERM',

  install: (say) =>
    installOnce('mysql-9', say, async (prefix) => {
      // Perl is there for helper scripts that are not run.
      await unpackPackage({ suite: 'sid', name: 'mysql-server-core', without: /^(perl|libperl|libdb5|libgdbm)/ }, prefix, say);
      await checkLibraries(prefix, program);
    }),

  async prepare(prefix, folder) {
    mkdirSync(folder, { recursive: true });
    const script = join(folder, 'init.sql');
    // Names are not resolved, so a connection over TCP is from 127.0.0.1 and never from localhost.
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
