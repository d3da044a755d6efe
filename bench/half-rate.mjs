// Latency at half the rate that all contestants can bear, beside each other: what a caller sees on a server that is not flat out. The rate is the
// same for all of them, and a request that has to wait counts its wait.
import { median, processorTime, stolenSince } from './measure.mjs';
import { interleave, problemOf } from './rounds.mjs';

const ROUNDS = 3;
const LEAST_SECONDS = 0.4;
const MOST_SECONDS = 1;
/** One of a hundred is to be told from the slowest of all. */
const REQUESTS = 500;

/** What comes beside the rounds of a contest, in seconds, about. */
export const secondsOfHalfRate = (contestants) => contestants * ROUNDS * (LEAST_SECONDS + 0.4);

/** Gives each of `measured`, what the contestants did flat out, its latencies at half the rate. */
export async function halfRate(contestants, measured, { connections, paced, rounds, patience }, say) {
  const rate = Math.max(1, Math.floor(Math.min(...measured.map((flatOut) => flatOut.rate)) / 2));
  const seconds = Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, REQUESTS / rate));
  const measure = async ({ server, request }) => {
    const time = processorTime();
    const load = await paced.run({ port: server.port, request, seconds, connections, rate });
    return { ...load, errors: load.errors / Math.max(1, load.requests), stolen: stolenSince(time) };
  };
  const results = await interleave(contestants, { rounds: Math.min(rounds, ROUNDS), patience }, measure, { say });
  const of = (index, key) => median(results[index].map((round) => round[key]));
  const base = of(
    measured.findIndex(({ isBase }) => isBase),
    'p99',
  );
  for (const [index, contestant] of measured.entries()) {
    const [p50, p99, p999] = ['p50', 'p99', 'p999'].map((key) => of(index, key));
    contestant.problem ??= problemOf(of(index, 'errors'));
    contestant.half = { rate, p50, p99, p999, isLate: p99 > base };
  }
  say(`  half the rate, ${rate}/s, p99: ${measured.map(({ label, half }) => `${label} ${half.p99.toFixed(2)} ms`).join(', ')}`);
}
