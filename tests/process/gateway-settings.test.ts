// Settings for a service behind a gateway: secrets from files, opaque user ids, and the drain time.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { Bench } from '../custom/definitions.ts';
import { PATIENCE } from '../support/patience.ts';
import { startService } from '../support/service.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-secrets-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a secret is read from a file or from the environment, not from both', () => {
  const file = join(folder, 'key');
  writeFileSync(file, 'first,second\n');
  expect(loadConfig({ MILLRACE_SERVER_KEY_FILE: file }, 'none').config.serverKeys).toEqual(['first', 'second']);
  expect(() => loadConfig({ MILLRACE_SERVER_KEY_FILE: file, MILLRACE_SERVER_KEY: 'x' }, 'none')).toThrow('both set');
  expect(() => loadConfig({ MILLRACE_GATEWAY_SECRET_FILE: join(folder, 'nothing') }, 'none')).toThrow('MILLRACE_GATEWAY_SECRET_FILE');
  expect(() => loadConfig({ MILLRACE_PORT_FILE: file }, 'none')).toThrow('MILLRACE_PORT_FILE is not a setting');
});

test('opaque user ids are accepted if, and only if, the settings allow them', async () => {
  const opaque = 'auth0|5f7c8ec7"\\c33c6c004bbafe82';
  const service = await startService({ env: { MILLRACE_USER_IDS: 'any' } });
  try {
    const system = { 'x-server-key': service.serverKey, 'x-user-id': opaque };
    const org = await service.request('POST', '/svc/system/api/v1/org', { headers: system, body: { name: 'o', abbreviation: 'o' } });
    const headers = { ...system, 'x-org-id': org.json<{ org_id: string }>().org_id };
    const body = { name: 'p', abbreviation: 'p', database: [] };
    const project = await service.request('POST', '/svc/system/api/v1/project', { headers, body });
    const { project_id, spaces } = project.json<{ project_id: string; spaces: { space_id: string }[] }>();
    const context = { ...headers, 'x-project-id': project_id, 'x-space-id': spaces[0]?.space_id ?? '', 'x-user-roles': 'admin' };
    const home = { orgId: headers['x-org-id'], projectId: project_id, orgAbbr: 'o', projectAbbr: 'p', userId: opaque, headers: context };
    const bench = new Bench(
      service,
      { ...home, spaces: { dev: '', staging: '', prod: '' }, systemHeaders: context, autoPath: () => '' },
      { dbType: 'pg', name: 'x' },
    );
    await bench.deploy({
      uri: 'who',
      logic: [{ expr: 'a', code: 'context.user_id' }],
      database: { type: 'postgres', source_ip: '127.0.0.1', port: '1', username: 'u', name: 'd' },
    });
    expect((await bench.call('GET', 'who')).json()).toBe(opaque);
    for (const wrong of ['a b', 'x'.repeat(129)]) {
      const refused = await service.request('GET', '/svc/system/api/v1/org/list', { headers: { ...system, 'x-user-id': wrong } });
      expect(refused.status).toBe(400);
    }
    await expect.poll(() => service.logs().some((line) => line['user_id'] === opaque), PATIENCE).toBe(true);
  } finally {
    await service.stop();
  }
});

test('after SIGTERM the service is not ready, and still responds during the drain time', async () => {
  const service = await startService({ env: { MILLRACE_DRAIN_SECS: '60' } });
  const ask = (path: string): Promise<number> => service.request('GET', path).then(({ status }) => status);
  expect(await ask('/readyz')).toBe(200);
  expect(await ask('/svc/rest/meta/v1/table/list')).toBe(401);
  service.kill('SIGTERM');
  await expect.poll(() => ask('/readyz'), PATIENCE).toBe(503);
  expect(await ask('/svc/rest/meta/v1/table/list')).toBe(401);
  expect(await ask('/healthz')).toBe(200);
  // Without further requests the service does not wait for the whole minute.
  const began = performance.now();
  expect((await service.exited).code).toBe(0);
  expect(performance.now() - began).toBeLessThan(30_000);
});
