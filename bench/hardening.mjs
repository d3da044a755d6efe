// What bounds and checks cost: CPU time of requests with each of them and without.
//   node bench/hardening.mjs [repeats]        PostgreSQL, eight minutes a repeat; prints a table
// Two processes that are alike differ by some percent for as long as they live. So many pairs are started, and a check is weighed by all of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bringUpEngine } from './engines.mjs';
import { createFixture } from './fixtures.mjs';
import { chooseGenerator } from './load.mjs';
import { runRounds } from './rounds.mjs';
import { SCENARIOS } from './scenarios.mjs';
import { startService } from './servers.mjs';
import { Administrator, databaseEntry } from './tenants.mjs';
import { CHECKS } from './without/checks.mjs';

const CONTESTS = ['single', 'page1000', 'insert1', 'insert1000'];
const repeats = Number(process.argv[2] ?? 3);
const names = Object.keys(CHECKS);

/** Of two numbers in binary: how many ones they share. */
const shared = (a, b) => (a & b).toString(2).replaceAll('0', '').length;

/**
 * The signs of a Hadamard matrix of order eight without its column of ones: which of a pair has the check. In the eight pairs each check is four
 * times on the side of each other one and four times on the other side, so that what the others cost adds up to nothing.
 */
const SIGNS = Array.from({ length: 8 }, (_, row) => Array.from({ length: 7 }, (_, column) => (shared(row, column + 1) % 2 === 0 ? 1 : -1)));
if (names.length > SIGNS[0].length) throw new Error(`the plan is for ${SIGNS[0].length} checks, and there are ${names.length}`);

const lacking = (row, sign) => names.filter((_, i) => row[i] === sign);
const ALL_AND_NONE = { kind: 'all', without: [[], names] };
const ALIKE = { kind: 'alike', without: [[], []] };

/** The pairs of one repeat. The first row of the plan is all checks against none: it counts as such too, and three more of it. */
const PLAN = [
  ...SIGNS.map((signs) => ({ kind: 'plan', signs, without: [lacking(signs, -1), lacking(signs, 1)] })),
  ...Array.from({ length: 3 }, () => ALL_AND_NONE),
  ...Array.from({ length: 2 }, () => ALIKE),
];

const folder = mkdtempSync(join(tmpdir(), 'millrace-hardening-'));
const generator = chooseGenerator(() => undefined);

/** For each contest, how much more CPU time a request takes in the first of the two, as a logarithm. */
async function weigh(pair, address, fixture) {
  const services = [];
  try {
    for (const without of pair.without) {
      const own = mkdtempSync(join(folder, 'service-'));
      const service = await startService({ folder: own, workers: 1, without });
      services.push(service);
      const administrator = new Administrator(service);
      const project = await administrator.createProject([databaseEntry(address, fixture.name)]);
      service.engine = { fixture, project, yardstick: service, service, administrator, folder: own, finish: [], later() {} };
    }
    const differences = {};
    for (const name of CONTESTS) {
      const contestants = [];
      for (const { engine } of services) contestants.push((await SCENARIOS[name].contestants(engine, {}, () => undefined))[1]);
      const results = await runRounds(contestants, { rounds: 2, seconds: 1, connections: 32, generator }, () => undefined);
      const [one, other] = results.map(({ rounds }) => rounds.reduce((sum, { cpu }) => sum + cpu, 0) / rounds.length);
      differences[name] = { difference: Math.log(one / other), cpu: (one + other) / 2 };
    }
    return differences;
  } finally {
    for (const { stop } of services) await stop();
  }
}

const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** The mean in percent, and twice its standard error: nineteen times of twenty the truth is in between. */
function cell(logarithms) {
  const middle = mean(logarithms);
  const variance = logarithms.reduce((sum, number) => sum + (number - middle) ** 2, 0) / (logarithms.length - 1);
  return `${(middle * 100).toFixed(1)} ± ${(200 * Math.sqrt(variance / logarithms.length)).toFixed(1)}`;
}

const { address, stop } = await bringUpEngine('pg');
const stops = [stop];
try {
  const fixture = await createFixture(address);
  stops.push(() => fixture.drop());
  const weighed = [];
  for (let repeat = 1; repeat <= repeats; repeat++)
    for (const [i, pair] of PLAN.entries()) {
      weighed.push({ ...pair, of: await weigh(pair, address, fixture) });
      process.stderr.write(`repeat ${repeat} of ${repeats}: pair ${i + 1} of ${PLAN.length}\n`);
    }
  const row = (label, pairs, sign) =>
    `| ${label} | ${CONTESTS.map((name) => cell(pairs.map((pair) => sign(pair) * pair.of[name].difference))).join(' | ')} |`;
  const kind = (wanted) => weighed.filter((pair) => pair.kind === wanted);
  const isAll = (pair) => pair.kind === 'all' || pair.signs?.every((sign) => sign === 1);
  console.log(`| | ${CONTESTS.join(' | ')} |\n|---|${'---|'.repeat(CONTESTS.length)}`);
  console.log(`| µs of CPU | ${CONTESTS.map((name) => mean(weighed.map(({ of }) => of[name].cpu)).toFixed(0)).join(' | ')} |`);
  console.log(row('two that are alike, %', kind('alike'), () => 1));
  for (const [i, name] of names.entries()) console.log(row(`${CHECKS[name].what}, %`, kind('plan'), ({ signs }) => signs[i]));
  console.log(row('all of these together, %', weighed.filter(isAll), () => 1));
} finally {
  for (const end of stops.reverse()) await end().catch((error) => process.stderr.write(`${error.message}\n`));
  rmSync(folder, { recursive: true, force: true });
}
