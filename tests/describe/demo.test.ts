// The demo service: calls every operation from the OpenAPI document alone and validates every
// response. Also the TypeScript of the README, with a generated client.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DemoClient } from '../../src/cli/demo/demo-client.ts';
import { ensureTables } from '../../src/cli/demo/demo-data.ts';
import { deployExamples } from '../../src/cli/demo/examples.ts';
import type { Config } from '../../src/config.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { Judge, METHODS, type OpenApi, type Operation, parametersOf, requestFrom } from './document.ts';

const PATH = '/svc/rest/openapi/v1';
const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

let service: Service;
let database: TestDatabase;
let headers: Readonly<Record<string, string>>;
let project: TestProject;
let document: OpenApi;
let operations: readonly (readonly [path: string, method: string, operation: Operation])[];

beforeAll(async () => {
  service = await sharedService();
  database = await createDatabase('postgres');
  const { host, port, user, password = '' } = database.address;
  await ensureTables({ host, port: Number(port), user, password }, database.name);
  project = await setUpProject(service, [{ ...database.entry(), alias: 'shop' } as ReturnType<TestDatabase['entry']>]);
  headers = { ...project.headers, 'x-user-roles': 'admin' };
  const { orgId: org_id, projectId: project_id, userId: user_id, spaces } = project;
  const client = new DemoClient({ serverKeys: [service.serverKey], pathPrefix: 'svc' } as unknown as Config, service.url);
  await deployExamples(client, { org_id, project_id, space_id: spaces.dev, user_id });
  document = (await service.request('GET', PATH, { headers })).json<OpenApi>();
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] === undefined ? [] : [[path, method, item[method]] as const])),
  );
});

afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

/** Sends a documented request and returns the problem of the response, if any. */
async function tryOut(judge: Judge, path: string, method: string, operation: Operation, more: Readonly<Record<string, string>> = {}) {
  const made = requestFrom(document, path, method, more);
  if (made === undefined) return { label: `${method} ${path}`, status: 0, problem: 'no body can be made' };
  const type = made.type === undefined ? {} : { 'content-type': made.type };
  const answer = await service.request(method.toUpperCase(), made.path, { headers: { ...headers, ...type }, body: made.body });
  const label = `${method} ${made.path} ${made.body ?? ''}: ${answer.status} ${answer.text.slice(0, 300)}`;
  return { label, status: answer.status, problem: judge.problem(operation, answer) };
}

test('every operation returns a documented response to a documented request', async () => {
  const judge = new Judge(document);
  expect(operations.length).toBeGreaterThan(50);
  const failures: string[] = [];
  const statuses = new Map<string, number>();
  for (const [path, method, operation] of operations) {
    // The outcome of these depends on rows of earlier requests and on references between rows.
    const others = path.endsWith('{key}') ? [404, 422] : method === 'delete' || method === 'put' || method === 'patch' ? [422] : [];
    const { label, status, problem } = await tryOut(judge, path, method, operation);
    statuses.set(operation.operationId, status);
    if (problem !== undefined || (status >= 300 && !others.includes(status))) failures.push(`${label} ${problem ?? ''}`);
  }
  expect(failures).toEqual([]);
  // Most requests succeed.
  const refused = [...statuses.values()].filter((status) => status >= 300);
  expect(refused.length).toBeLessThan(operations.length / 4);
});

test('all formats, all enumerated parameter values and filters on all columns return documented responses', async () => {
  const judge = new Judge(document);
  const failures: string[] = [];
  for (const [path, method, operation] of operations.filter(([path, method]) => method === 'get' && !path.endsWith('{key}')))
    for (const { name, schema, example, explode } of parametersOf(document, path, method)) {
      const words = explode === true ? ((example ?? []) as readonly string[]) : (schema.enum ?? []).map(String);
      for (const word of words) {
        const { label, status, problem } = await tryOut(judge, path, method, operation, { [name]: word });
        if (problem !== undefined || status !== 200) failures.push(`${label} ${problem ?? ''}`);
      }
    }
  expect(failures).toEqual([]);
});

test("the README's TypeScript compiles with a generated client, and works as described", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-readme-'));
  try {
    mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true });
    symlinkSync(root, join(folder, 'node_modules', 'millrace'));
    for (const name of ['@types/node', 'undici-types']) symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    const node = (...args: readonly string[]) =>
      run(process.execPath, args, { cwd: folder, env: { ...process.env, ...context, TOKEN: token } });
    const made = await service.request('POST', '/svc/system/api/v1/token', {
      headers: project.systemHeaders,
      body: { name: 'readme', key_type: 'rwd', roles: ['admin'] },
    });
    const { power_token: token } = made.json<{ power_token: string }>();
    const context = { MILLRACE_CONTEXT_FILE: join(folder, 'context.json') };
    const ids = ['org-id', 'project-id', 'space-id', 'user-id'].flatMap((id) => [`--${id}`, headers[`x-${id}`] ?? '']);
    await node(join(root, 'dist/main.js'), 'client', 'generate', '--url', service.url, ...ids, '--out', 'api.ts');
    const [, text = ''] = /```ts\n(.*?)```/s.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
    expect(text).toContain('createClient');
    const shown = `${text.replaceAll('http://127.0.0.1:8080', service.url)}\nconsole.log(JSON.stringify(recent.length));\n`;
    writeFileSync(join(folder, 'readme.ts'), shown);
    const flags = [
      '--strict',
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--moduleResolution',
      'nodenext',
      '--types',
      'node',
      '--skipLibCheck',
    ];
    await node(join(root, 'node_modules/typescript/bin/tsc'), ...flags, 'readme.ts');
    const [name, count] = (await node('readme.js')).stdout.trim().split('\n').slice(-2);
    expect(name).not.toBe('undefined');
    expect(Number(count)).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
