/** Memory that a load has taken is given back when it is over. The runtime's own figures decide, and no clock. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const PROBE = fileURLToPath(new URL('resting-probe.mjs', import.meta.url));

interface Sizes {
  readonly young: number;
  readonly old: number;
  /** Bytes of what functions were compiled to, as the last collection counted them. */
  readonly code: number;
}

interface Probed {
  readonly dropped: boolean;
  readonly most: number;
  readonly loaded: Sizes;
  readonly rested: Sizes;
  readonly again: Sizes;
  readonly shown: boolean;
}

test('the memory for young objects has a bound, is small again after a load, and grows again with the next', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROBE], { timeout: 90_000 });
  const { dropped, most, loaded, rested, again, shown } = JSON.parse(stdout) as Probed;
  expect(loaded.young).toBeGreaterThan(8);
  expect(most).toBeLessThanOrEqual(16);
  expect(dropped).toBe(true);
  expect(rested.young).toBeLessThan(4);
  expect(rested.old).toBeLessThan(10);
  expect(rested.code, 'code that is not running is given back').toBeLessThan(500_000);
  expect(again.code, 'and made again').toBeGreaterThan(1_000_000);
  expect(again.young).toBeGreaterThan(8);
  expect(shown, 'the collector is shown to nobody').toBe(false);
}, 100_000);
