// How tests run: two files at a time, each in a process of its own, since the machines that must pass have two cores and tests start processes.
// Files that assert times run after the others, one at a time: what they measure is the service, not the file beside them.
import { defineConfig } from 'vitest/config';

const TIMED = [
  'tests/describe/many-tables.test.ts',
  'tests/faults/fair-shares.test.ts',
  'tests/hostile/http-resources.test.ts',
  'tests/hostile/large-inputs.test.ts',
  'tests/hostile/service.test.ts',
  'tests/process/bombs.test.ts',
];

export default defineConfig({
  test: {
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // Conditions are waited for with patience, as `tests/support/patience.ts` has it.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['tests/**/*.test.ts', 'src/**/*.test.ts'],
          exclude: TIMED,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'alone', include: TIMED, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
});
