// Cost of evaluating compiled expressions. Requires a build; prints a line per case with its limit.

import { Budget, DEFAULT_LIMITS } from '../../dist/lang/budget.js';
import { compileExpr, runExpr } from '../../dist/lang/expr/index.js';

const rows = Array.from(
  { length: 1000 },
  (_, i) =>
    new Map([
      ['id', i],
      ['name', `name ${i}`],
      ['amount', i * 1.25],
      ['active', i % 3 === 0],
      ['city', i % 7 === 0 ? null : `city ${i % 11}`],
    ]),
);
const env = new Map([
  [
    'input',
    new Map([
      ['a', 20],
      ['name', 'Ann'],
    ]),
  ],
  ['rows', rows],
]);
const names = [...env.keys()];

const CASES = [
  { text: 'input.a * 2 + 1', micros: 1 },
  { text: 'input.a > 18 and input.name startsWith "A"', micros: 1 },
  { text: 'filter(rows, .active and .amount > 100)', micros: 200 },
  { text: 'filter(rows, .id > 500)', micros: 200 },
  { text: 'map(rows, {{id: .id, label: .name + "!"}})', micros: 1000 },
  { text: 'sum(rows, .amount)', micros: 200 },
  { text: 'groupBy(rows, .city)', micros: 500 },
  { text: 'sortBy(rows, .amount, "desc")', micros: 1500 },
  { text: 'reduce(rows, #acc + .id, 0)', micros: 200 },
];

/**
 * The best and the median of several rounds of 20 ms. On a shared machine the best one is the cost.
 */
function measure(run) {
  let times = 1;
  const round = () => {
    const from = process.hrtime.bigint();
    for (let i = 0; i < times; i++) run();
    return Number(process.hrtime.bigint() - from) / times / 1000;
  };
  for (let warm = 0; warm < 12; warm++) {
    const each = round();
    times = Math.min(200_000, Math.max(1, Math.round(20_000 / Math.max(each, 0.05))));
  }
  const rounds = Array.from({ length: 7 }, round).sort((a, b) => a - b);
  return { best: rounds[0], median: rounds[3] };
}

export function bench() {
  return CASES.map(({ text, micros }) => {
    const compiled = compileExpr(text, { names });
    return { name: text, ...measure(() => runExpr(compiled, env, new Budget(DEFAULT_LIMITS))), limit: micros };
  });
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const micros = (value) => `${value.toFixed(2).padStart(9)} µs`;
  console.log('     best        median      should be under');
  for (const { name, best, median, limit } of bench())
    console.log(`${micros(best)} ${micros(median)} ${String(limit).padStart(9)} µs  ${name}`);
  const long = Array.from({ length: 250 }, (_, i) => `input.a + ${i}`).join(' + ');
  const { best, median } = measure(() => compileExpr(long, { names }));
  console.log(`${micros(best)} ${micros(median)}               to compile 500 operators`);
}
