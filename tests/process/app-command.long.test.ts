// `millrace app` as a client of a running service.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const APP = 'app: shown\ntitle: Shown\npermission: [reader]\nblocks:\n  - text: Hello\n';

let service: Service;
let project: TestProject;
const folder = mkdtempSync(join(tmpdir(), 'millrace-app-'));

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

beforeAll(async () => {
  service = await sharedService();
  project = await setUpProject(service, []);
  const { orgId, projectId, spaces, userId } = project;
  const ids = `org_id: ${orgId}\nproject_id: ${projectId}\nspace_id: ${spaces.dev}\nuser_id: ${userId}\n`;
  writeFileSync(join(folder, 'millrace.yaml'), `url: ${service.url}\n${ids}`);
});
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function run(...args: string[]): Promise<Ran> {
  const env = { PATH: process.env['PATH'] ?? '' };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN, 'app', ...args], { cwd: folder, env });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as Ran;
    return { code, stdout, stderr };
  }
}

async function json(...args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await run(...args);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

describe('millrace app', () => {
  it('checks, deploys, lists, gets, copies, reverts and deletes apps', async () => {
    writeFileSync(join(folder, 'shown.yaml'), APP);
    expect(await json('check', 'shown.yaml')).toMatchObject({ valid: true });
    expect(await json('deploy', 'shown.yaml')).toMatchObject({ code: 201, app: 'shown' });
    expect(await json('list')).toMatchObject([{ app: 'shown', title: 'Shown' }]);
    expect((await run('get', 'shown', '--format', 'yaml')).stdout).toBe(APP);
    expect(await json('copy', 'shown', '--to', 'staging')).toEqual({ copied: ['shown'], warnings: [] });
    expect(await json('delete', 'shown')).toMatchObject({ code: 200 });
    const history = (await json('history', 'shown')) as { revision_id: string; action: string }[];
    expect(history.map(({ action }) => action)).toEqual(['delete', 'create']);
    expect(await json('revert', 'shown', history[1]?.revision_id ?? '')).toMatchObject({ code: 201 });
  });

  it('prints each problem with file, line and column, and exits with 1', async () => {
    writeFileSync(join(folder, 'bad.yaml'), APP.replace('Shown', '5').replace('Hello', '6'));
    for (const verb of ['check', 'deploy']) {
      const { code, stderr } = await run(verb, 'bad.yaml');
      expect(code).toBe(1);
      expect(stderr).toContain('bad.yaml:2:1: title must be a string\n    title: 5\n    ^\n');
      expect(stderr).toContain('bad.yaml:5:5: blocks[0].text must be a string\n');
    }
  });

  it('prints addresses of pages', async () => {
    expect((await run('open', 'shown')).stdout).toBe(`${service.url}/svc/app/v1/ui?app=shown\n`);
    const open = await run('open', 'shown', '--public', '--token', 'mr_1');
    expect(open.stdout).toBe(`${service.url}/svc/app/v1/render?app=shown&pwt=mr_1\n`);
    const without = await run('open', 'shown', '--public');
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('--token')]);
  });
});
