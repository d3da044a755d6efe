// Loaded into the service before anything else: counts the bytes that it allocates between two signals, and those of them that end up among the
// old objects, from what the garbage collector reports, and writes them to a file. Changes nothing of what the service does.
import { renameSync, writeFileSync } from 'node:fs';
import { GCProfiler, getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';

const file = process.env.ALLOCATION_FILE;
let profiler;
let before = 0;
let oldBefore = 0;

const oldSpace = (statistics) => statistics.find((space) => (space.spaceName ?? space.space_name) === 'old_space');

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
