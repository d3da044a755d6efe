// MariaDB for tests, from Debian stable. root logs in over TCP from 127.0.0.1 without a password.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installOnce } from './cache.mjs';
import { checkLibraries, privateCommand, unpackPackage } from './debian.mjs';
import { greetedVersion, networkFlags, privateFlags } from './mysql-family.mjs';
import { execute } from './processes.mjs';

const program = 'usr/sbin/mariadbd';

// The system tables, in the order of their dependencies.
const systemScripts = [
  'mysql_system_tables',
  'mysql_performance_tables',
  'mysql_system_tables_data',
  'maria_add_gis_sp_bootstrap',
  'mysql_sys_schema',
];

export const mariadb = {
  ports: ['sql'],
  marks: ['pid', 'socket'],
  stopSignal: 'SIGTERM',

  install: (say) =>
    installOnce('mariadb-10.11', say, async (prefix) => {
      await unpackPackage({ suite: 'bookworm', name: 'mariadb-server-core' }, prefix, say);
      await checkLibraries(prefix, program);
    }),

  /** Creates the system tables. The bootstrap mode reads one statement per line. */
  async prepare(prefix, folder) {
    mkdirSync(join(folder, 'data'), { recursive: true });
    const scripts = systemScripts.map((name) => readFileSync(join(prefix, 'usr/share/mysql', `${name}.sql`), 'utf8'));
    // By default the scripts create a socket login for root and an anonymous user.
    const preamble = ['create database mysql;', 'use mysql;', 'set @auth_root_socket=null;', 'set @skip_auth_anonymous=1;', ''].join('\n');
    const { file, args } = privateCommand(prefix, program, [
      ...privateFlags(prefix, folder),
      '--innodb-log-file-size=16M',
      '--bootstrap',
      '--skip-networking',
      '--log-warnings=0',
    ]);
    await execute(file, args, { input: preamble + scripts.join('\n') });
  },

  command: (prefix, folder, ports) =>
    privateCommand(prefix, program, [...privateFlags(prefix, folder), ...networkFlags(folder, ports.sql), '--innodb-log-file-size=16M']),

  probe: (ports) => greetedVersion(ports.sql),

  variables: (ports) => ({ MILLRACE_TEST_MARIADB_URL: `mysql://root@127.0.0.1:${ports.sql}/` }),
};
