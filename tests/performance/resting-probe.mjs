// Makes objects of which many live on for a while, and waits until the memory for young objects is small. Prints its size after the load and then, in MiB.
import { setTimeout as delay } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { restWhenQuiet } from '../../dist/memory.js';

const young = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size / 1048576;

let dropped = false;
restWhenQuiet(() => {
  dropped = true;
}, 6000);
let kept = [];
const { user } = process.cpuUsage();
while (process.cpuUsage().user - user < 1_500_000) {
  for (let i = 0; i < 1000; i++) kept.push({ i, words: [i, i + 1] });
  if (kept.length > 200_000) kept = [];
}
const loaded = young();
for (let looks = 0; young() >= 4 && looks < 400; looks++) await delay(100);
process.stdout.write(JSON.stringify({ dropped, loaded, rested: young(), shown: runInNewContext('typeof gc') === 'function' }));
