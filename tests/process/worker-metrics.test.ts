// The metrics of several processes as one text.
import { expect, test } from 'vitest';
import { mergeMetrics } from '../../src/cli/serve/worker-reports.ts';

const of = (count: number, more = ''): string => `# HELP a_total Things; {odd} ones too.
# TYPE a_total counter
a_total{uri="/x} y",kind="a, b"} ${count}
a_total ${count + 1}

# HELP b Other things.
# TYPE b histogram
b_bucket{le="+Inf"} ${count}
b_sum 1.5e-3 1700000000000
${more}`;

test('merged metrics describe each metric once, before the samples of all workers', () => {
  const merged = mergeMetrics([
    { worker: 1, text: of(1) },
    { worker: 4, text: of(7, '# HELP c Only here.\n# TYPE c gauge\nc NaN\n') },
  ]);
  expect(merged).toBe(`# HELP a_total Things; {odd} ones too.
# TYPE a_total counter
a_total{uri="/x} y",kind="a, b",worker="1"} 1
a_total{worker="1"} 2
a_total{uri="/x} y",kind="a, b",worker="4"} 7
a_total{worker="4"} 8

# HELP b Other things.
# TYPE b histogram
b_bucket{le="+Inf",worker="1"} 1
b_sum{worker="1"} 1.5e-3 1700000000000
b_bucket{le="+Inf",worker="4"} 7
b_sum{worker="4"} 1.5e-3 1700000000000

# HELP c Only here.
# TYPE c gauge
c{worker="4"} NaN
`);
});
