// Memory of both sides at the start, after the contests, and after a minute of rest. The next
// contest may be prepared during that minute if it involves neither side.
import { setTimeout as delay } from 'node:timers/promises';
import { residentBytes } from './measure.mjs';
import { judge } from './report.mjs';

const REST_MS = 60_000;
/** Maximum memory after the rest, as a multiple of the start. */
const MOST_LEFT = 1.1;
const megabytes = (bytes) => `${(bytes / 1048576).toFixed(0)} MB`;

export async function restAndWeigh({ service, yardstick, atStart }, { quick }, alongside = async () => {}) {
  const weigh = () => ({ service: residentBytes(service.pid), yardstick: residentBytes(yardstick.pid) });
  const loaded = weigh();
  await Promise.all([delay(quick ? REST_MS / 10 : REST_MS), alongside()]);
  const rested = weigh();
  return {
    findings: Object.entries({ yardstick: 'yardstick', service: 'millrace' }).map(([side, label]) => ({
      what: label,
      value: `${megabytes(atStart[side])} at the start, ${megabytes(loaded[side])} after the load, ${megabytes(rested[side])} a minute later`,
      ...(side === 'service' && { verdict: judge(rested[side] <= atStart[side] * MOST_LEFT, 'at most 1.1 times the start') }),
    })),
  };
}
