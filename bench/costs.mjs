// Compares the CPU cost of a request with another one of the same service. The difference is a few
// percent, which rounds of a second cannot show, so both sides take short turns on open connections
// in the order a, b, b, a. The result is the median of many such ratios; two equal requests show
// its precision.
import { Connection, requestTexts } from './connection.mjs';
import { median, ThreadClock } from './measure.mjs';
import { judge } from './report.mjs';
import { COSTS } from './scenarios.mjs';

/**
 * Few connections: requests that wait longer for the database are answered in larger groups and
 * would seem cheaper.
 */
const CONNECTIONS = 4;
const ORDER = [0, 1, 1, 0];
/** Requests per turn. */
const REQUESTS = 250;
const WARM_REQUESTS = 5000;
const FOURS = { whole: 60, quick: 10 };

export async function costs(engine, { quick }, say) {
  const findings = [];
  for (const { title, engines, most, pair } of COSTS) {
    if (!engines.includes(engine.fixture.address.type)) continue;
    const { middle, error } = estimate(await compare(await pair(engine), quick ? FOURS.quick : FOURS.whole));
    const value = `CPU ${middle.toFixed(3)} ± ${error.toFixed(3)}`;
    say(`  ${title}: ${value}`);
    findings.push({ what: title, value, ...(most !== undefined && { verdict: judge(middle <= most, `at most ${most}`) }) });
  }
  return { findings };
}

/** Cost of the second request as a multiple of the first, per group of four turns. */
async function compare([base, other], fours) {
  const { port, pid } = base.server;
  const turns = new Turns(port);
  const texts = [base, other].map(({ request }) => requestTexts(request));
  try {
    for (const text of texts) await turns.run(text, WARM_REQUESTS);
    const clock = new ThreadClock(pid);
    const ratios = [];
    for (let four = 0; four < fours; four++) {
      const used = [0, 0];
      for (const side of ORDER) {
        const before = clock.nanos();
        await turns.run(texts[side], REQUESTS);
        used[side] += clock.nanos() - before;
      }
      ratios.push(used[1] / used[0]);
    }
    return ratios;
  } finally {
    turns.end();
  }
}

/** The median, and twice its standard error estimated from the interquartile range. */
function estimate(ratios) {
  const sorted = [...ratios].sort((a, b) => a - b);
  const quarter = (share) => sorted[Math.round((sorted.length - 1) * share)];
  const deviation = (quarter(0.75) - quarter(0.25)) / 1.349;
  return { middle: median(ratios), error: (2 * 1.253 * deviation) / Math.sqrt(ratios.length) };
}

/** Runs a fixed number of requests at a time on the same connections. */
class Turns {
  #connections;
  #text;
  #left = 0;
  #underWay = 0;
  #over;

  constructor(port) {
    const answered = (connection, isRight) => {
      this.#underWay--;
      if (isRight) this.#next(connection);
      else this.#over?.reject(new Error('a request was refused'));
    };
    const lost = () => this.#over?.reject(new Error('a connection was lost'));
    this.#connections = Array.from({ length: CONNECTIONS }, () => new Connection(port, answered, lost));
  }

  run(text, requests) {
    this.#text = text;
    this.#left = requests;
    const over = new Promise((resolve, reject) => {
      this.#over = { resolve, reject };
    });
    for (const connection of this.#connections) this.#next(connection);
    return over;
  }

  #next(connection) {
    if (this.#left > 0) {
      this.#left--;
      this.#underWay++;
      connection.send(this.#text());
    } else if (this.#underWay === 0) this.#over.resolve();
  }

  end() {
    for (const connection of this.#connections) connection.end();
  }
}
