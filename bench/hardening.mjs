// What bounds and checks cost: the service beside itself without one of them, and without all, in interleaved rounds.
//   node bench/hardening.mjs [rounds]        PostgreSQL; prints a table of CPU time a request
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bringUpEngine } from './engines.mjs';
import { createFixture } from './fixtures.mjs';
import { chooseGenerator } from './load.mjs';
import { median } from './measure.mjs';
import { runRounds } from './rounds.mjs';
import { SCENARIOS } from './scenarios.mjs';
import { startService } from './servers.mjs';
import { Administrator, databaseEntry } from './tenants.mjs';
import { CHECKS } from './without/checks.mjs';

const CONTESTS = ['single', 'page1000', 'insert1', 'insert1000'];
const settings = { rounds: Number(process.argv[2] ?? 9), seconds: 1, connections: 32, warmUp: 1 };

const VARIANTS = [
  ['all of them', []],
  // Tells how much of a difference is chance.
  ['all of them, once more', []],
  ...Object.entries(CHECKS).map(([name, { what }]) => [`without: ${what}`, [name]]),
  ['without any of these', Object.keys(CHECKS)],
];

/** How much more CPU time the full service takes than another, round by round: the median in percent, and the quartiles. There are two of it, of which the mean is taken. */
function cost([one, again], other) {
  const full = other === again ? [one] : [one, again];
  const cpuOf = (i) => full.reduce((sum, { rounds }) => sum + rounds[i].cpu, 0) / full.length;
  const ratios = other.rounds.map(({ cpu }, i) => (cpuOf(i) / cpu - 1) * 100).toSorted((a, b) => a - b);
  const at = (share) => ratios[Math.floor((ratios.length - 1) * share)].toFixed(1);
  return `${median(ratios).toFixed(1)} (${at(0.25)} to ${at(0.75)})`;
}

const folder = mkdtempSync(join(tmpdir(), 'millrace-hardening-'));
const { address, stop } = await bringUpEngine('pg');
const stops = [stop];
try {
  const fixture = await createFixture(address);
  stops.push(() => fixture.drop());
  const generator = chooseGenerator(() => undefined);
  const services = [];
  for (const [label, checks] of VARIANTS) {
    const own = mkdtempSync(join(folder, 'service-'));
    const service = await startService({ folder: own, workers: 1, without: checks });
    stops.push(service.stop);
    const administrator = new Administrator(service);
    const project = await administrator.createProject([databaseEntry(address, fixture.name)]);
    services.push({ label, engine: { fixture, project, yardstick: service, service, administrator, folder: own, finish: [], later() {} } });
  }
  const columns = [];
  for (const name of CONTESTS) {
    const contestants = [];
    for (const { label, engine } of services) {
      const [, ours] = await SCENARIOS[name].contestants(engine, {}, () => undefined);
      contestants.push({ ...ours, label });
    }
    columns.push(
      await runRounds(contestants, { ...settings, generator }, (round) =>
        process.stderr.write(`${name}: round ${round} of ${settings.rounds}\n`),
      ),
    );
  }
  console.log(`| | ${CONTESTS.map((name) => `${name}, %`).join(' | ')} |\n|---|${'---|'.repeat(CONTESTS.length)}`);
  console.log(`| ${VARIANTS[0][0]}, µs of CPU | ${columns.map(([full]) => full.cpu.toFixed(0)).join(' | ')} |`);
  for (let i = 1; i < VARIANTS.length; i++)
    console.log(`| ${VARIANTS[i][0]} | ${columns.map((column) => cost(column, column[i])).join(' | ')} |`);
} finally {
  for (const end of stops.reverse()) await end().catch((error) => process.stderr.write(`${error.message}\n`));
  rmSync(folder, { recursive: true, force: true });
}
