// Test projects: `fast` is `npm test`; `long` and `timed` are added by `npm run test:all`.
// Two files run at a time, because the smallest machine that has to pass has two cores.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds per file of an earlier run. A file that is not listed takes about a second. */
const DURATIONS = JSON.parse(readFileSync(new URL('./tests/durations.json', import.meta.url), 'utf8')) as Record<string, number>;

/** Starts the longest files first, so that none of them runs alone beside an idle core at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId }: TestSpecification): number => DURATIONS[moduleId.slice(moduleId.indexOf('/tests/') + 1)] ?? 1;
    return files.toSorted((a, b) => seconds(b) - seconds(a));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // The same patience as in tests/support/patience.ts.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/**/*.long.test.ts'],
          // Files of a worker share its process, its modules and its service.
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: ['tests/**/*.long.test.ts'],
          exclude: ['tests/**/*.timed.long.test.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        // Their assertions are about elapsed time, so that nothing else may run beside them.
        test: { name: 'timed', include: ['tests/**/*.timed.long.test.ts'], maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
