// Tools for apps: the results of the HTTP API, and who sees which tool.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, setUpProject, sharedService, startService, type TestProject } from '../support/service.ts';

const APP = 'app: tools\ntitle: Tools\npermission: [reader]\nblocks: [{text: Hello}]\n';

let service: Service;
let project: TestProject;

beforeAll(async () => {
  service = await sharedService();
  project = await setUpProject(service, []);
});
afterAll(() => service?.stop());

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: unknown;
}

async function send<T>(method: string, params: object, headers: Record<string, string> = {}): Promise<T> {
  const response = await service.request('POST', '/svc/mcp/v1', {
    headers: { ...project.headers, ...headers },
    body: { jsonrpc: '2.0', id: 1, method, params },
  });
  return response.json<{ result: T }>().result;
}

const call = (name: string, args: object, headers?: Record<string, string>): Promise<Result> =>
  send('tools/call', { name, arguments: args }, headers);

const namesFor = async (headers: Record<string, string>): Promise<readonly string[]> =>
  (await send<{ tools: { name: string }[] }>('tools/list', {}, headers)).tools
    .map(({ name }) => name)
    .filter((name) => name.includes('app'));

describe('tools for apps', () => {
  it('check, deploy, list and get an app', async () => {
    const warned = { valid: true, problems: [], warnings: [] };
    expect((await call('check_app', { document: APP })).structuredContent).toEqual(warned);
    const broken = await call('check_app', { document: APP.replace('Hello', '5') });
    expect(broken.structuredContent).toMatchObject({ valid: false, problems: [{ path: 'blocks[0].text', line: 4, column: 11 }] });
    expect((await call('deploy_app', { document: APP })).structuredContent).toMatchObject({ app: 'tools', warnings: [] });
    expect((await call('list_apps', {})).structuredContent).toEqual({
      apps: [{ app: 'tools', title: 'Tools', updated_at: expect.stringMatching(/Z$/) }],
    });
    expect((await call('get_app', { app: 'tools' })).structuredContent).toMatchObject({ app: 'tools', blocks: [{ text: 'Hello' }] });
    const refused = await call('deploy_app', { document: 'app: [' });
    expect([refused.isError, refused.content[0]?.text]).toEqual([true, expect.stringContaining('The app is not valid')]);
    expect((await call('get_app', { app: 'none' })).isError).toBe(true);
  });

  it('are listed by role, and deploy in the dev space only', async () => {
    const all = ['list_apps', 'get_app', 'check_app', 'deploy_app'];
    expect(await namesFor({ 'x-user-roles': 'power' })).toEqual(all);
    expect(await namesFor({ 'x-user-roles': 'reader' })).toEqual(['list_apps', 'get_app']);
    expect(await namesFor({ 'x-space-id': project.spaces.prod })).toEqual(['list_apps', 'get_app', 'check_app']);
  });

  it('are absent when the service has no apps', async () => {
    const off = await startService({ env: { MILLRACE_APPS: 'off' } });
    try {
      const { headers } = await setUpProject(off, []);
      const response = await off.request('POST', '/svc/mcp/v1', {
        headers,
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      });
      expect(response.text).toContain('list_tables');
      expect(response.text).not.toContain('list_apps');
    } finally {
      await off.stop();
    }
  });
});
