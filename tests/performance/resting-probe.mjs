// A load of objects, many of which live on for a while and a few for ever, and of functions that are called once; then rest, then a load again. Prints
// what the memory for young and for old objects was each time, in MiB, and what the code of functions took.
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { getHeapCodeStatistics, getHeapSpaceStatistics } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { boundYoung, restWhenQuiet } from '../../dist/memory.js';

const sizeOf = (space) => getHeapSpaceStatistics().find(({ space_name: name }) => name === space).space_size / 1048576;
const sizes = () => ({ young: sizeOf('new_space'), old: sizeOf('old_space'), code: getHeapCodeStatistics().bytecode_and_metadata_size });

boundYoung();
let dropped = false;
restWhenQuiet(() => {
  dropped = true;
}, 6000);

const forEver = [];
let most = 0;
async function load() {
  let kept = [];
  const { user } = process.cpuUsage();
  while (process.cpuUsage().user - user < 1_500_000) {
    for (let i = 0; i < 1000; i++) kept.push({ i, words: [i, i + 1] });
    if (kept.length > 200_000) {
      if (forEver.length < 20_000) forEver.push(...kept.filter(({ i }) => i % 250 === 0));
      kept = [];
    }
    most = Math.max(most, sizeOf('new_space'));
    await turn();
  }
}

const sum = (i) => Array.from({ length: 50 }, (_, j) => `x + ${i + j}`).join(' + ');
const functions = Array.from({ length: 2000 }, (_, i) => new Function('x', `return ${sum(i)}`));

await load();
for (const [i, one] of functions.entries()) {
  one(1);
  if (i % 100 === 0) await turn();
}
const loaded = sizes();
for (let looks = 0; !(dropped && sizes().young < 4) && looks < 400; looks++) await delay(100);
const rested = sizes();
await load();
process.stdout.write(
  JSON.stringify({
    sum: functions.reduce((sum, one) => sum + one(0), 0),
    dropped,
    most,
    loaded,
    rested,
    again: sizes(),
    shown: runInNewContext('typeof gc') === 'function',
  }),
);
