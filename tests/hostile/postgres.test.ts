// PostgreSQL servers that lie: thousands of conversations that went wrong by chance, and what may come of them.
import { test } from 'vitest';
import { expectUnharmed } from './frame/verdict.ts';
import { postgresProtocol } from './postgres.ts';

test(
  '20,000 conversations with servers that lie',
  () => expectUnharmed(postgresProtocol, 20_000, ['done', 'malformed', 'lost', 'login']),
  400_000,
);
