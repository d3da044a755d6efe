// How tests run: two files at a time, each in a process of its own, since the machines that must pass have two cores and tests start processes.
// Files that assert times run after the others, one at a time: what they measure is the service, not the file beside them.
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const TIMED = [
  'tests/describe/many-tables.test.ts',
  'tests/faults/fair-shares.test.ts',
  'tests/hostile/http-resources.test.ts',
  'tests/hostile/large-inputs.test.ts',
  'tests/hostile/service.test.ts',
  'tests/process/bombs.test.ts',
  'tests/torture/torture.test.ts',
];

/** The longest, which begin first: one that began last would run by itself in the end, beside an idle core. */
const LONG = [
  'tests/engines/conformance/operators.test.ts',
  'tests/hostile/clickhouse.test.ts',
  'tests/spec/stream-broken.test.ts',
  'tests/process/custom-versions.test.ts',
  'tests/spec/stream.test.ts',
  'tests/spec/personas-oracle.test.ts',
  'tests/store/processes.test.ts',
  'tests/lang/lark/bombs.test.ts',
  'tests/hostile/mysql.test.ts',
  'tests/hostile/postgres.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => LONG.findIndex((name) => moduleId.endsWith(name));
    const sorted = await super.sort(files);
    const long = sorted.filter((file) => place(file) >= 0).sort((a, b) => place(a) - place(b));
    return [...long, ...sorted.filter((file) => place(file) < 0)];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
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
