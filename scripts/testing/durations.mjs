// Seconds that each test file took in an earlier run, in tests/durations.json. They order the files
// and estimate the time left. `MILLRACE_TEST_RECORD=1 npm test` updates them.
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

const FILE = new URL('../../tests/durations.json', import.meta.url);
/** Assumed for files that are not listed; shorter ones are not recorded. */
const DEFAULT_SECONDS = 1;

/** Files that repeat more under test:all have two durations. */
const set = process.env.MILLRACE_TEST_LONG === '1' ? 'long' : 'short';
const recorded = JSON.parse(readFileSync(FILE, 'utf8'));

export function durationOf(file) {
  return recorded[set][file] ?? DEFAULT_SECONDS;
}

/** Replaces the durations of these modules and keeps the others. */
export function recordDurations(root, modules) {
  const measured = modules.map((module) => [relative(root, module.moduleId), Math.round(module.diagnostic().duration / 100) / 10]);
  const merged = { ...recorded[set], ...Object.fromEntries(measured) };
  const sorted = Object.entries(merged).filter(([, seconds]) => seconds > DEFAULT_SECONDS);
  sorted.sort(([a], [b]) => a.localeCompare(b));
  writeFileSync(FILE, `${JSON.stringify({ ...recorded, [set]: Object.fromEntries(sorted) }, null, 2)}\n`);
}
