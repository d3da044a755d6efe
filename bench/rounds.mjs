// Interleaved rounds: every contestant runs once per round, in a changing order, so that
// disturbances affect all of them. Ratios are taken within a round.
import { setTimeout as delay } from 'node:timers/promises';
import { runLoad, sendOnce } from './load.mjs';
import { atRest, cpuSeconds, MOST_STOLEN, median, processorTime, residentBytes, spread, stolenSince } from './measure.mjs';

/** Share of failed requests beyond which a measurement is invalid. */
const TOLERATED_ERRORS = 0.001;

/** Describes a measurement with too many failed requests. */
export const problemOf = (errors) => (errors > TOLERATED_ERRORS ? `${(errors * 100).toFixed(1)} % of the requests failed` : undefined);

/** `true` for the handler written by hand. */
export const isYardstick = ({ label }) => label.startsWith('yardstick');

const PAUSE_MS = 50;

/**
 * Time budget for repeating disturbed rounds: a share per contest, plus what earlier contests left.
 */
export class RepeatBudget {
  #share;
  #left = 0;
  /** Number of discarded rounds. */
  repeated = 0;

  constructor(seconds, contests) {
    this.#share = contests === 0 ? 0 : seconds / contests;
  }

  nextContest() {
    this.#left += this.#share;
  }

  /** Returns `true` and takes the time if a round of this length may be repeated. */
  repeat(seconds) {
    if (this.#left < seconds) return false;
    this.#left -= seconds;
    this.repeated++;
    return true;
  }
}

/** Verifies a response. Returns the problem of a contestant that cannot take part. */
export async function admit(contestant) {
  try {
    const { status, headers, body } = await sendOnce(contestant.server.port, contestant.request);
    if (status < 200 || status > 299) return `${status}: ${messageOf(body)}`;
    if (contestant.rows === undefined) return undefined;
    if (!/json/.test(headers['content-type'] ?? '')) return body.length === 0 ? 'the answer is empty' : undefined;
    const rows = JSON.parse(body.toString()).length;
    return rows === contestant.rows ? undefined : `the answer has ${rows} rows instead of ${contestant.rows}`;
  } catch (error) {
    return error.message;
  }
}

function messageOf(body) {
  try {
    return JSON.parse(body.toString()).message ?? '';
  } catch {
    return body.toString('utf8', 0, 200);
  }
}

async function measure(contestant, { generator, seconds, connections }) {
  const { server, database, request } = contestant;
  const before = { server: cpuSeconds(server.pid), database: cpuSeconds(database?.pid) };
  const time = processorTime();
  const load = await runLoad(generator, { port: server.port, request, seconds, connections });
  const stolen = stolenSince(time);
  const used = (pid, start) => (start === undefined ? undefined : ((cpuSeconds(pid) - start) / load.requests) * 1e6);
  return {
    stolen,
    rate: load.requests / load.seconds,
    p50: load.p50,
    p99: load.p99,
    p999: load.p999,
    errors: load.errors / Math.max(1, load.requests),
    cpu: used(server.pid, before.server),
    databaseCpu: used(database?.pid, before.database),
    rss: residentBytes(server.pid),
  };
}

/** Compiled code is compared, so a server is warmed up longest before its first contest. */
const FIRST_WARM_SECONDS = 3;
const WARM_SECONDS = 1;
const isWarm = new WeakSet();

async function warmUp({ server, request }, { generator, connections }) {
  await runLoad(generator, { port: server.port, request, connections, seconds: isWarm.has(server) ? WARM_SECONDS : FIRST_WARM_SECONDS });
  isWarm.add(server);
}

/** Estimated seconds of a contest. */
export const secondsOfContest = (contestants, { rounds, seconds }) => contestants * (WARM_SECONDS + rounds * (seconds + 0.3)) + 1;

/** Rotation of the order in each of four rounds. Odd rounds run backwards. */
const TURNED = [0, 1, 1, 0];

/**
 * Order of the contestants. The second of two contestants on one server finds it warm, so each runs
 * first and second equally often.
 */
function orderOf(contestants, round) {
  const turned = TURNED[round % TURNED.length] + Math.floor(round / TURNED.length);
  const order = contestants.map((_, i) => (i + turned) % contestants.length);
  return round % 2 === 0 ? order : order.reverse();
}

/** Waits until the database has finished filling tables. */
async function prepare({ before, database }) {
  if (before === undefined) return;
  await before();
  await atRest(database?.pid);
}

/** Runs every contestant once. */
async function runRound(contestants, round, measure) {
  const measured = [];
  for (const index of orderOf(contestants, round)) {
    await prepare(contestants[index]);
    measured[index] = await measure(contestants[index]);
    await delay(PAUSE_MS);
  }
  return measured;
}

/** Collects the measurements of all rounds, repeating disturbed ones within the budget. */
export async function interleave(contestants, { rounds, repeats }, measure, { sayRound = () => {}, say = () => {} } = {}) {
  const results = contestants.map(() => []);
  for (let turn = 0, kept = 0; kept < rounds; turn++) {
    const started = performance.now();
    const round = await runRound(contestants, turn, measure);
    const stolen = Math.max(...round.map((measured) => measured.stolen));
    if (stolen > MOST_STOLEN && repeats?.repeat((performance.now() - started) / 1000)) {
      say(`  the host took ${Math.round(stolen * 100)} % of the processors: once more`);
      continue;
    }
    for (const [i, measured] of round.entries()) results[i].push(measured);
    kept++;
    sayRound(kept, results);
  }
  return results;
}

/**
 * Runs a contest. The base of the ratios is the fastest yardstick, or the first contestant without
 * one.
 */
export async function runRounds(contestants, settings, sayRound, say) {
  for (const contestant of contestants) {
    await contestant.before?.();
    await warmUp(contestant, settings);
  }
  settings.repeats?.nextContest();
  const results = await interleave(contestants, settings, (contestant) => measure(contestant, settings), { sayRound, say });
  const base = baseOf(contestants, results);
  return contestants.map((contestant, index) => summarize(contestant.label, results[index], base));
}

function baseOf(contestants, results) {
  const yardsticks = results.filter((_, index) => isYardstick(contestants[index]));
  const rateOf = (rounds) => median(rounds.map(({ rate }) => rate));
  return yardsticks.reduce((fastest, rounds) => (rateOf(rounds) > rateOf(fastest) ? rounds : fastest), yardsticks[0] ?? results[0]);
}

function summarize(label, rounds, base) {
  const of = (key) => median(rounds.map((round) => round[key]));
  const ratio = (key, invert) => spread(rounds.map((round, i) => (invert ? base[i][key] / round[key] : round[key] / base[i][key])));
  return {
    label,
    isBase: rounds === base,
    ratio: ratio('rate'),
    /** CPU of the base divided by the contestant's own. */
    thrift: ratio('cpu', 'invert'),
    rate: of('rate'),
    cpu: of('cpu'),
    databaseCpu: of('databaseCpu'),
    p50: of('p50'),
    p99: of('p99'),
    p999: of('p999'),
    /** `true` if the p99 is higher than the base's. */
    isLate: of('p99') > median(base.map(({ p99 }) => p99)),
    rss: of('rss'),
    /** Memory as a multiple of the base's. */
    girth: ratio('rss').median,
    problem: problemOf(of('errors')),
    rounds,
  };
}
