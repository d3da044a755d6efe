// What is left of a load in memory: both sides at the start, at the end of the contests, and when they have rested. What comes next may be prepared
// meanwhile, as long as neither of them has to do with it.
import { setTimeout as delay } from 'node:timers/promises';
import { residentBytes } from './measure.mjs';
import { judge } from './report.mjs';

const REST_MS = 60_000;
/** Back to the start, within a tenth. */
const MOST_LEFT = 1.1;
const megabytes = (bytes) => `${(bytes / 1048576).toFixed(0)} MB`;

export async function restAndWeigh({ service, yardstick, atStart }, { quick }, meanwhile = async () => {}) {
  const weigh = () => ({ service: residentBytes(service.pid), yardstick: residentBytes(yardstick.pid) });
  const loaded = weigh();
  await Promise.all([delay(quick ? REST_MS / 10 : REST_MS), meanwhile()]);
  const rested = weigh();
  return {
    findings: Object.entries({ yardstick: 'yardstick', service: 'millrace' }).map(([side, label]) => ({
      what: label,
      value: `${megabytes(atStart[side])} at the start, ${megabytes(loaded[side])} after the load, ${megabytes(rested[side])} a minute later`,
      ...(side === 'service' && { verdict: judge(rested[side] <= atStart[side] * MOST_LEFT, 'within a tenth of the start') }),
    })),
  };
}
