// One short path through each mechanism whose full test runs in `npm run test:all` only.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBig, drain, openRead, RowCounter } from '../spec/big-table.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { setUpProject, startService, type TestProject } from '../support/service.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const ROWS = 200_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('postgres');
  await createBig(database, ROWS);
});
afterAll(() => database?.drop());

describe('the command-line client', () => {
  it('checks, deploys and lists a definition', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-smoke-'));
    const service = await startService();
    try {
      const project = await setUpProject(service, [database.entry()]);
      writeFileSync(
        join(folder, 'millrace.yaml'),
        `url: ${service.url}\norg_id: ${project.orgId}\nproject_id: ${project.projectId}\nspace_id: ${project.spaces.dev}\nuser_id: ${project.userId}\n`,
      );
      writeFileSync(
        join(folder, 'one.yaml'),
        `permission: [admin]\nhttp: {uri: one, method: get, version: 1.0, input_type: json}\nlogic:\n  - sql: SELECT 1 AS n\ndatabase: {ref: pg/${database.name}}\n`,
      );
      const run = async (...args: string[]): Promise<unknown> => {
        const env = { PATH: process.env['PATH'] ?? '', MILLRACE_SERVER_KEY: service.serverKey };
        const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'definition', ...args], { cwd: folder, env });
        return JSON.parse(stdout);
      };
      expect(await run('check', 'one.yaml')).toMatchObject({ valid: true });
      await run('deploy', 'one.yaml');
      expect(await run('list')).toMatchObject([{ uri: 'one', version: '1.0' }]);
    } finally {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('the service', () => {
  const openPage = async (size: number) => {
    const service = await startService({ env: { MILLRACE_MAX_PAGE_SIZE: String(ROWS) } });
    const project: TestProject = await setUpProject(service, [database.entry()]);
    return { service, response: await openRead(service, project, database, `pg=0&ps=${size}`) };
  };

  it('finishes a response that is being streamed when it receives SIGTERM', async () => {
    const { service, response } = await openPage(ROWS);
    response.pause();
    service.kill('SIGTERM');
    const counter = new RowCounter();
    await drain(response, counter.add);
    expect([response.statusCode, counter.count]).toEqual([200, ROWS]);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });

  it('never ends a response cleanly when it is killed while streaming', async () => {
    const { service, response } = await openPage(ROWS);
    response.pause();
    service.kill('SIGKILL');
    await expect(drain(response)).rejects.toThrow();
    await service.stop();
  });
});
