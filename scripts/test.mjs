// `npm test`: checks the code and runs tests on real engines, which it starts and stops.
//   npm test                       the fast set
//   npm run test:unit              what needs no engine
//   npm run test:all               everything; with `-- --rest` only what `npm test` leaves out
//   npm test -- tests/formats      the files that match, without the checks (any Vitest arguments)
// Uses the engines that MILLRACE_TEST_…_URL name. The last line is `N passed, N failed`.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChecks } from './checks.mjs';
import { cachePath } from './engines/cache.mjs';
import { enginesWithoutAddress, startEngines, stopEngines, sweepAbandonedRuns } from './engines/runs.mjs';
import { bringUpChromium } from './testing/chromium.mjs';
import { SETS } from './testing/sets.mjs';

const MAX_MINUTES = 60 + Number(process.env.MILLRACE_TEST_TORTURE_MINUTES ?? 0);
const FLAGS = { '--unit': 'unit', '--all': 'all', '--rest': 'rest' };

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const flags = process.argv.slice(2);
const files = flags.filter((argument) => !Object.hasOwn(FLAGS, argument));
const set = SETS[flags.map((flag) => FLAGS[flag]).findLast((name) => name !== undefined) ?? 'fast'];

const run = `test-${process.pid}`;
const scratch = mkdtempSync(join(tmpdir(), 'millrace-tests-'));
// Servers that run as another user keep their data below it.
chmodSync(scratch, 0o755);

// An interruption ends Vitest; the clean-up after it runs as always.
const interruption = new AbortController();
const interrupt = (reason) => {
  if (interruption.signal.aborted) return;
  process.stderr.write(`\n${reason}: stopping\n`);
  interruption.abort();
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interrupt(signal));
setTimeout(() => interrupt(`${MAX_MINUTES} minutes are over`), MAX_MINUTES * 60_000).unref();

async function bringUpEngines() {
  if (set.needsEngines === false) return {};
  const browser = bringUpChromium();
  const names = enginesWithoutAddress(process.env);
  const engines = names.length === 0 ? {} : await startEngines({ id: run, names, owner: process.pid });
  return { ...browser, ...engines };
}

/** Runs Vitest in its own process group and kills what is left of the group afterwards. */
function runVitest(variables, report) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const chosen = files.length > 0 ? files : set.args(root);
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [vitest, 'run', ...chosen], {
      cwd: root,
      // Temporary files of tests are removed with the run; only the cache of engines is shared.
      env: {
        ...process.env,
        ...variables,
        MILLRACE_TEST_REPORT: report,
        ...(set.isLong && { MILLRACE_TEST_LONG: '1' }),
        TMPDIR: scratch,
        MILLRACE_ENGINES_DIR: cachePath(),
      },
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
    });
    const killGroup = (signal) => {
      try {
        process.kill(-child.pid, signal);
      } catch {
        // The group is empty.
      }
    };
    const stop = () => {
      killGroup('SIGTERM');
      setTimeout(() => killGroup('SIGKILL'), 5000).unref();
    };
    if (interruption.signal.aborted) stop();
    interruption.signal.addEventListener('abort', stop);
    child.on('exit', (code) => {
      killGroup('SIGKILL');
      resolve(code);
    });
  });
}

/** Counts tests from the report. A file that could not be loaded counts as one failed test. */
function count(report, exitCode) {
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const unloadable = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  const failed = numFailedTests + unloadable.length;
  // Errors outside of tests, for example an unhandled rejection, are in the exit code only.
  return { passed: numPassedTests, failed: failed === 0 && exitCode !== 0 ? 1 : failed };
}

async function main() {
  const checks = files.length > 0 || set === SETS.rest ? [] : runChecks(root);
  const [failedChecks, variables] = await Promise.all([checks, bringUpEngines()]);
  if (interruption.signal.aborted) return { passed: 0, failed: 1 };
  const report = join(scratch, 'report.json');
  const result = count(report, await runVitest(variables, report));
  for (const name of failedChecks) process.stdout.write(`The check ${name} failed, see above.\n`);
  return { ...result, failed: result.failed + failedChecks.length };
}

let result = { passed: 0, failed: 1 };
try {
  result = await main();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
} finally {
  await stopEngines(run);
  // Engines of single tests that were interrupted.
  await sweepAbandonedRuns();
  rmSync(scratch, { recursive: true, force: true });
}
process.stdout.write(`${result.passed} passed, ${result.failed} failed\n`, () =>
  process.exit(result.failed > 0 || result.passed === 0 ? 1 : 0),
);
