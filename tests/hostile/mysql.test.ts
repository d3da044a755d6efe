// Malicious MySQL and MariaDB servers: thousands of randomly mutated conversations, and their
// allowed results.
import { test } from 'vitest';
import { times } from '../support/times.ts';
import { expectUnharmed } from './frame/verdict.ts';
import { mysqlProtocol } from './mysql.ts';

test.each(['mysql', 'mariadb'] as const)(
  'the driver survives servers that send invalid messages: %s',
  (engine) => expectUnharmed(mysqlProtocol(engine), times(150, 20_000), ['done', 'malformed', 'lost', 'login']),
  600_000,
);
