// `npm run bench`: starts the engines, the service as users run it and the yardsticks beside it, runs the scenarios in interleaved rounds, and
// writes what it found into bench/results/, a whole run into docs/performance.md too. Everything is a ratio within one run; figures of two runs are not to be compared.
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
import { admit, isYardstick, Patience, runRounds, secondsOfContest } from './rounds.mjs';
import { SCENARIOS } from './scenarios.mjs';
import { startService, startYardstick } from './servers.mjs';
import { Administrator, databaseEntry, Refused } from './tenants.mjs';
import { TRIALS } from './trials.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DOCS = join(ROOT, 'docs', 'performance.md');
const MARKS = ['<!-- last run: begin -->', '<!-- last run: end -->'];
const ALL = { ...SCENARIOS, ...TRIALS };

const say = (line) => process.stderr.write(`${line}\n`);

function chosen({ scenarios, thousand }) {
  const unknown = scenarios?.find((name) => !Object.hasOwn(ALL, name));
  if (unknown) throw new Error(`unknown scenario ${unknown}; known are ${Object.keys(ALL).join(', ')}`);
  return scenarios ?? Object.keys(ALL).filter((name) => thousand || !ALL[name].isOptional);
}

/** One scenario on one engine. What the service refuses, or cannot do yet, is a line of the report and not the end of the run. */
async function runScenario(name, engine, settings, progress) {
  const scenario = ALL[name];
  const type = engine.fixture.address.type;
  const result = { scenario: name, engine: type, title: scenario.title, targets: scenario.targets, note: scenario.note };
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

/** What a scenario takes on one engine, about: measured once, to tell what a run will take. */
function estimateOf(scenario, settings) {
  const own = scenario.takes ?? 0;
  if (scenario.trial) return own;
  const sides = scenario.sides ?? 2;
  return own + secondsOfContest(sides, { ...settings, ...spanOf(scenario, settings) }) + secondsOfHalfRate(sides);
}
/** For rounds of a whole run that are run again because the host was busy with other machines. */
const PATIENCE_SECONDS = 60;
/** To start an engine, the servers and to fill the tables. */
const ENGINE_SECONDS = 15;

/** Some contests need longer rounds, and are content with fewer; some are about a few percent, and need more. */
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
  // Otherwise the service is compared with itself.
  if (contestants.some(isYardstick)) await halfRate(contestants, measured, settings, say);
  result.contestants = measured;
  for (const contestant of measured) contestant.verdicts = verdicts(result.targets?.[contestant.label], contestant);
}

/**
 * Everything a scenario needs of one engine. The service starts anew with each, as the yardstick does: what the scenarios of one engine left in
 * memory is not the next one's burden.
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
  /** `later`: what a scenario has started and is to be stopped when it is over; `stops`: when the engine is. `atStart`: its memory, unused. */
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
  const [begin, end] = MARKS;
  const page = readFileSync(DOCS, 'utf8');
  const before = page.slice(0, page.indexOf(begin) + begin.length);
  writeFileSync(DOCS, `${before}\n\n${toMarkdown(run)}\n\n${page.slice(page.indexOf(end))}`);
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
    settings.patience = new Patience(PATIENCE_SECONDS, seconds.length);
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
    run.repeated = settings.patience.repeated;
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
