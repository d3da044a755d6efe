// MySQL and MariaDB servers that lie: thousands of conversations that went wrong by chance, and what may come of them.
import { expect, test } from 'vitest';
import { heldByLargeRows } from '../../src/engines/limits.ts';
import { campaign } from './frame/campaign.ts';
import { mysqlProtocol } from './mysql.ts';

const MIB = 1024 * 1024;
/** Of each of the two, which speak one protocol. */
const CONVERSATIONS = 10_000;

test.each(['mysql', 'mariadb'] as const)(
  '10,000 conversations with servers that lie: %s',
  async (engine) => {
    const report = await campaign(mysqlProtocol(engine), { conversations: CONVERSATIONS });
    process.stdout.write(`${JSON.stringify(report)}\n`);
    expect(report.wrong).toEqual([]);
    expect(report.conversations).toBe(CONVERSATIONS);
    expect(report.longestMs).toBeLessThan(1000);
    expect(report.longestRoundMs).toBeLessThan(1000);
    expect(report.grownBytes).toBeLessThan(400 * MIB);
    expect(heldByLargeRows()).toBe(0);
    // The lies are told to somebody who listens: some are believed, most are found out.
    for (const ending of ['done', 'malformed', 'lost', 'login']) expect(report.endings[ending] ?? 0).toBeGreaterThan(50);
  },
  600_000,
);
