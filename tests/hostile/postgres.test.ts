// Malicious PostgreSQL servers: thousands of randomly mutated conversations, and their allowed
// results.
import { test } from 'vitest';
import { times } from '../support/times.ts';
import { expectUnharmed } from './frame/verdict.ts';
import { postgresProtocol } from './postgres.ts';

test(
  'the PostgreSQL driver survives servers that send invalid messages',
  () => expectUnharmed(postgresProtocol, times(300, 20_000), ['done', 'malformed', 'lost', 'login']),
  400_000,
);
