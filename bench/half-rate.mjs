// Latency at half the rate that both sides can bear, ours beside the yardstick's: what a caller sees on a server that is not flat out. The rate is
// the same for both, and a request that has to wait counts its wait.
import { runLoad } from './load.mjs';
import { spread } from './measure.mjs';
import { judge } from './report.mjs';
import { SCENARIOS } from './scenarios.mjs';

const CONTESTS = ['single', 'page20', 'insert1'];
const MOST_ROUNDS = 3;
/** Whoever has rested, as both sides have while something else was measured, takes so many to be as quick as it can. */
const WARM_ROUNDS = 2;
const millis = ({ median }) => `${median.toFixed(2)} ms`;

export async function halfRate(engine, settings, say) {
  const findings = [];
  for (const name of CONTESTS) {
    const { title, contestants } = SCENARIOS[name];
    findings.push(...(await contest(title, await contestants(engine), settings, say)));
  }
  return { findings };
}

async function contest(title, contestants, { rounds, seconds, connections }, say) {
  const run = ({ server, request }, rate, lasting = seconds) =>
    runLoad('own', { port: server.port, request, seconds: lasting, connections, rate });
  const rates = [];
  for (const contestant of contestants) {
    await contestant.before?.();
    await run(contestant, undefined, seconds * WARM_ROUNDS);
    const { requests, seconds: lasted } = await run(contestant);
    rates.push(requests / lasted);
  }
  const rate = Math.floor(Math.min(...rates) / 2);
  const results = new Map(contestants.map(({ label }) => [label, []]));
  for (let round = 1; round <= Math.min(rounds, MOST_ROUNDS); round++) {
    for (const contestant of contestants) {
      await contestant.before?.();
      results.get(contestant.label).push(await run(contestant, rate));
    }
    say(`  ${title}, ${rate} requests/s, round ${round}`);
  }
  const of = (label, key) => spread(results.get(label).map((result) => result[key]));
  const base = of(contestants[0].label, 'p99').median;
  return contestants.map(({ label }, index) => {
    const [p50, p99, p999] = ['p50', 'p99', 'p999'].map((key) => of(label, key));
    const verdicts = [
      judge(p99.median <= base, `p99 at most the ${contestants[0].label}'s`),
      judge(p99.median < 10 * p50.median, 'under 10 times p50'),
    ];
    return {
      what: `${title}, ${label}, ${rate} requests/s`,
      value: `p50 ${millis(p50)}, p99 ${millis(p99)}, p99.9 ${millis(p999)}`,
      ...(index > 0 && { verdict: verdicts.join('; ') }),
    };
  });
}
