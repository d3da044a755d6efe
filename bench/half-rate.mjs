// Latency at half the rate that all sides can bear, ours beside the yardstick's: what a caller sees on a server that is not flat out. The rate is
// the same for all, and a request that has to wait counts its wait. What a request costs is compared here too: flat out, answers of a slower database
// come one by one, and wake the service up more often.
import { runLoad } from './load.mjs';
import { cpuSeconds, spread } from './measure.mjs';
import { judge } from './report.mjs';
import { SCENARIOS } from './scenarios.mjs';

const CONTESTS = ['single', 'page20', 'insert1', 'persona-page20'];
/** What a persona's request costs at most, beside one of an administrator. */
const MOST_DEARER = 1.1;
const MOST_ROUNDS = 3;
const millis = ({ median }) => `${median.toFixed(2)} ms`;

export async function halfRate(engine, settings, say) {
  const findings = [];
  const { type } = engine.fixture.address;
  for (const { title, contestants } of CONTESTS.map((name) => SCENARIOS[name]).filter(({ engines }) => engines.includes(type)))
    findings.push(...(await contest(title, await contestants(engine), settings, say)));
  return { findings };
}

async function contest(title, contestants, { rounds, seconds, connections }, say) {
  const run = ({ server, request }, rate) => runLoad('own', { port: server.port, request, seconds, connections, rate });
  const rates = [];
  for (const contestant of contestants) {
    await contestant.before?.();
    await run(contestant);
    const { requests, seconds: lasted } = await run(contestant);
    rates.push(requests / lasted);
  }
  const rate = Math.floor(Math.min(...rates) / 2);
  const results = new Map(contestants.map(({ label }) => [label, []]));
  for (let round = 1; round <= Math.min(rounds, MOST_ROUNDS); round++) {
    for (const contestant of contestants) {
      await contestant.before?.();
      const before = cpuSeconds(contestant.server.pid);
      const load = await run(contestant, rate);
      const cpu = ((cpuSeconds(contestant.server.pid) - before) / load.requests) * 1e6;
      results.get(contestant.label).push({ ...load, cpu });
    }
    say(`  ${title}, ${rate} requests/s, round ${round}`);
  }
  const of = (label, key) => spread(results.get(label).map((result) => result[key]));
  const base = of(contestants[0].label, 'p99').median;
  return contestants.map(({ label }) => {
    const [p50, p99, p999, cpu] = ['p50', 'p99', 'p999', 'cpu'].map((key) => of(label, key));
    const verdicts = [
      judge(p99.median <= base, `p99 at most the ${contestants[0].label}'s`),
      judge(p99.median < 10 * p50.median, 'under 10 times p50'),
      ...(results.has('administrator')
        ? [judge(cpu.median <= MOST_DEARER * of('administrator', 'cpu').median, `CPU at most ${MOST_DEARER} times the administrator's`)]
        : []),
    ];
    return {
      what: `${title}, ${label}, ${rate} requests/s`,
      value: `p50 ${millis(p50)}, p99 ${millis(p99)}, p99.9 ${millis(p999)}, CPU ${cpu.median.toFixed(0)} µs`,
      ...(label === 'millrace' && { verdict: verdicts.join('; ') }),
    };
  });
}
