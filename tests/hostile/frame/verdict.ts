// Requirements of every campaign, whichever protocol.
import { expect } from 'vitest';
import { largeRowBytes } from '../../../src/engines/contract/limits.ts';
import { campaign } from './campaign.ts';
import type { Protocol } from './protocol.ts';

const MIB = 1024 * 1024;

/** Conversations after which every ending is expected to have occurred. */
const ENOUGH = 2000;

/**
 * `endings` must all occur, or the mutations test nothing. Short runs check the first two only.
 */
export async function expectUnharmed(protocol: Protocol, conversations: number, endings: readonly string[]): Promise<void> {
  const report = await campaign(protocol, { conversations });
  process.stdout.write(`${JSON.stringify(report)}\n`);
  expect(report.wrong).toEqual([]);
  expect(report.conversations).toBe(conversations);
  expect(report.longestMs).toBeLessThan(1000);
  expect(report.longestRoundMs).toBeLessThan(1000);
  expect(report.grownBytes).toBeLessThan(400 * MIB);
  expect(largeRowBytes()).toBe(0);
  for (const ending of conversations < ENOUGH ? endings.slice(0, 2) : endings)
    expect(report.endings[ending] ?? 0).toBeGreaterThan(conversations / 400);
}
