// `npm run bench`: starts the engines, the service as users run it and the yardsticks beside it, runs the scenarios in interleaved rounds, and
// writes what it found into bench/results/. Everything is a ratio within one run; figures of two runs are not to be compared.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bringUpEngine, ENGINE_NAMES } from './engines.mjs';
import { createFixture } from './fixtures.mjs';
import { chooseGenerator } from './load.mjs';
import { readOptions, USAGE } from './options.mjs';
import { toSvg } from './plot.mjs';
import { toMarkdown, toText, verdict } from './report.mjs';
import { admit, runRounds } from './rounds.mjs';
import { SCENARIOS } from './scenarios.mjs';
import { startService, startYardstick } from './servers.mjs';
import { Administrator, databaseEntry, Refused } from './tenants.mjs';
import { TRIALS } from './trials.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DOCS = join(ROOT, 'docs', 'performance.md');
const MARKS = ['<!-- last run: begin -->', '<!-- last run: end -->'];
const ALL = { ...SCENARIOS, ...TRIALS };

const say = (line) => process.stderr.write(`${line}\n`);

function chosen(options) {
  const unknown = options.scenarios?.find((name) => !Object.hasOwn(ALL, name));
  if (unknown) throw new Error(`unknown scenario ${unknown}; known are ${Object.keys(ALL).join(', ')}`);
  return options.scenarios ?? Object.keys(ALL);
}

/** One scenario on one engine. What the service refuses, or cannot do yet, is a line of the report and not the end of the run. */
async function runScenario(name, engine, settings, place) {
  const scenario = ALL[name];
  const type = engine.fixture.address.type;
  const result = { scenario: name, engine: type, title: scenario.title, targets: scenario.targets, note: scenario.note };
  say(`[${place}] ${ENGINE_NAMES[type]}: ${scenario.title}`);
  try {
    if (scenario.trial) Object.assign(result, await scenario.trial(engine, settings, say));
    else await contest(result, await scenario.contestants(engine, settings, say), { ...settings, seconds: secondsOf(scenario, settings) });
  } catch (error) {
    if (!(error instanceof Refused)) say(`  ${error.stack}`);
    result.unavailable = error.message;
  }
  for (const stop of engine.finish.splice(0).reverse()) await stop().catch((error) => say(error.message));
  engine.service.clearLog();
  process.stdout.write(`${toText(result)}\n`);
  return result;
}

/** Some contests need longer rounds. */
const secondsOf = (scenario, { quick, seconds }) => (quick ? seconds : Math.max(seconds, scenario.seconds ?? 0));

async function contest(result, contestants, settings) {
  for (const contestant of contestants) {
    await contestant.before?.();
    const problem = await admit(contestant);
    if (problem) throw new Refused(`${contestant.label} answered ${problem}`);
  }
  const measured = await runRounds(contestants, settings, (round, results) => {
    const shown = results.map((rounds, i) => `${contestants[i].label} ${Math.round(rounds.at(-1).rate)}/s`);
    say(`  round ${round} of ${settings.rounds}: ${shown.join(', ')}`);
  });
  const idle = measured.find(({ rounds }) => rounds.some(({ rate }) => rate === 0));
  if (idle) throw new Refused(`no requests: none of ${idle.label} came to its end in some round`);
  result.contestants = measured;
  for (const contestant of measured) contestant.verdict = verdict(result.targets?.[contestant.label], contestant);
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
  const service = await startService({ folder, workers: options.workers, prof: options.prof, nodeHttp: options.nodeHttp });
  const administrator = new Administrator(service);
  const project = await administrator.createProject([databaseEntry(address, fixture.name)]);
  const yardstick = await startYardstick(type, address, fixture.name, folder);
  const stop = async () => {
    await yardstick.stop();
    await service.stop();
    await fixture.drop();
    rmSync(join(folder, 'data'), { recursive: true, force: true });
  };
  const finish = [];
  /** `later`: what a scenario has started and is to be stopped when it is over. */
  return { fixture, project, yardstick, service, administrator, folder, finish, later: (work) => finish.push(work), stop };
}

function describeMachine() {
  return {
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    node: process.versions.node,
    cores: cpus().length,
    cpu: cpus()[0]?.model,
  };
}

function writeResults(run, folder, options) {
  writeFileSync(join(folder, 'results.json'), `${JSON.stringify(run, null, 1)}\n`);
  writeFileSync(join(folder, 'ratios.svg'), toSvg(run.results));
  writeFileSync(join(folder, 'report.md'), `# Benchmark\n\n${toMarkdown(run, 'ratios.svg')}\n`);
  say(`written: ${join(folder, 'report.md')}`);
  if (!options.writeDocs) return;
  writeFileSync(join(ROOT, 'docs', 'performance.svg'), toSvg(run.results));
  const [begin, end] = MARKS;
  const page = readFileSync(DOCS, 'utf8');
  const before = page.slice(0, page.indexOf(begin) + begin.length);
  writeFileSync(DOCS, `${before}\n\n${toMarkdown(run, 'performance.svg')}\n\n${page.slice(page.indexOf(end))}`);
  say(`written: ${DOCS}`);
}

async function main(options) {
  const names = chosen(options);
  const settings = { ...options, generator: chooseGenerator(say), warmUp: options.quick ? 1 : 2 };
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
    const total = plan.reduce((sum, [, own]) => sum + own.length, 0);
    for (const [type, own] of plan) {
      if (own.length === 0) continue;
      const { address, stop } = await bringUpEngine(type);
      stops.push(stop);
      const engine = await prepareEngine(type, address, options, folder);
      stops.push(engine.stop);
      for (const name of own) run.results.push(await runScenario(name, engine, settings, `${run.results.length + 1}/${total}`));
      await cleanUp();
    }
    writeResults(run, folder, options);
  } finally {
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
