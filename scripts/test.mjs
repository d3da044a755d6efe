// `npm test`: the checks of the code and every test, on real engines that it starts and stops itself.
//   npm test                                    everything
//   npm test -- tests/formats                   what vitest makes of the arguments, and no checks
//   npm test -- tests/formats --no-engines      the same without engines
//   npm test -- --no-engines                    everything that is pure, in less than a minute: parsing, plans, the SQL of every dialect, formats, languages
// An engine that a MILLRACE_TEST_..._URL names already is used and left alone. The last line says `N passed, N failed`.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChecks } from './checks.mjs';
import { cachePath } from './engines/cache.mjs';
import { enginesWithoutAddress, startEngines, stopEngines, sweepAbandonedRuns } from './engines/runs.mjs';

const LIMIT_MINUTES = 60 + Number(process.env.MILLRACE_TEST_TORTURE_MINUTES ?? 0);

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const wantsEngines = !process.argv.includes('--no-engines');
const named = process.argv.slice(2).filter((argument) => argument !== '--no-engines');
const PURE = [
  'tidy',
  'auto/',
  'sql/',
  'engines/fifth-engine',
  'formats/',
  'model/',
  'util/',
  'custom/bind',
  'lang/expr/tables',
  'lang/lark/testdata',
].map((name) => `tests/${name}`);
const chosen = named.length === 0 && !wantsEngines ? PURE : named;
const run = `test-${process.pid}`;
const scratch = mkdtempSync(join(tmpdir(), 'millrace-tests-'));
// Servers that run as another user have their data in there.
chmodSync(scratch, 0o755);

// Whatever ends the run early ends the test runner; what follows it cleans up as always.
const interruption = new AbortController();
const interrupt = (reason) => {
  if (interruption.signal.aborted) return;
  process.stderr.write(`\n${reason}: stopping\n`);
  interruption.abort();
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interrupt(signal));
setTimeout(() => interrupt(`${LIMIT_MINUTES} minutes are over`), LIMIT_MINUTES * 60_000).unref();

async function bringUpEngines() {
  if (!wantsEngines) return {};
  const names = enginesWithoutAddress(process.env);
  return names.length === 0 ? {} : startEngines({ id: run, names, owner: process.pid });
}

/** Runs vitest in a process group of its own, of which nothing is left afterwards. */
function runVitest(variables, report) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', ...chosen, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      // What tests leave in the folder for temporary files goes with this run; only the engines' cache is shared.
      env: { ...process.env, ...variables, TMPDIR: scratch, MILLRACE_ENGINES_DIR: cachePath() },
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

/** Counts from the runner's report. A file that could not even be loaded has no tests to fail; it counts as one. */
function count(report, exitCode) {
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const unloadable = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  const failed = numFailedTests + unloadable.length;
  // Errors outside of any test (an unhandled rejection) show in the exit code only.
  return { passed: numPassedTests, failed: failed === 0 && exitCode !== 0 ? 1 : failed };
}

async function main() {
  const [failedChecks, variables] = await Promise.all([chosen.length > 0 ? [] : runChecks(root), bringUpEngines()]);
  if (interruption.signal.aborted) return { passed: 0, failed: 1 };
  const report = join(scratch, 'report.json');
  const result = count(report, await runVitest(variables, report));
  for (const name of failedChecks) process.stdout.write(`the check ${name} failed, see above\n`);
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
