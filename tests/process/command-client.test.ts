// The command line as a client of a running service, and the examples that the demo deploys: every printed line answers.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe('the client', () => {
  let service: Service;
  let database: TestDatabase;
  let project: TestProject;
  const folder = mkdtempSync(join(tmpdir(), 'millrace-client-'));

  beforeAll(async () => {
    database = await createDatabase('postgres');
    service = await startService();
    project = await setUpProject(service, [database.entry()]);
    // Who and where from the file; the server key from the environment.
    writeFileSync(
      join(folder, 'millrace.yaml'),
      `url: ${service.url}\norg_id: ${project.orgId}\nproject_id: ${project.projectId}\nspace_id: ${project.spaces.dev}\nuser_id: ${project.userId}\n`,
    );
  });
  afterAll(async () => {
    await service?.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = async (...args: string[]): Promise<Ran> => {
    const env = { PATH: process.env['PATH'] ?? '', MILLRACE_SERVER_KEY: service.serverKey };
    try {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN, ...args], { cwd: folder, env });
      return { code: 0, stdout, stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, stdout, stderr };
    }
  };
  const json = async <T = Record<string, string>>(...args: string[]): Promise<T> => {
    const ran = await run(...args);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    return JSON.parse(ran.stdout) as T;
  };

  test('definitions: check, deploy, list, get, copy, delete', async () => {
    const file = join(folder, 'one.yaml');
    const text = `permission: [admin]\nhttp: {uri: one, method: get, version: 1.0, input_type: json}\nlogic:\n  - sql: SELECT ?:n::int AS n\ndatabase: {ref: pg/${database.name}}\n`;
    writeFileSync(file, text);
    expect(await json('definition', 'check', file)).toMatchObject({ valid: true });
    expect(await json('definition', 'check', file, '--execute', '--input', '{"n": 5}')).toMatchObject({ result: [{ n: 5 }] });
    const { definition_id: id = '' } = await json('definition', 'deploy', file);
    expect((await run('definition', 'deploy', file)).stderr).toContain('already');
    writeFileSync(file, text.replace('AS n', 'AS m'));
    expect(await json('definition', 'deploy', file, '--update')).toEqual({ definition_id: id, warnings: [] });
    expect(await json('definition', 'list', '--method', 'get')).toMatchObject([{ uri: 'one', version: '1.0' }]);
    expect((await run('definition', 'get', id, '--format', 'yaml')).stdout).toContain('SELECT ?:n::int AS m');
    expect(await json('definition', 'copy', id, '--to', project.spaces.prod, '--version', '2.0')).toMatchObject({
      copied: [{ version: '2.0' }],
    });
    expect(await json('definition', 'delete', 'one', '--method=get', '--version=1.0')).toMatchObject({ code: 200 });
    writeFileSync(file, 'http: [');
    const refused = await run('definition', 'deploy', file);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('line')]);
  });

  test('modules, tokens, organizations, projects', async () => {
    const file = join(folder, 'm.star');
    writeFileSync(file, 'def f():\n  return "ü"\n');
    expect(await json('lark', 'put', 'm', file)).toMatchObject({ code: 201 });
    expect(await json('lark', 'list')).toMatchObject([{ module: 'm' }]);
    expect(await json('lark', 'get', 'm')).toMatchObject({ code: 'def f():\n  return "ü"\n' });
    expect(await json('lark', 'delete', 'm')).toMatchObject({ code: 200 });
    const { token_id: token = '' } = await json('token', 'create', 'reader', '--key-type', 'r--', '--token-roles', 'a,b');
    expect(await json('token', 'list')).toMatchObject([{ name: 'reader', roles: ['a', 'b'] }]);
    expect(await json('token', 'delete', token)).toMatchObject({ code: 200 });
    const { org_id: org = '' } = await json('org', 'create', 'acme', '--name', 'Acme Ltd');
    expect(await json('project', 'create', 'web', '--org-id', org)).toMatchObject({
      abbreviation: 'web',
      spaces: [{ name: 'dev' }, { name: 'staging' }, { name: 'prod' }],
    });
    expect(await json('project', 'list', '--org-id', org)).toMatchObject([{ abbreviation: 'web' }]);
  });

  test('what is wrong is one line and an exit code', async () => {
    expect(await run('definition', 'nope')).toMatchObject({ code: 2, stderr: expect.stringContaining('deploy, check') });
    expect(await run('definition', 'get')).toMatchObject({ code: 2, stderr: expect.stringContaining('definition_id is missing') });
    expect(await run('definition', 'list', '--nope')).toMatchObject({ code: 2, stderr: expect.stringContaining('--nope') });
    expect(await run('definition', 'list', '--url', 'http://127.0.0.1:1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not answer'),
    });
    expect(await run('definition', '--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('millrace definition copy') });
  });
});

test('every example of the demo answers as its printed line asks', async () => {
  const service = await startService({ command: 'start' });
  try {
    // The log names the endpoint when it is deployed, before the lines are printed.
    await expect.poll(() => service.output(), { timeout: 30_000 }).toMatch(/^curl .*stock\/low/m);
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('curl') && /\/demo\/shop\/(?!pg\/)/.test(line));
    expect(lines).toHaveLength(5);
    for (const line of lines) {
      const { stdout } = await promisify(execFile)('sh', ['-c', `${line} -w '\\n%{http_code}'`]);
      const [body = '', status] = stdout.split(/\n(?=\d+$)/);
      expect([status, line]).toEqual([line.includes('-d ') ? '201' : '200', line]);
      expect(JSON.parse(body)).toBeTypeOf('object');
    }
    expect(readFileSync(join(service.dataDir, 'demo.json'), 'utf8')).toContain('org_id');
  } finally {
    await service.stop();
  }
}, 180_000);
