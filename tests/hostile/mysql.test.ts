// MySQL and MariaDB servers that lie: thousands of conversations that went wrong by chance, and what may come of them.
import { test } from 'vitest';
import { expectUnharmed } from './frame/verdict.ts';
import { mysqlProtocol } from './mysql.ts';

test.each(['mysql', 'mariadb'] as const)(
  '10,000 conversations with servers that lie: %s',
  (engine) => expectUnharmed(mysqlProtocol(engine), 10_000, ['done', 'malformed', 'lost', 'login']),
  600_000,
);
