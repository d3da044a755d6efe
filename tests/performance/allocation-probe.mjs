// Loaded into the service before anything else: counts the bytes that it allocates between two signals, from what the garbage collector
// reports, and writes them to a file. Changes nothing of what the service does.
import { renameSync, writeFileSync } from 'node:fs';
import { GCProfiler, getHeapStatistics } from 'node:v8';

const file = process.env.ALLOCATION_FILE;
let profiler;
let before = 0;

/** What was in use before each collection, less what the one before it had left. */
function allocated(collections, now) {
  let sum = 0;
  let left = before;
  for (const { beforeGC, afterGC } of collections) {
    sum += beforeGC.heapStatistics.usedHeapSize - left;
    left = afterGC.heapStatistics.usedHeapSize;
  }
  return sum + now - left;
}

function report(content) {
  writeFileSync(`${file}.draft`, JSON.stringify(content));
  renameSync(`${file}.draft`, file);
}

process.on('SIGUSR2', () => {
  if (profiler === undefined) {
    profiler = new GCProfiler();
    profiler.start();
    before = getHeapStatistics().used_heap_size;
    report({ state: 'counting' });
    return;
  }
  const now = getHeapStatistics().used_heap_size;
  const { statistics } = profiler.stop();
  profiler = undefined;
  report({ state: 'done', bytes: allocated(statistics, now) });
});
