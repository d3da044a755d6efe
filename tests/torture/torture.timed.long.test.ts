// The short torture run, with a fixed seed. `npm run torture` runs longer, with a new seed or a
// given one.
import { expect, test } from 'vitest';
import { ENGINE_NAMES } from '../support/engines.ts';
import { torture } from './run.ts';

const minutes = Number(process.env['MILLRACE_TEST_TORTURE_MINUTES'] ?? 2);
const seed = Number(process.env['MILLRACE_TEST_TORTURE_SEED'] ?? 1369520345);

test(
  `${minutes} minutes of traffic under faults, seed ${seed}`,
  async () => {
    const violations = await torture({ seed, minutes, engines: ENGINE_NAMES, say: (line) => process.stdout.write(`${line}\n`) });
    expect(violations).toEqual([]);
  },
  (minutes + 5) * 60_000,
);
