// Static checks of the code: formatting, lint, types (of tests too) and unused code.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const CHECKS = [
  ['biome', ['check', '.', '--error-on-warnings']],
  ['tsc', ['-p', 'tsconfig.test.json', '--noEmit']],
  ['tsc', ['-p', 'console/tsconfig.json', '--noEmit']],
  ['tsc', ['-p', 'apps/tsconfig.json', '--noEmit']],
  ['knip', ['--no-progress']],
];

/** Runs all checks concurrently, prints their output and returns the names of failed checks. */
export async function runChecks(root) {
  const failed = [];
  await Promise.all(
    CHECKS.map(async ([name, args]) => {
      const { code, said } = await runCheck(root, name, args);
      if (code !== 0) failed.push(name);
      process.stderr.write(code === 0 ? `check ${name}: fine\n` : `check ${name}:\n${said}\n`);
    }),
  );
  return failed;
}

function runCheck(root, name, args) {
  return new Promise((resolve) => {
    const child = spawn(join(root, 'node_modules', '.bin', name), args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
    child.on('error', (error) => resolve({ code: 1, said: error.message }));
    child.on('close', (code) => resolve({ code, said }));
  });
}
