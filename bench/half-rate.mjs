// Latency of all contestants at half the rate of the slowest one: what a caller sees on a server
// that is not saturated. Waiting times count.
import { median, processorTime, stolenSince } from './measure.mjs';
import { interleave, problemOf } from './rounds.mjs';

const ROUNDS = 3;
const LEAST_SECONDS = 0.4;
const MOST_SECONDS = 1;
/** Minimum number of requests, so that the p99 is not the maximum. */
const REQUESTS = 500;

/** Estimated seconds of these rounds. */
export const secondsOfHalfRate = (contestants) => contestants * ROUNDS * (LEAST_SECONDS + 0.4);

/** Adds the latencies at half the rate to each contestant's results in `measured`. */
export async function halfRate(contestants, measured, { connections, paced, rounds, repeats }, say) {
  const rate = Math.max(1, Math.floor(Math.min(...measured.map((flatOut) => flatOut.rate)) / 2));
  const seconds = Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, REQUESTS / rate));
  const measure = async ({ server, request }) => {
    const time = processorTime();
    const load = await paced.run({ port: server.port, request, seconds, connections, rate });
    return { ...load, errors: load.errors / Math.max(1, load.requests), stolen: stolenSince(time) };
  };
  const results = await interleave(contestants, { rounds: Math.min(rounds, ROUNDS), repeats }, measure, { say });
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
