// `npm start` as a user runs it, in this checkout: the ready line, curl lines that answer, a second start, and nothing left behind.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

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

async function npmStart(): Promise<Started> {
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { ...process.env, MILLRACE_PORT: '0', MILLRACE_DATA_DIR: dataDir },
    detached: true,
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  await expect.poll(() => output, { timeout: 90_000 }).toMatch(/what a table looks like\ncurl .*\n/);
  return {
    output: () => output,
    stop: async (signal) => {
      // A terminal sends Ctrl-C to the whole group; whoever ends npm itself knows only npm.
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

it('serves rows, twice, and leaves nothing running', async () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const started = await npmStart();
    expect(started.output()).toMatch(/^millrace ready on http:\/\/127\.0\.0\.1:\d+$/m);
    const lines = started.output().match(/^curl .*$/gm) ?? [];
    expect(lines.length).toBeGreaterThanOrEqual(5);
    for (const line of lines) {
      const answer = execFileSync('bash', ['-c', line.replace('curl ', "curl -w '\\n%{http_code}' ")], { encoding: 'utf8' });
      expect(answer.trim().split('\n').at(-1), line).toBe('200');
      expect(answer.length, line).toBeGreaterThan(50);
    }
    await started.stop(signal);
    await expect.poll(leftovers, { timeout: 10_000 }).toEqual([]);
  }
}, 180_000);
