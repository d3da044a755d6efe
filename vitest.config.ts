// Test projects: `fast` is `npm test`; `long` and `timed` are added by `npm run test:all`.
// Two files run at a time, because the smallest machine that has to pass has two cores.
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestSpecification } from 'vitest/node';

const { durationOf } = (await load('durations')) as { durationOf(file: string): number };
const { ProgressReporter } = (await load('progress')) as { ProgressReporter: new () => Reporter };

function load(name: string): Promise<unknown> {
  return import(new URL(`./scripts/testing/${name}.mjs`, import.meta.url).href);
}

/** Set by scripts/test.mjs, which counts the tests in it. */
const report = process.env['MILLRACE_TEST_REPORT'];

/**
 * Starts the longest files first, so that none of them runs alone beside an idle core at the end.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId, project }: TestSpecification): number => durationOf(relative(project.config.root, moduleId));
    return files.toSorted((a, b) => seconds(b) - seconds(a));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    ...(report !== undefined && { reporters: [new ProgressReporter(), 'json'], outputFile: { json: report } }),
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
