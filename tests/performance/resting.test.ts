/** Memory that a load has taken is given back when it is over. The runtime's own figures decide, and no clock. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const PROBE = fileURLToPath(new URL('resting-probe.mjs', import.meta.url));

test('after a load the memory for young objects is small again, and the collector is shown to nobody', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROBE], { timeout: 90_000 });
  const { dropped, loaded, rested, shown } = JSON.parse(stdout) as { dropped: boolean; loaded: number; rested: number; shown: boolean };
  expect(dropped).toBe(true);
  expect(loaded).toBeGreaterThan(8);
  expect(rested).toBeLessThan(4);
  expect(shown).toBe(false);
}, 100_000);
