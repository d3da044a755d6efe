// `npm run bench`: runs the service and the yardsticks in interleaved rounds on real engines, and
// writes the results to bench/results/. Only ratios within one run are comparable.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bringUpEngine, ENGINE_NAMES } from './engines.mjs';
import { createFixture } from './fixtures.mjs';
import { halfRate, secondsOfHalfRate } from './half-rate.mjs';
import { chooseGenerator, OwnGenerator } from './load.mjs';
import { residentBytes } from './measure.mjs';
import { readOptions, USAGE } from './options.mjs';
import { Progress } from './progress.mjs';
import { toMarkdown, toText, verdicts } from './report.mjs';
import { admit, isYardstick, RepeatBudget, runRounds, secondsOfContest } from './rounds.mjs';
import { SCENARIOS } from './scenarios.mjs';
import { startService, startYardstick } from './servers.mjs';
import { Administrator, databaseEntry, Refused } from './tenants.mjs';
import { TRIALS } from './trials.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DOCS = join(ROOT, 'docs', 'performance-results.md');
const HEAD = `# Results of the last benchmark run

\`npm run bench\` writes this page at the end of a whole run. [Performance](performance.md) describes what
is measured, and how. Only ratios within one run are comparable.
`;
const ALL = { ...SCENARIOS, ...TRIALS };

const say = (line) => process.stderr.write(`${line}\n`);

function chosen({ scenarios, thousand }) {
  const unknown = scenarios?.find((name) => !Object.hasOwn(ALL, name));
  if (unknown) throw new Error(`unknown scenario ${unknown}; known are ${Object.keys(ALL).join(', ')}`);
  return scenarios ?? Object.keys(ALL).filter((name) => thousand || !ALL[name].isOptional);
}

/** Targets may depend on the engine. */
const targetsOf = ({ targets }, type) => (typeof targets === 'function' ? targets(type) : targets);

/**
 * Runs one scenario on one engine. A scenario that cannot run is reported and does not end the run.
 */
async function runScenario(name, engine, settings, progress) {
  const scenario = ALL[name];
  const type = engine.fixture.address.type;
  const result = { scenario: name, engine: type, title: scenario.title, targets: targetsOf(scenario, type), note: scenario.note };
  say(`[${progress.next()}] ${ENGINE_NAMES[type]}: ${scenario.title}`);
  try {
    if (scenario.trial) Object.assign(result, await scenario.trial(engine, settings, say));
    else await contest(result, await scenario.contestants(engine, settings, say), { ...settings, ...spanOf(scenario, settings) });
  } catch (error) {
    if (!(error instanceof Refused)) say(`  ${error.stack}`);
    result.unavailable = error.message;
  }
  for (const stop of engine.finish.splice(0).reverse()) await stop().catch((error) => say(error.message));
  engine.service.clearLog();
  process.stdout.write(`${toText(result)}\n`);
  return result;
}

/** Estimated seconds of a scenario on one engine. */
function estimateOf(scenario, settings) {
  const own = scenario.takes ?? 0;
  if (scenario.trial) return own;
  const sides = scenario.sides ?? 2;
  return own + secondsOfContest(sides, { ...settings, ...spanOf(scenario, settings) }) + secondsOfHalfRate(sides);
}
/** Total time for repeating rounds of a whole run in which the host was busy. */
const REPEAT_SECONDS = 60;
/** Time to start an engine and the servers, and to fill the tables. */
const ENGINE_SECONDS = 15;

/** Some contests need longer or fewer rounds. */
const spanOf = ({ seconds: least = 0, leastRounds = 0, mostRounds = Number.POSITIVE_INFINITY }, { isWhole, quick, seconds, rounds }) => ({
  seconds: quick ? seconds : Math.max(seconds, least),
  rounds: Math.min(isWhole ? Math.max(rounds, leastRounds) : rounds, mostRounds),
});

async function contest(result, contestants, settings) {
  for (const contestant of contestants) {
    await contestant.before?.();
    const problem = await admit(contestant);
    if (problem) throw new Refused(`${contestant.label} answered ${problem}`);
  }
  const sayRound = (round, results) => {
    const shown = results.map((rounds, i) => `${contestants[i].label} ${Math.round(rounds.at(-1).rate)}/s`);
    say(`  round ${round} of ${settings.rounds}: ${shown.join(', ')}`);
  };
  const measured = await runRounds(contestants, settings, sayRound, say);
  const idle = measured.find(({ rounds }) => rounds.some(({ rate }) => rate === 0));
  if (idle) throw new Refused(`no requests: none of ${idle.label} came to its end in some round`);
  // Without a yardstick the service is compared with itself.
  if (contestants.some(isYardstick)) await halfRate(contestants, measured, settings, say);
  result.contestants = measured;
  for (const contestant of measured) contestant.verdicts = verdicts(result.targets?.[contestant.label], contestant);
}

/**
 * Prepares an engine for its scenarios. Service and yardstick are restarted per engine, so that
 * memory of one engine's scenarios does not affect the next.
 */
async function prepareEngine(type, address, options, runFolder) {
  say(`${ENGINE_NAMES[type]}: filling tables ...`);
  const folder = join(runFolder, type);
  mkdirSync(folder, { recursive: true });
  const fixture = await createFixture(address);
  const service = await startService({ folder, workers: options.workers, prof: options.prof });
  const administrator = new Administrator(service);
  const project = await administrator.createProject([databaseEntry(address, fixture.name)]);
  const yardstick = await startYardstick(type, address, fixture.name, folder);
  const finish = [];
  const stops = [];
  const stop = async () => {
    for (const own of stops.splice(0).reverse()) await own();
    await yardstick.stop();
    await service.stop();
    await fixture.drop();
    rmSync(join(folder, 'data'), { recursive: true, force: true });
  };
  /**
   * `later` stops resources after a scenario, `stops` after the engine. `atStart` is the memory
   * before any load.
   */
  const atStart = { service: residentBytes(service.pid), yardstick: residentBytes(yardstick.pid) };
  return { fixture, project, yardstick, service, administrator, folder, atStart, finish, stops, later: (work) => finish.push(work), stop };
}

const AUTOGROUPS = '/proc/sys/kernel/sched_autogroup_enabled';

function describeMachine() {
  return {
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    node: process.versions.node,
    cores: cpus().length,
    cpu: cpus()[0]?.model,
    hasAutogroups: existsSync(AUTOGROUPS) && readFileSync(AUTOGROUPS, 'utf8').startsWith('1'),
  };
}

function writeResults(run, folder, { isWhole }) {
  writeFileSync(join(folder, 'results.json'), `${JSON.stringify(run, null, 1)}\n`);
  writeFileSync(join(folder, 'report.md'), `# Benchmark\n\n${toMarkdown(run)}\n`);
  say(`written: ${join(folder, 'report.md')}`);
  if (!isWhole) return;
  writeFileSync(DOCS, `${HEAD}\n${toMarkdown(run)}\n`);
  say(`written: ${DOCS}`);
}

async function main(options) {
  const names = chosen(options);
  const settings = { ...options, thousand: names.includes('databases-1000'), generator: chooseGenerator(say) };
  const folder = join(ROOT, 'bench', 'results', new Date().toISOString().slice(0, 19).replaceAll(':', ''));
  mkdirSync(folder, { recursive: true });
  const stops = [];
  const cleanUp = async () => {
    for (const stop of stops.splice(0).reverse()) await stop().catch((error) => say(error.message));
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void cleanUp().then(() => process.exit(130)));
  const run = { machine: describeMachine(), settings, results: [] };
  try {
    const plan = options.engines.map((type) => [type, names.filter((name) => ALL[name].engines.includes(type))]);
    const seconds = plan.flatMap(([, own]) => own.map((name, i) => estimateOf(ALL[name], settings) + (i === 0 ? ENGINE_SECONDS : 0)));
    const progress = new Progress(seconds);
    settings.repeats = new RepeatBudget(REPEAT_SECONDS, seconds.length);
    settings.paced = new OwnGenerator();
    say(`${seconds.length} scenarios, about ${progress.minutes} minutes`);
    for (const [type, own] of plan) {
      if (own.length === 0) continue;
      const { address, stop } = await bringUpEngine(type);
      stops.push(stop);
      const engine = await prepareEngine(type, address, options, folder);
      stops.push(engine.stop);
      for (const name of own) run.results.push(await runScenario(name, engine, settings, progress));
      await cleanUp();
    }
    run.minutes = progress.minutesPassed;
    run.repeated = settings.repeats.repeated;
    writeResults(run, folder, options);
  } finally {
    settings.paced?.end();
    await cleanUp();
  }
  return run;
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(`${USAGE}\n`);
  else if (options.list) for (const [name, { title }] of Object.entries(ALL)) process.stdout.write(`${name.padEnd(14)} ${title}\n`);
  else await main(options);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
