// PostgreSQL servers that lie: thousands of conversations that went wrong by chance, and what may come of them.
import { expect, test } from 'vitest';
import { heldByLargeRows } from '../../src/engines/limits.ts';
import { campaign } from './frame/campaign.ts';
import { postgresProtocol } from './postgres.ts';

const MIB = 1024 * 1024;

test('20,000 conversations with servers that lie', async () => {
  const report = await campaign(postgresProtocol, { conversations: 20_000 });
  process.stdout.write(`${JSON.stringify(report)}\n`);
  expect(report.wrong).toEqual([]);
  expect(report.conversations).toBe(20_000);
  expect(report.longestMs).toBeLessThan(1000);
  expect(report.longestRoundMs).toBeLessThan(1000);
  expect(report.grownBytes).toBeLessThan(400 * MIB);
  expect(heldByLargeRows()).toBe(0);
  // The lies are told to somebody who listens: some are believed, most are found out.
  for (const ending of ['done', 'malformed', 'lost', 'login']) expect(report.endings[ending] ?? 0).toBeGreaterThan(50);
}, 400_000);
