// `npm run torture`: runs tests/torture for longer, on engines that it starts and stops.
//   npm run torture                              15 minutes, a new seed
//   npm run torture -- --minutes 60 --seed 7     longer, with the traffic of that seed
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const usage = 'usage: npm run torture -- [--minutes N] [--seed N]';

function read() {
  try {
    const { values } = parseArgs({ options: { minutes: { type: 'string', default: '15' }, seed: { type: 'string' } } });
    const fits = Number(values.minutes) > 0 && (values.seed === undefined || /^\d+$/.test(values.seed));
    return fits ? values : undefined;
  } catch {
    return undefined;
  }
}

const options = read();
if (options === undefined) {
  console.error(usage);
  process.exit(2);
}
const script = join(dirname(fileURLToPath(import.meta.url)), 'test.mjs');
const child = spawn(process.execPath, [script, 'tests/torture/torture.timed.long.test.ts', '--disable-console-intercept'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    MILLRACE_TEST_TORTURE_MINUTES: options.minutes,
    MILLRACE_TEST_TORTURE_SEED: options.seed ?? String(randomInt(2 ** 31)),
  },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
