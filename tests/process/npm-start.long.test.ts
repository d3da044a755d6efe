// `npm start` in this checkout: ready line, working curl lines, a second start, a clean end.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { entryFromUrl } from '../../src/cli/demo/database-url.ts';
import { ENGINES } from '../../src/engines/index.ts';
import { createDatabase } from '../support/engines.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
let dataDir: string;

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-start-'));
});

afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

interface Started {
  readonly output: () => string;
  readonly stop: (signal: NodeJS.Signals) => Promise<void>;
}

async function npmStart(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Started> {
  const child = spawn('npm', ['start', '--', ...args], {
    cwd: root,
    env: { ...process.env, MILLRACE_PORT: '0', MILLRACE_DATA_DIR: dataDir, ...env },
    detached: true,
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  await expect.poll(() => output, { timeout: 90_000 }).toMatch(/^Next: /m);
  return {
    output: () => output,
    stop: async (signal) => {
      // A terminal signals the whole group with Ctrl-C; `kill` signals only npm.
      process.kill(signal === 'SIGINT' ? -(child.pid ?? 0) : (child.pid ?? 0), signal);
      await ended;
    },
  };
}

/** Processes whose command line names the data directory: the service's PostgreSQL. */
function leftovers(): string[] {
  const lines = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(dataDir));
}

/** A variable in the environment of the service that `npm start` runs. Linux only. */
function settingOfService(name: string): string | undefined {
  const pieces = (file: string): string[] => {
    try {
      return readFileSync(file, 'utf8').split('\0');
    } catch {
      return [];
    }
  };
  const isService = (pid: string): boolean =>
    pieces(`/proc/${pid}/cmdline`).includes(`${root}dist/main.js`) &&
    pieces(`/proc/${pid}/environ`).includes(`MILLRACE_DATA_DIR=${dataDir}`);
  const pid = readdirSync('/proc').find((each) => /^\d+$/.test(each) && isService(each));
  return pieces(`/proc/${pid}/environ`).find((piece) => piece.startsWith(`${name}=`));
}

/** Runs the command line against the demo, with names instead of ids. */
function runCommands(url: string): void {
  const home = mkdtempSync(join(tmpdir(), 'millrace-commands-'));
  symlinkSync(dataDir, join(home, 'data'));
  const run = (text: string): string =>
    execFileSync('sh', ['-c', `set -e\nmillrace() { '${process.execPath}' '${root}dist/main.js' "$@"; }\n${text}`], {
      cwd: home,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: home, MILLRACE_CONTEXT_FILE: join(home, 'context.json') },
    });
  expect(run('millrace login')).toContain(`url: ${url}\n`);
  const loginFile = join(dataDir, 'demo-database.url');
  expect(statSync(loginFile).mode & 0o777).toBe(0o600);
  expect(readFileSync(loginFile, 'utf8')).toMatch(/^postgres:\/\/postgres:[\w-]+@127\.0\.0\.1:\d+\/shop\n$/);
  expect(run('millrace context use --org-id demo --project-id shop --space-id staging')).toMatch(/^space_id: [0-9A-Z]{26}$/m);
  expect(run('millrace definition list')).toBe('[]\n');
  expect(run('millrace definition list --space-id dev')).toContain('"stock/low"');
  expect(run('millrace database test pg shop')).toContain('"ok":true');
  expect(run('millrace database add postgres://u:p@127.0.0.1:1/other --read-only')).toContain('registered');
  expect(run('millrace database test pg other || true; millrace database remove pg other')).toContain('removed');
  expect(run('millrace database add --help')).toContain('--read-only');
  expect(run('millrace context show')).toContain('server_key: ***');
  rmSync(home, { recursive: true });
}

/** Runs the lines sequentially. */
function paste(line: string): { readonly status: string; readonly answer: string } {
  const text = execFileSync('sh', ['-c', line.replace('curl ', "curl -w '\\n%{http_code}' ")], { encoding: 'utf8' });
  const at = text.lastIndexOf('\n');
  return { status: text.slice(at + 1), answer: text.slice(0, at) };
}

it('serves rows at a first and second start, also of a database beside the demo, and leaves no process running', async () => {
  const own = await createDatabase('mysql');
  await own.run('CREATE TABLE beans (id int PRIMARY KEY, name varchar(20))');
  await own.run("INSERT INTO beans VALUES (1, 'pinto')");
  const { user, host, port } = own.address;
  const starts = [
    { signal: 'SIGINT', args: [], env: {} },
    { signal: 'SIGTERM', args: [`mysql://${user}@${host}:${port}/${own.name}`], env: { MILLRACE_LOG_LEVEL: 'info' } },
  ] as const;
  const links: string[] = [];
  for (const { signal, args, env } of starts) {
    const started = await npmStart(args, env);
    const page = started.output().split(/^millrace ready on .*$/m)[1] ?? '';
    const link = /^\n\n {2}console {8}(http:\/\/127\.0\.0\.1:\d+\/svc\/console\/)#token=(mr_\S+)\n/.exec(page);
    links.push(link?.[2] ?? '');
    expect((await fetch(link?.[1] ?? '')).status).toBe(200);
    expect(started.output()).toMatch(/^millrace ready on http:\/\/127\.0\.0\.1:\d+$/m);
    // Access logs are on request only, and no line reports a repeated deploy.
    const statuses = Array.from(started.output().matchAll(/"status":(\d+)/g), ([, status]) => status);
    expect(statuses.length > 0).toBe('MILLRACE_LOG_LEVEL' in env);
    expect(statuses.filter((status) => status !== '200' && status !== '201')).toEqual([]);
    const lines = started.output().match(/^curl .*$/gm) ?? [];
    expect(lines.length).toBe(12 + args.length);
    for (const line of lines) {
      const { status, answer } = paste(line);
      expect([line, status, answer]).toEqual([line, expect.stringMatching(/^20[01]$/), expect.stringMatching(/.{15}/s)]);
    }
    expect(settingOfService('MALLOC_MMAP_THRESHOLD_')).toBe('MALLOC_MMAP_THRESHOLD_=131072');
    if (args.length === 0) runCommands(started.output().match(/^millrace ready on (.*)$/m)?.[1] ?? '');
    if (args.length > 0) expect(paste(lines[0] ?? '').answer).toBe('[{"id":1,"name":"pinto"}]');
    await started.stop(signal);
    await expect.poll(leftovers, { timeout: 30_000 }).toEqual([]);
  }
  // An open tab survives a restart.
  expect(links[0]).toMatch(/^mr_/);
  expect(links[1]).toBe(links[0]);
  await own.drop();
}, 300_000);

it('reports a port in use before it builds anything', async () => {
  const taken = createServer();
  const port = await new Promise<number>((resolve) => taken.listen(0, '127.0.0.1', () => resolve((taken.address() as AddressInfo).port)));
  const { status, stderr, stdout } = spawnSync('npm', ['start'], {
    cwd: root,
    env: { ...process.env, MILLRACE_PORT: String(port) },
    encoding: 'utf8',
  });
  taken.close();
  expect([status, stderr]).toEqual([1, expect.stringContaining(`port ${port} is taken; set MILLRACE_PORT`)]);
  expect(stdout + stderr).not.toContain('building');
});

it.each([
  ['postgres://ada:p%40ss@db:6543/shop', { db_type: 'pg', db_name: 'shop', username: 'ada', password: 'p@ss', port: '6543' }],
  ['postgresql://ada@db/shop', { db_type: 'pg', db_name: 'shop', username: 'ada', password: '', port: '5432' }],
  ['mysql://ada@db/shop', { db_type: 'ms', db_name: 'shop', username: 'ada', password: '', port: '3306' }],
  ['mariadb://ada:x@db/shop', { db_type: 'ma', db_name: 'shop', username: 'ada', password: 'x', port: '3306' }],
  ['clickhouse://ada:x@db:8123/shop', { db_type: 'ch', db_name: 'shop', username: 'ada', password: 'x', port: '8123' }],
])('reads %s', (url, { port, ...entry }) => {
  expect(entryFromUrl(url, ENGINES)).toEqual({ ...entry, host_details: [{ host: 'db', port }] });
});

it.each(['shop', 'oracle://a@b/c', 'postgres://db/shop', 'postgres://ada@db/', 'postgres://ada@db/a/b'])('rejects %s', (url) => {
  expect(() => entryFromUrl(url, ENGINES)).toThrow();
});
