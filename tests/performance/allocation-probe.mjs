// Loaded into the service before its modules: counts allocated bytes between two signals, and bytes
// promoted to the old generation, from garbage collector reports, and writes them to a file.
import { renameSync, writeFileSync } from 'node:fs';
import { GCProfiler, getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';

const file = process.env.ALLOCATION_FILE;
let profiler;
let before = 0;
let oldBefore = 0;

const oldSpace = (statistics) => statistics.find((space) => (space.spaceName ?? space.space_name) === 'old_space');

/** Bytes in use before each collection, minus the bytes left by the previous one. */
function allocated(collections, now) {
  let sum = 0;
  let left = before;
  for (const { beforeGC, afterGC } of collections) {
    sum += beforeGC.heapStatistics.usedHeapSize - left;
    left = afterGC.heapStatistics.usedHeapSize;
  }
  return sum + now - left;
}

/** How much the old objects grew, except in full collections, where they shrink. */
function aged(collections, now) {
  let sum = 0;
  let left = oldBefore;
  for (const { gcType, beforeGC, afterGC } of collections) {
    const after = oldSpace(afterGC.heapSpaceStatistics).spaceUsedSize;
    sum += (gcType === 'Scavenge' ? after : oldSpace(beforeGC.heapSpaceStatistics).spaceUsedSize) - left;
    left = after;
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
    oldBefore = oldSpace(getHeapSpaceStatistics()).space_used_size;
    report({ state: 'counting' });
    return;
  }
  const now = getHeapStatistics().used_heap_size;
  const oldNow = oldSpace(getHeapSpaceStatistics()).space_used_size;
  const { statistics } = profiler.stop();
  profiler = undefined;
  report({ state: 'done', bytes: allocated(statistics, now), aged: aged(statistics, oldNow) });
});
