// Settings from the environment, millrace.yaml and defaults. An invalid setting stops the start
// with one line that names it.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ulid } from 'ulid';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError, describeConfig, loadConfig } from '../../src/config.ts';
import { startService } from '../support/service.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const KEYS = { MILLRACE_SERVER_KEY: 'marker-server-key', MILLRACE_ENCRYPTION_KEY: 'ab'.repeat(32) };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-settings-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of millrace to its end, in the test's folder and with a clean environment. */
function run(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { PATH: process.env['PATH'], ...env }, timeout: 60_000 };
    execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });
}

describe('millrace config', () => {
  const shown = (env: Record<string, string> = {}): string => describeConfig(loadConfig(env, join(folder, 'millrace.yaml')));

  test('prints the defaults, and the source of each setting', () => {
    const stdout = shown();
    for (const line of [
      'port: 8080',
      'host: 127.0.0.1',
      'path_prefix: svc',
      'data_dir: ./data',
      'store_url: embedded',
      'workers: 1',
      'max_page_size: 10000',
      'max_body_bytes: 16777216',
      'max_row_bytes: 268435456',
      'deny_hosts: 169.254.0.0/16,fe80::/10,fd00:ec2::254',
      'log_level: info',
      'shutdown_secs: 30',
    ])
      expect(stdout).toMatch(new RegExp(`^${line.replace(/[.:/]/g, '\\$&')} +# default$`, 'm'));
  });

  test('prefers the environment to the file, and the file to the defaults', () => {
    writeFileSync(
      join(folder, 'millrace.yaml'),
      'port: 9001\nhost: 0.0.0.0\nworkers: auto\ndeny_hosts: [10.0.0.0/8, "::1"]\nlog_level: warn\n',
    );
    const stdout = shown({ MILLRACE_PORT: '9002', MILLRACE_LOG_LEVEL: 'error' });
    for (const line of ['port: 9002', 'host: 0.0.0.0', 'workers: auto', 'deny_hosts: 10.0.0.0/8,::1', 'log_level: error'])
      expect(stdout).toContain(`${line} `);
    expect(shown({ PORT: '9003' })).toMatch(/^port: 9003 +# PORT$/m);
    expect(shown({ PORT: '9003', MILLRACE_PORT: '9004' })).toMatch(/^port: 9004 +# MILLRACE_PORT$/m);
  });

  test('masks every secret', async () => {
    const secrets = {
      ...KEYS,
      MILLRACE_STORE_URL: 'postgres://u:marker-store@127.0.0.1:1/x',
      MILLRACE_REDIS_URL: 'redis://:marker-redis@127.0.0.1:1',
      MILLRACE_GATEWAY_SECRET: 'marker-gateway',
    };
    const { code, stdout, stderr } = await run(['config'], secrets);
    expect(code).toBe(0);
    expect(stdout + stderr).not.toMatch(/marker|abab/);
    expect(stdout.match(/: \*\*\*/g)).toHaveLength(5);
  });
});

describe('a start fails with one line that names the key', () => {
  const bad: readonly (readonly [string, string])[] = [
    ['MILLRACE_PORT', 'http'],
    ['MILLRACE_PORT', '-1'],
    ['MILLRACE_PORT', '65536'],
    ['MILLRACE_PORT', '80.5'],
    ['PORT', 'x'],
    ['MILLRACE_HOST', ''],
    ['MILLRACE_PATH_PREFIX', 'a/b'],
    ['MILLRACE_PATH_PREFIX', ''],
    ['MILLRACE_ENCRYPTION_KEY', 'short'],
    ['MILLRACE_ENCRYPTION_KEY', 'zz'.repeat(32)],
    ['MILLRACE_ENCRYPTION_KEY', `${'ab'.repeat(32)},${'cd'.repeat(31)}`],
    ['MILLRACE_STORE_URL', 'mysql://x'],
    ['MILLRACE_REDIS_URL', 'http://x'],
    ['MILLRACE_WORKERS', '0'],
    ['MILLRACE_WORKERS', 'many'],
    ['MILLRACE_MAX_PAGE_SIZE', '0'],
    ['MILLRACE_MAX_BODY_BYTES', '16MB'],
    ['MILLRACE_DENY_HOSTS', '10.0.0.0/33'],
    ['MILLRACE_DENY_HOSTS', 'localhost'],
    ['MILLRACE_LOG_LEVEL', 'loud'],
    ['MILLRACE_SHUTDOWN_SECS', '-5'],
    ['MILLRACE_NONSENSE', 'x'],
    ['MILLRACE_SERVERKEY', 'x'],
  ];
  const problem = (env: Record<string, string>, text?: string): string => {
    const file = join(folder, 'millrace.yaml');
    if (text !== undefined) writeFileSync(file, text);
    try {
      loadConfig(env, file);
      return '';
    } catch (error) {
      return error instanceof ConfigError ? error.message : `not a ConfigError: ${String(error)}`;
    }
  };

  test.each(bad)('%s=%s', (name, value) => {
    const sentence = problem({ [name]: value });
    expect(sentence).toMatch(new RegExp(`^${name}\\b.*\\.$`));
    if (/KEY|URL/.test(name)) expect(sentence).not.toContain(value);
  });

  test('also on a terminal, before any other output', async () => {
    for (const [name, value] of [['MILLRACE_PORT', 'http'] as const, ['MILLRACE_NONSENSE', 'x'] as const]) {
      const { code, stdout, stderr } = await run(['serve'], { ...KEYS, [name]: value });
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(new RegExp(`^millrace: ${name} .*\n$`));
    }
  });

  const files: readonly (readonly [string, string])[] = [
    ['nonsense: 1', 'nonsense'],
    ['port: http', 'port'],
    ['MILLRACE_PORT: 1', 'MILLRACE_PORT'],
    ['port: [', 'millrace.yaml'],
    ['- port', 'millrace.yaml'],
    ['workers: {a: 1}', 'workers'],
    ['server_key: a\nserver_key: b', 'millrace.yaml'],
  ];
  test.each(files)('millrace.yaml with %j', (text, named) => {
    const sentence = problem({}, text);
    expect(sentence).toMatch(/^.*millrace\.yaml.*$/);
    expect(sentence).toContain(named);
  });

  test('without a key', async () => {
    for (const env of [
      { MILLRACE_ENCRYPTION_KEY: KEYS.MILLRACE_ENCRYPTION_KEY, MILLRACE_SERVER_KEY: ' , ' },
      { MILLRACE_SERVER_KEY: 'key' },
    ]) {
      const { code, stderr } = await run(['serve'], { ...env, MILLRACE_PORT: '0' });
      expect(code).toBe(2);
      expect(stderr).toMatch(/^millrace: MILLRACE_(SERVER|ENCRYPTION)_KEY .*\n$/);
    }
  });

  test('on a port that is in use, also with workers', async () => {
    const service = await startService();
    for (const MILLRACE_WORKERS of ['1', '2']) {
      const { code, stdout, stderr } = await run(['serve'], { ...KEYS, MILLRACE_PORT: String(service.port), MILLRACE_WORKERS });
      expect(code).toBe(1);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/EADDRINUSE/);
      expect(stderr).not.toMatch(/\n\s+at /);
    }
    await service.stop();
  });

  test('on a store that does not exist, without its password', async () => {
    const { code, stderr } = await run(['serve'], {
      ...KEYS,
      MILLRACE_PORT: '0',
      MILLRACE_STORE_URL: 'postgres://u:marker-password@127.0.0.1:1/x',
    });
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).not.toContain('marker-password');
  });
});

describe('a start', () => {
  test('reads millrace.yaml, listens on its address, and prints that once', async () => {
    writeFileSync(
      join(folder, 'millrace.yaml'),
      'path_prefix: mill\nmax_page_size: 7\nlog_level: warn\nserver_key: [one-server-key, two-server-key]\n',
    );
    const service = await startService({ dataDir: folder, env: { MILLRACE_HOST: '0.0.0.0', MILLRACE_SERVER_KEY: undefined as never } });
    expect(service.output()).toMatch(/^millrace ready on http:\/\/0\.0\.0\.0:\d+$/m);
    expect(service.output().match(/ready on/g)).toHaveLength(1);
    const ask = (path: string) => service.request('GET', path, { headers: { 'x-server-key': 'two-server-key', 'x-user-id': ulid() } });
    expect((await ask('/mill/system/api/v1/org/list')).json()).toEqual([]);
    expect((await ask('/svc/system/api/v1/org/list')).status).toBeGreaterThanOrEqual(400);
    expect(service.logs()).toEqual([]);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });

  test('on IPv6 prints the address in brackets', async () => {
    const service = await startService({ env: { MILLRACE_HOST: '::1' } });
    expect(service.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    await service.stop();
  });

  test('accepts a short key', async () => {
    const service = await startService({ env: { MILLRACE_SERVER_KEY: 'k1,k2' } });
    for (const key of ['k1', 'k2'])
      expect(
        (await service.request('GET', '/svc/system/api/v1/org/list', { headers: { 'x-server-key': key, 'x-user-id': ulid() } })).status,
      ).toBe(200);
    await service.stop();
  });
});

describe('the command line', () => {
  test('lists its commands, and rejects others', async () => {
    for (const args of [['--help'], []]) {
      const { code, stdout } = await run(args);
      expect(code).toBe(0);
      for (const name of ['serve', 'start', 'config']) expect(stdout).toMatch(new RegExp(`millrace ${name}\\b`));
    }
    for (const name of ['constructor']) {
      const { code, stderr } = await run([name]);
      expect(code).toBe(2);
      expect(stderr).toContain(name);
    }
  });
});
