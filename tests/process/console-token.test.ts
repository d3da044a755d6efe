// The token in the link of `npm start`: made once, and again when it no longer works.
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureConsoleToken } from '../../src/cli/demo/console-token.ts';
import { DemoClient, type DemoIds } from '../../src/cli/demo/demo-client.ts';
import { startPage } from '../../src/cli/demo/start-page.ts';
import { loadConfig } from '../../src/config.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';

let service: Service;
let project: TestProject;
let client: DemoClient;
let ids: DemoIds;
beforeAll(async () => {
  service = await sharedService();
  project = await setUpProject(service, []);
  client = new DemoClient(loadConfig({ MILLRACE_SERVER_KEY: service.serverKey }, 'none').config, service.url);
  ids = { org_id: project.orgId, project_id: project.projectId, space_id: project.spaces.dev, user_id: project.userId };
});

const tokens = async (): Promise<{ name: string; token_id: string; key_type: string; roles: string[]; space_id: string }[]> =>
  (await service.request('GET', '/svc/system/api/v1/token/list', { headers: project.systemHeaders })).json();

describe('ensureConsoleToken', () => {
  it('makes the token once, and keeps it as long as it works', async () => {
    const token = await ensureConsoleToken(client, ids, undefined);
    expect(await tokens()).toMatchObject([{ name: 'console', key_type: 'rwd', roles: ['admin'], space_id: project.spaces.dev }]);
    expect(await ensureConsoleToken(client, ids, token)).toBe(token);
    const context = await service.request('GET', '/svc/rest/meta/v1/context', { headers: { authorization: `Bearer ${token}` } });
    expect(context.json()).toMatchObject({ token: { name: 'console' }, may: { author: true, admin: true, system: true } });
  });

  it('makes another when the kept one was deleted, is unknown, or lacks the role admin', async () => {
    const [old] = await tokens();
    await service.request('DELETE', `/svc/system/api/v1/token?token_id=${old?.token_id}`, { headers: project.systemHeaders });
    const second = await ensureConsoleToken(client, ids, 'mr_gone');
    const third = await ensureConsoleToken(client, ids, undefined);
    expect(third).not.toBe(second);
    expect((await tokens()).map(({ name }) => name)).toEqual(['console']);
    const body = { name: 'lesser', key_type: 'rwd', roles: ['viewer'] };
    const lesser = await service.request('POST', '/svc/system/api/v1/token', { headers: project.systemHeaders, body });
    const fourth = await ensureConsoleToken(client, ids, lesser.json<{ power_token: string }>().power_token);
    expect(await ensureConsoleToken(client, ids, fourth)).toBe(fourth);
  });
});

describe('startPage', () => {
  const page = {
    url: 'http://127.0.0.1:8080',
    prefix: 'svc',
    place: { org: 'demo', project: 'shop', database: 'shop' },
    server: { host: '', port: 0 },
    loginFile: '',
    dataDir: '',
    curlFile: 'file',
    token: '',
    examples: [],
    apps: [],
    own: undefined,
  };

  it('begins with the link to the console, and has none when the console is off', () => {
    const [, first] = startPage({ ...page, consoleToken: 'mr_x' }).split('\n');
    expect(first).toBe('  console        http://127.0.0.1:8080/svc/console/#token=mr_x');
    expect(startPage({ ...page, consoleToken: undefined })).not.toContain('console');
  });
});
