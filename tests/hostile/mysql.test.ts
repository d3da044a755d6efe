// MySQL and MariaDB servers that lie: thousands of conversations that went wrong by chance, and what may come of them.
import { test } from 'vitest';
import { times } from '../support/times.ts';
import { expectUnharmed } from './frame/verdict.ts';
import { mysqlProtocol } from './mysql.ts';

test.each(['mysql', 'mariadb'] as const)(
  'conversations with servers that lie: %s',
  (engine) => expectUnharmed(mysqlProtocol(engine), times(150, 20_000), ['done', 'malformed', 'lost', 'login']),
  600_000,
);
