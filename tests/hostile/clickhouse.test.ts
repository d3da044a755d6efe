// ClickHouse servers that lie, over both of their protocols: thousands of conversations that went wrong by chance, and what may come of them.
import { expect, test } from 'vitest';
import { heldByLargeRows } from '../../src/engines/limits.ts';
import { clickhouseHttpProtocol } from './clickhouse-http.ts';
import { clickhouseNativeProtocol } from './clickhouse-native.ts';
import { campaign } from './frame/campaign.ts';

const MIB = 1024 * 1024;
const CONVERSATIONS = 20_000;

test.each([clickhouseHttpProtocol, clickhouseNativeProtocol])(
  '20,000 conversations with servers that lie: $name',
  async (protocol) => {
    const report = await campaign(protocol, { conversations: CONVERSATIONS });
    process.stdout.write(`${JSON.stringify(report)}\n`);
    expect(report.wrong).toEqual([]);
    expect(report.conversations).toBe(CONVERSATIONS);
    expect(report.longestMs).toBeLessThan(1000);
    expect(report.longestRoundMs).toBeLessThan(1000);
    expect(report.grownBytes).toBeLessThan(400 * MIB);
    expect(heldByLargeRows()).toBe(0);
    // The lies are told to somebody who listens: some are believed, most are found out.
    for (const ending of ['done', 'malformed', 'lost']) expect(report.endings[ending] ?? 0).toBeGreaterThan(50);
  },
  600_000,
);
