// PostgreSQL servers that lie: thousands of conversations that went wrong by chance, and what may come of them.
import { test } from 'vitest';
import { times } from '../support/times.ts';
import { expectUnharmed } from './frame/verdict.ts';
import { postgresProtocol } from './postgres.ts';

test(
  'conversations with servers that lie',
  () => expectUnharmed(postgresProtocol, times(300, 20_000), ['done', 'malformed', 'lost', 'login']),
  400_000,
);
