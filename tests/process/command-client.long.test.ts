// The command line as a client of a running service, and every line that the demo prints.
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
    // The file contains the ids, the environment the server key.
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

  test('checks, deploys, lists, gets, copies and deletes definitions', async () => {
    const file = join(folder, 'one.yaml');
    const text = `permission: [admin]\nhttp: {uri: one, method: get, version: 1.0, input_type: json}\nlogic:\n  - sql: SELECT ?:n::int AS n\ndatabase: {ref: pg/${database.name}}\n`;
    writeFileSync(file, text);
    expect(await json('definition', 'check', file)).toMatchObject({ valid: true });
    expect(await json('definition', 'check', file, '--execute', '--input', '{"n": 5}')).toMatchObject({ result: [{ n: 5 }] });
    const { definition_id: id = '' } = await json('definition', 'deploy', file);
    expect(await json('definition', 'check', file)).toMatchObject({ valid: true, warnings: [expect.stringContaining('update')] });
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
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/one\.yaml:\d+:\d+: /)]);
  });

  test('compares and copies definitions to another space, and prints their history', async () => {
    const file = join(folder, 'way.yaml');
    const text = (version: string, sql: string): string =>
      `permission: [admin]\nhttp: {uri: way, method: get, version: ${version}}\nlogic:\n  - sql: ${sql}\n    omit: true\n  - lark: l\n    code: |\n      load("way", "f")\n      result = f(step_0)\ndatabase: {ref: pg/${database.name}}\n`;
    writeFileSync(join(folder, 'way.star'), 'def f(rows):\n  return rows[0]["n"]\n');
    await json('lark', 'put', 'way', join(folder, 'way.star'));
    writeFileSync(file, text('1.0.0', 'SELECT 1 AS n'));
    await json('definition', 'deploy', file);
    const missing = await run('definition', 'diff', 'get:way', '--to', 'staging');
    expect([missing.code, JSON.parse(missing.stdout)]).toMatchObject([1, { definitions: [{ version: '1.0.0', state: 'new' }] }]);
    expect(missing.stderr).toMatch(/^millrace: .*module "way".*\n$/);
    expect(await run('definition', 'copy', 'get:way', '--to', 'staging')).toEqual({
      code: 1,
      stdout: '',
      stderr: `${missing.stderr}millrace: nothing was copied.\n`,
    });
    const copied = await json('definition', 'copy', 'get:way', '--to', 'staging', '--modules');
    expect(copied).toMatchObject({ copied: [{ uri: 'way', version: '1.0.0' }], modules: ['way'] });
    writeFileSync(file, text('1.1.0', 'SELECT 2 AS n'));
    await json('definition', 'deploy', file);
    const shown = await run('definition', 'diff', '--all', '--to', 'staging', '--modules', '--text');
    expect([shown.code, shown.stderr]).toEqual([0, '']);
    expect(shown.stdout).toMatch(
      /^changed get way 1\.1\.0\n--- staging: get way 1\.0\.0\n[\s\S]*- {2}- sql: SELECT 1 AS n\n\+ {2}- sql: SELECT 2 AS n\n[\s\S]*\nsame module way\nok database pg/,
    );
    expect((await run('definition', 'copy', 'get:way', 'get:way@1.0.0', '--to', 'prod')).stderr).toMatch(
      /module "way"[\s\S]*nothing was copied/,
    );
    const other = join(folder, 'other.yaml');
    writeFileSync(other, text('3.0.0', 'SELECT 3 AS n').replace('uri: way', 'uri: other'));
    await json('definition', 'deploy', other);
    expect(await json('definition', 'copy', '--all', '--to', 'staging', '--modules')).toMatchObject({
      copied: [
        { uri: 'other', version: '3.0.0' },
        { uri: 'way', version: '1.1.0' },
      ],
    });
    await json('definition', 'delete', 'other', '--method=get', '--version=3.0.0');
    expect((await run('definition', 'copy', 'get:none', '--to', 'prod')).stderr).toContain('"get:none"');
    expect(await json('definition', 'copy', 'get:way', '--to', project.spaces.prod, '--force')).toMatchObject({
      warnings: [expect.stringContaining('"way"')],
    });
    const history = await json<Record<string, string>[]>('definition', 'history', 'way', '--method', 'get', '--space-id', 'staging');
    expect(history).toMatchObject([
      { action: 'copy', version: '1.1.0' },
      { action: 'copy', version: '1.0.0' },
    ]);
    const revision = history[1]?.['revision_id'] ?? '';
    expect(await json('definition', 'history', '--revision', revision, '--space-id', 'staging')).toMatchObject({
      definition: { http: { uri: 'way' } },
    });
    expect((await run('lark', 'delete', 'way')).stderr).toContain('get way 1.1.0');
    expect(await json('lark', 'delete', 'way', '--force')).toMatchObject({ broken: [{ uri: 'way' }, { uri: 'way' }] });
  });

  test('registers databases under an alias in some spaces', async () => {
    const url = databaseUrl();
    expect(await json('database', 'add', url, '--alias', 'other', '--spaces', 'dev,prod')).toMatchObject({ code: 201 });
    expect((await run('database', 'add', url, '--alias', 'other', '--spaces', 'prod')).code).toBe(1);
    expect(await json('database', 'add', url, '--alias', 'other', '--spaces', 'staging')).toMatchObject({ code: 201 });
    expect((await run('database', 'remove', 'pg', 'other')).stderr).toContain('space');
    expect(await json('database', 'remove', 'pg', 'other', '--space', 'staging')).toMatchObject({ code: 200 });
    expect(await json('database', 'remove', 'pg', 'other')).toMatchObject({ code: 200 });
  });

  const databaseUrl = (): string => {
    const { host_details, username, password } = database.entry() as {
      host_details: { host: string; port: string }[];
      username: string;
      password: string;
    };
    const [{ host, port } = { host: '', port: '' }] = host_details;
    return `postgres://${username}:${password}@${host}:${port}/${database.name}`;
  };

  test('manages modules, tokens, organizations and projects', async () => {
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

  test('prints lists as tables, reads rows, and renames and deletes projects and organizations', async () => {
    await database.run('CREATE TABLE beans (id bigint PRIMARY KEY, name text)');
    await database.run("INSERT INTO beans VALUES (9007199254740993, 'pinto'), (2, 'mung')");
    const table = `pg/${database.name}/beans`;
    await Promise.all([
      expect(json('table', 'get', table, 'name=eq.mung', '--select', 'name')).resolves.toEqual([{ name: 'mung' }]),
      expect(run('table', 'get', table, '--order', 'id', '--table')).resolves.toMatchObject({
        stdout: '              id  name\n----------------  -----\n               2  mung\n9007199254740993  pinto\n(2 rows)\n',
      }),
      expect(run('table', 'get', table, '--format', 'csv', '--order', 'id', '--page-size', '1')).resolves.toMatchObject({
        stdout: expect.stringContaining('2,mung'),
      }),
      expect(run('table', 'get', table, 'oops')).resolves.toMatchObject({ code: 2, stderr: expect.stringContaining('is not a filter') }),
      expect(run('table', 'list', `pg/${database.name}`)).resolves.toMatchObject({ stdout: expect.stringContaining('beans') }),
      expect(json('table', 'describe', table)).resolves.toMatchObject([{ name: 'id' }, { name: 'name' }]),
      expect(run('database', 'list', '--table')).resolves.toMatchObject({
        stdout: expect.stringMatching(new RegExp(`^pg +${database.name} `, 'm')),
      }),
      expect(run('project', 'list', '--table')).resolves.toMatchObject({
        stdout: expect.stringMatching(/^abbreviation +name +project_id +spaces/),
      }),
    ]);
    const { org_id: org = '' } = await json('org', 'create', 'to-go');
    await json('project', 'create', 'old', '--org-id', org);
    expect(await json('project', 'rename', 'old', '--abbreviation', 'new', '--org-id', 'to-go')).toMatchObject({ abbreviation: 'new' });
    expect(await json('org', 'rename', 'to-go', '--name', 'Gone')).toMatchObject({ code: 200 });
    expect(await run('project', 'delete', 'new', '--org-id', org)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--confirm new'),
    });
    expect((await run('project', 'delete', 'new', '--confirm', 'old', '--org-id', org)).code).toBe(2);
    expect(await json('project', 'delete', 'new', '--confirm', 'new', '--org-id', org)).toMatchObject({ code: 200 });
    expect(await json('org', 'delete', 'Gone', '--confirm', 'to-go')).toMatchObject({ code: 200 });
  });

  test('prints each problem of a file with its line and a marker', async () => {
    const file = join(folder, 'wrong.yaml');
    const head = 'permission: [admin]\nhttp: {uri: wrong, method: get, version: 1.0, input_type: json}\n';
    writeFileSync(
      file,
      `${head}logic:\n  - expr: a\n    code: 1 +\n  - lark: b\n    code: "x = (2"\ndatabase: {ref: pg/${database.name}}\n`,
    );
    const told =
      /^\S*wrong\.yaml:5:13: .*ends too early\n {4} {4}code: 1 \+\n {4} {12}\^\n\S*wrong\.yaml:7:\d+: .*\n {4} {4}code: "x = \(2"\n +\^\n$/;
    for (const verb of ['check', 'deploy'])
      expect(await run('definition', verb, file)).toMatchObject({ code: 1, stderr: expect.stringMatching(told) });
    writeFileSync(file, 'http: [\n');
    // Only the author's text is shown, also if the file ends too early.
    expect((await run('definition', 'deploy', file)).stderr).toMatch(/^\S*wrong\.yaml:1:7: .*\n {4}http: \[\n {10}\^\n$/);
    writeFileSync(file, 'def f(:\n  return 1\n');
    expect((await run('lark', 'put', 'm', file)).stderr).toMatch(/^\S*wrong\.yaml:1:7: .*\n {4}def f\(:\n {10}\^\n$/);
  });

  test('completes commands, subcommands and flags in a shell', async () => {
    const script = join(folder, 'completion.bash');
    writeFileSync(script, (await run('completion', 'bash')).stdout);
    const complete = async (...words: string[]): Promise<string[]> => {
      const text = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _millrace; echo "\${COMPREPLY[*]}"`;
      return (await promisify(execFile)('bash', ['-c', text, script, 'millrace', ...words])).stdout.trim().split(' ');
    };
    expect(await complete('ba')).toEqual(['backup']);
    expect(await complete('table', '')).toEqual(['list', 'describe', 'get']);
    expect(await complete('table', 'get', '--pa')).toEqual(['--page', '--page-size']);
    expect(await complete('backup', 'x', '--f')).toEqual(['--force']);
    expect((await run('completion', 'zsh')).stdout).toMatch(/^#compdef millrace\n/);
    expect((await run('completion', 'fish')).stdout).toContain("complete -c millrace -n __fish_use_subcommand -a backup -d '");
    expect((await run('completion')).code).toBe(2);
  });

  test('reports an error as one line and an exit code', async () => {
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

/** The script of `examples/` promotes all definitions from dev to staging to prod. */
async function promote(service: Service): Promise<void> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    MILLRACE: `${process.execPath} ${MAIN}`,
    MILLRACE_DATA_DIR: service.dataDir,
    MILLRACE_SERVER_KEY: service.serverKey,
  };
  const script = fileURLToPath(new URL('../../examples/promote.sh', import.meta.url));
  const { stdout } = await promisify(execFile)('sh', [script, '7.0.0'], { cwd: service.dataDir, env });
  const [staging = '', prod = ''] = stdout.split('\n').filter((line) => line.startsWith('[{"month"'));
  const pieces = (answer: string): number => (JSON.parse(answer) as { pieces: number }[]).reduce((sum, row) => sum + row.pieces, 0);
  expect(pieces(prod)).toBeGreaterThan(0);
  // The shop of prod opened recently; both return the same report.
  expect(pieces(staging)).toBeGreaterThanOrEqual(pieces(prod));
  expect(stdout.match(/^new (?:get|post|module) /gm)?.length).toBeGreaterThanOrEqual(12);
  expect(stdout).toContain('"action":"copy"');
}

test('every printed example of the demo works, and all of them are promoted', async () => {
  const service = await startService({ command: 'start' });
  try {
    for (const name of ['demo.json', 'demo.curl', 'demo-staging.curl'])
      expect(readFileSync(join(service.dataDir, name), 'utf8'), `${name} at the ready line`).toContain(
        name === 'demo.json' ? 'url' : 'X-Org-Id',
      );
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
    await promote(service);
  } finally {
    await service.stop();
  }
});
