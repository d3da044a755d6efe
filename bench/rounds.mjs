// Interleaved rounds: every contestant runs once in each round, in an order that changes from round to round, so that a slow moment of the
// machine falls on all of them alike. Ratios are taken within a round. Knows nothing of what a contestant is beyond its request and its server.
import { setTimeout as delay } from 'node:timers/promises';
import { runLoad, sendOnce } from './load.mjs';
import { atRest, cpuSeconds, MOST_STOLEN, median, processorTime, residentBytes, spread, stolenSince } from './measure.mjs';

/** More failed requests than this make a measurement worthless. */
const TOLERATED_ERRORS = 0.001;

/** What is wrong with a measurement in which such a share of the requests failed. */
export const problemOf = (errors) => (errors > TOLERATED_ERRORS ? `${(errors * 100).toFixed(1)} % of the requests failed` : undefined);

/** Is it what the service stands beside? */
export const isYardstick = ({ label }) => label.startsWith('yardstick');

const PAUSE_MS = 50;

/** Seconds for rounds that are run again, because the host was busy with other machines: a share of them for each contest, and what the ones before have left. */
export class Patience {
  #share;
  #left = 0;
  /** How many rounds were thrown away. */
  repeated = 0;

  constructor(seconds, contests) {
    this.#share = contests === 0 ? 0 : seconds / contests;
  }

  nextContest() {
    this.#left += this.#share;
  }

  /** May a round that took so long be run again? */
  repeat(seconds) {
    if (this.#left < seconds) return false;
    this.#left -= seconds;
    this.repeated++;
    return true;
  }
}

/** Is the answer the right one? A contestant that is refused takes no part, and the report says why. */
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

/** Compiled code is what is compared: a server has to be warmed up longest before its first contest. */
const FIRST_WARM_SECONDS = 3;
const WARM_SECONDS = 1;
const isWarm = new WeakSet();

async function warmUp({ server, request }, { generator, connections }) {
  await runLoad(generator, { port: server.port, request, connections, seconds: isWarm.has(server) ? WARM_SECONDS : FIRST_WARM_SECONDS });
  isWarm.add(server);
}

/** What a contest of so many takes in seconds, about: what is measured, and what there is around it. */
export const secondsOfContest = (contestants, { rounds, seconds }) => contestants * (WARM_SECONDS + rounds * (seconds + 0.3)) + 1;

/** Of four rounds: by how much the order is turned. Those with an odd number go through it backwards. */
const TURNED = [0, 1, 1, 0];

/**
 * Who runs when. Of two contestants that the same process serves, the second finds it warm: over four rounds each of two neighbours comes behind the
 * other twice, and is first as often.
 */
function orderOf(contestants, round) {
  const turned = TURNED[round % TURNED.length] + Math.floor(round / TURNED.length);
  const order = contestants.map((_, i) => (i + turned) % contestants.length);
  return round % 2 === 0 ? order : order.reverse();
}

/** What the database has to do for a table that was filled anew is no part of what is measured. */
async function prepare({ before, database }) {
  if (before === undefined) return;
  await before();
  await atRest(database?.pid);
}

/** Everybody once. */
async function runRound(contestants, round, measure) {
  const measured = [];
  for (const index of orderOf(contestants, round)) {
    await prepare(contestants[index]);
    measured[index] = await measure(contestants[index]);
    await delay(PAUSE_MS);
  }
  return measured;
}

/** What `measure` found of each contestant in so many rounds; those in which the host was busy with other machines are run again while there is patience. */
export async function interleave(contestants, { rounds, patience }, measure, { sayRound = () => {}, say = () => {} } = {}) {
  const results = contestants.map(() => []);
  for (let turn = 0, kept = 0; kept < rounds; turn++) {
    const started = performance.now();
    const round = await runRound(contestants, turn, measure);
    const stolen = Math.max(...round.map((measured) => measured.stolen));
    if (stolen > MOST_STOLEN && patience?.repeat((performance.now() - started) / 1000)) {
      say(`  the host took ${Math.round(stolen * 100)} % of the processors: once more`);
      continue;
    }
    for (const [i, measured] of round.entries()) results[i].push(measured);
    kept++;
    sayRound(kept, results);
  }
  return results;
}

/** Runs the contest; the base of the ratios is the fastest yardstick, or the first contestant where there is none. */
export async function runRounds(contestants, settings, sayRound, say) {
  for (const contestant of contestants) {
    await contestant.before?.();
    await warmUp(contestant, settings);
  }
  settings.patience?.nextContest();
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
    /** How many times cheaper than the base, by the server's own CPU. */
    thrift: ratio('cpu', 'invert'),
    rate: of('rate'),
    cpu: of('cpu'),
    databaseCpu: of('databaseCpu'),
    p50: of('p50'),
    p99: of('p99'),
    p999: of('p999'),
    /** Is one request of a hundred slower than the base's? */
    isLate: of('p99') > median(base.map(({ p99 }) => p99)),
    rss: of('rss'),
    /** How many times the base's memory. */
    girth: ratio('rss').median,
    problem: problemOf(of('errors')),
    rounds,
  };
}
