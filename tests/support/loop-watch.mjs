// Preload for a service. Measures the ticks of the event loop between two SIGUSR2, then writes a
// JSON line with the longest one and their sum, in ms of CPU time (Linux).
import { readFileSync } from 'node:fs';

const PERIOD_MS = 2;

const threadMs = () => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;

let timer;
let before = 0;
let longest = 0;
let work = 0;

function look() {
  const now = threadMs();
  longest = Math.max(longest, now - before);
  work += now - before;
  before = now;
}

process.on('SIGUSR2', () => {
  if (timer === undefined) {
    [longest, work, before] = [0, 0, threadMs()];
    timer = setInterval(look, PERIOD_MS);
    return;
  }
  clearInterval(timer);
  timer = undefined;
  look();
  process.stderr.write(`${JSON.stringify({ watched: true, longest, work })}\n`);
});
