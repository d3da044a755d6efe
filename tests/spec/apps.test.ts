// Apps over HTTP: create, check, read, list, delete, copy, history, revert; who may do what.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Response, type Service, setUpProject, sharedService, startService, type TestProject } from '../support/service.ts';

const PATH = '/svc/app/v1';
const YAML = { 'content-type': 'application/x-yaml' };

let service: Service;
let project: TestProject;

beforeAll(async () => {
  service = await sharedService();
  project = await setUpProject(service, []);
});
afterAll(() => service?.stop());

const send = (method: string, path: string, headers: Record<string, string | string[]> = {}, body?: unknown): Promise<Response> =>
  service.request(method, PATH + path, { headers: { ...project.headers, ...headers }, ...(body === undefined ? {} : { body }) });
const put = (text: string, headers: Record<string, string> = {}): Promise<Response> => send('POST', '', { ...YAML, ...headers }, text);
const as = (roles: string): Record<string, string> => ({ 'x-user-roles': roles });
const appOf = (app: string, more = ''): string =>
  `app: ${app}\ntitle: Title of ${app}\npermission: [reader]\n${more}blocks:\n  - text: Hello\n`;

describe('an app', () => {
  it('is created, read, listed, replaced and deleted', async () => {
    const text = `# kept\n${appOf('first')}`;
    const created = await put(text);
    expect([created.status, created.json()]).toEqual([
      201,
      { code: 201, status: 'Created', message: expect.any(String), app: 'first', warnings: [] },
    ]);
    const detail = await send('GET', '/detail?app=first');
    expect(detail.json()).toEqual({
      app: 'first',
      title: 'Title of first',
      permission: ['reader'],
      blocks: [{ text: 'Hello' }],
      updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
      user_id: project.userId,
    });
    expect((await send('GET', '/detail?app=first&format=yaml')).text).toBe(text);
    expect((await send('GET', '/list')).json()).toEqual([
      { app: 'first', title: 'Title of first', updated_at: detail.json<{ updated_at: string }>().updated_at },
    ]);
    const replaced = await send('POST', '', {}, detail.json());
    expect([replaced.status, replaced.json()]).toMatchObject([200, { code: 200, app: 'first' }]);
    expect((await send('GET', '/detail?app=first&format=yaml')).text).toMatch(/^app: first\ntitle: Title of first\n/);
    const deleted = await send('DELETE', '?app=first');
    expect([deleted.status, deleted.json()]).toEqual([200, { code: 200, status: 'OK', message: expect.any(String) }]);
    expect((await send('GET', '/detail?app=first')).status).toBe(404);
    expect((await send('DELETE', '?app=first')).status).toBe(404);
  });

  it('keeps the exact numbers of its document', async () => {
    await put(appOf('exact', 'inputs: {n: {type: integer, default: 9007199254740993}, d: {type: number, default: 0.10}}\n'));
    const { text } = await send('GET', '/detail?app=exact');
    expect(text).toContain('"default":9007199254740993');
    expect(text).toContain('"default":0.10');
    await send('DELETE', '?app=exact');
  });

  it('is accepted in the content types of YAML and JSON, and in no other', async () => {
    for (const type of ['application/x-yaml', 'application/yaml', 'text/yaml', 'text/plain; charset=utf-8'])
      expect((await put(appOf('typed'), { 'content-type': type })).status).toBeLessThan(300);
    expect(
      (
        await put(JSON.stringify({ app: 'typed', title: 'T', permission: ['a'], blocks: [{ text: 'a' }] }), {
          'content-type': 'application/json',
        })
      ).status,
    ).toBe(200);
    for (const path of ['', '/check']) expect((await send('POST', path, { 'content-type': 'application/xml' }, '<a/>')).status).toBe(415);
    await send('DELETE', '?app=typed');
  });

  it('has at most 256 KiB', async () => {
    const sized = (bytes: number): string => appOf('large').padEnd(bytes, '#');
    expect((await put(`${appOf('large')}#${'x'.repeat(256 * 1024 - appOf('large').length - 1)}`)).status).toBe(201);
    for (const path of ['', '/check']) expect((await send('POST', path, YAML, sized(256 * 1024 + 1))).status).toBe(413);
    await send('DELETE', '?app=large');
  });

  it('is rejected with all problems in document order, and nothing is stored', async () => {
    const text =
      'app: bad\ntitle: 5\npermission: [reader]\nblocks:\n  - chart: {from: reports/none, kind: donut, x: a, y: b}\n  - text: 1\n';
    const refused = await put(text);
    expect(refused.status).toBe(400);
    const body = refused.json<{ problems: { path: string; line: number; column: number; message: string }[] }>();
    expect(body).toMatchObject({
      code: 400,
      status: 'Bad Request',
      message: expect.stringContaining('line 2, column 1: title must be a string'),
    });
    expect(body.problems.map(({ path, line, column }) => [path, line, column])).toEqual([
      ['title', 2, 1],
      ['blocks[0].chart.from', 5, 13],
      ['blocks[0].chart.kind', 5, 33],
      ['blocks[1].text', 6, 5],
    ]);
    expect((await send('GET', '/detail?app=bad')).status).toBe(404);
  });

  it('is rejected with 422 when only the space lacks something', async () => {
    const lacks = (blocks: string) => put(`app: bad\ntitle: T\npermission: [reader]\nblocks:\n${blocks}`);
    const endpoint = await lacks('  - chart: {from: reports/none, kind: bar, x: a, y: b}\n');
    expect([endpoint.status, endpoint.json<{ problems: unknown }>().problems]).toEqual([
      422,
      [{ path: 'blocks[0].chart.from', line: 5, column: 13, message: expect.stringContaining('does not exist') }],
    ]);
    const database = await lacks('  - table: {from: pg/nowhere/orders}\n');
    expect([database.status, database.json<{ problems: unknown }>().problems]).toMatchObject([422, [{ path: 'blocks[0].table.from' }]]);
  });

  it('is checked without being stored', async () => {
    const good = await send('POST', '/check', YAML, appOf('checked'));
    expect([good.status, good.json()]).toEqual([200, { valid: true, problems: [], warnings: [] }]);
    const broken = await send('POST', '/check', YAML, 'app: [');
    expect([broken.status, broken.json()]).toEqual([
      200,
      {
        valid: false,
        problems: [{ path: '', line: expect.any(Number), column: expect.any(Number), message: expect.any(String) }],
        warnings: [],
      },
    ]);
    expect((await send('GET', '/detail?app=checked')).status).toBe(404);
  });

  it('warns about links to apps and inputs that do not exist', async () => {
    const link = 'blocks:\n  - metric: {from: reports/x, value: count, link: {app: linked, inputs: {id: 1}}}\n';
    const warningsOf = async (): Promise<readonly string[]> =>
      (await send('POST', '/check', YAML, `app: linking\ntitle: T\npermission: [reader]\n${link}`)).json<{ warnings: string[] }>().warnings;
    expect(await warningsOf()).toEqual([expect.stringContaining('linked, which does not exist')]);
    await put(appOf('linked'));
    expect(await warningsOf()).toEqual([expect.stringContaining('is an input that the app linked does not have')]);
    await put(appOf('linked', 'inputs: {id: {type: integer}}\n'));
    expect(await warningsOf()).toEqual([]);
    await send('DELETE', '?app=linked');
  });

  it('rejects other methods, formats and repeated parameters', async () => {
    await put(appOf('strict'));
    expect((await send('PATCH', '')).status).toBe(405);
    expect((await send('POST', '/render')).status).toBe(405);
    expect((await send('GET', '/detail?app=strict&format=csv')).status).toBe(406);
    for (const path of ['/detail', '/render', '/ui', '/history', '/detail?app=strict&app=strict', '/render?app=a&app=b', '/ui?app=a&app=b'])
      expect([path, (await send('GET', path, as('reader,admin'))).status]).toEqual([path, 400]);
    for (const path of ['/detail?app=none', '/render?app=none', '/history?app=none'])
      expect([path, (await send('GET', path)).status]).toEqual([path, 404]);
    await send('DELETE', '?app=strict');
  });
});

describe('the rights on apps', () => {
  beforeAll(async () => {
    await put(appOf('mine'));
    await put(appOf('theirs').replace('reader', 'other'));
  });

  it('let authors change apps, and nobody else', async () => {
    for (const roles of ['admin', 'power']) expect((await put(appOf('mine'), as(roles))).status).toBe(200);
    const revision = (await send('GET', '/history?app=mine')).json<{ revision_id: string }[]>()[0]?.revision_id ?? '';
    const attempts = [
      put(appOf('mine'), as('reader')),
      send('POST', '/check', { ...YAML, ...as('reader') }, appOf('mine')),
      send('DELETE', '?app=mine', as('reader')),
      send('PUT', '/space/copy', as('reader'), { target_space_id: project.spaces.staging, apps: ['mine'] }),
      send('GET', '/history?app=mine', as('reader')),
      send('PUT', `/revert?app=mine&revision_id=${revision}`, as('reader')),
    ];
    expect((await Promise.all(attempts)).map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
  });

  it('let readers open the apps of their roles', async () => {
    const names = async (roles: string): Promise<readonly string[]> =>
      (await send('GET', '/list', as(roles))).json<{ app: string }[]>().map(({ app }) => app);
    expect([await names('reader'), await names('power'), await names('none')]).toEqual([['mine'], ['mine', 'theirs'], []]);
    const statuses = async (app: string, roles: string): Promise<readonly number[]> => [
      (await send('GET', `/detail?app=${app}`, as(roles))).status,
      (await send('GET', `/render?app=${app}`, as(roles))).status,
    ];
    expect(await statuses('mine', 'reader')).toEqual([200, 200]);
    expect(await statuses('theirs', 'reader')).toEqual([403, 403]);
    expect(await statuses('theirs', 'admin')).toEqual([200, 403]);
  });

  it('need all five context headers', async () => {
    for (const name of ['x-org-id', 'x-project-id', 'x-space-id', 'x-user-roles']) {
      const { [name]: _, ...headers } = project.headers as Record<string, string>;
      expect([name, (await service.request('GET', `${PATH}/list`, { headers })).status]).toEqual([name, 400]);
    }
    const { 'x-user-id': _, ...anonymous } = project.headers as Record<string, string>;
    expect((await service.request('GET', `${PATH}/list`, { headers: anonymous })).status).toBe(401);
  });

  it('list the apps that the caller may open in OpenAPI', async () => {
    const openapi = async (roles: string): Promise<unknown> => {
      const response = await service.request('GET', '/svc/rest/openapi/v1', { headers: { ...project.headers, ...as(roles) } });
      return response.json<Record<string, unknown>>()['x-apps'];
    };
    expect(await openapi('reader')).toEqual([{ app: 'mine', title: 'Title of mine', path: '/svc/app/v1/render?app=mine' }]);
    expect(await openapi('none')).toEqual([]);
  });
});

describe('the history of an app', () => {
  interface Revision {
    readonly revision_id: string;
    readonly action: string;
  }
  const historyOf = async (app: string, headers: Record<string, string> = {}): Promise<readonly Revision[]> =>
    (await send('GET', `/history?app=${app}`, headers)).json();
  const actionsOf = async (app: string, headers: Record<string, string> = {}): Promise<readonly string[]> =>
    (await historyOf(app, headers)).map(({ action }) => action);

  it('records every change, and restores any of them', async () => {
    await put(appOf('past'));
    await put(appOf('past', 'description: second\n'));
    await send('DELETE', '?app=past');
    const [deleted, , created] = await historyOf('past');
    expect(deleted).toEqual({
      revision_id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      action: 'delete',
      user_id: project.userId,
      at: expect.stringMatching(/Z$/),
    });
    const restored = await send('PUT', `/revert?app=past&revision_id=${deleted?.revision_id}`);
    expect([restored.status, restored.json()]).toMatchObject([201, { code: 201, app: 'past', warnings: [] }]);
    expect((await send('GET', '/detail?app=past')).json()).toMatchObject({ description: 'second' });
    const reverted = await send('PUT', `/revert?app=past&revision_id=${created?.revision_id}`);
    expect(reverted.status).toBe(200);
    expect((await send('GET', '/detail?app=past&format=yaml')).text).toBe(appOf('past'));
    expect(await actionsOf('past')).toEqual(['revert', 'revert', 'delete', 'replace', 'create']);
    const one = await send('GET', `/history?app=past&revision_id=${created?.revision_id}`);
    expect(one.json()).toMatchObject({ ...created, document: { app: 'past', blocks: [{ text: 'Hello' }] } });
    for (const path of [
      '/history?app=past&revision_id=01ARZ3NDEKTSV4RRFFQ69G5FAV',
      `/history?app=none&revision_id=${created?.revision_id}`,
    ])
      expect((await send('GET', path)).status).toBe(404);
    expect((await send('PUT', '/revert?app=past&revision_id=01ARZ3NDEKTSV4RRFFQ69G5FAV')).status).toBe(404);
    expect((await send('PUT', '/revert?app=past')).status).toBe(400);
  });

  it('records copies in the space that received them', async () => {
    await put(appOf('copied'));
    const copy = (body: object) => send('PUT', '/space/copy', {}, body);
    const answer = await copy({ target_space_id: project.spaces.staging, apps: ['copied'] });
    expect([answer.status, answer.json()]).toEqual([200, { copied: ['copied'], warnings: [] }]);
    const there = { 'x-space-id': project.spaces.staging };
    expect((await send('GET', '/detail?app=copied&format=yaml', there)).text).toBe(appOf('copied'));
    expect(await actionsOf('copied', there)).toEqual(['copy']);
    expect((await copy({ target_space_id: 'prod', apps: ['copied'] })).status).toBe(200);
    expect((await copy({ target_space_id: project.spaces.prod, apps: ['copied', 'none'] })).status).toBe(404);
    expect((await copy({ target_space_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', apps: ['copied'] })).status).toBe(404);
    for (const body of [{}, { target_space_id: project.spaces.prod, apps: [] }, { target_space_id: 'prod', apps: ['a'], more: 1 }])
      expect((await copy(body)).status).toBe(400);
  });
});

describe('apps', () => {
  it('are switched off by MILLRACE_APPS', async () => {
    const off = await startService({ env: { MILLRACE_APPS: 'off' } });
    try {
      const own = await setUpProject(off, []);
      for (const [method, path] of [
        ['GET', '/list'],
        ['POST', ''],
        ['GET', '/render?app=a'],
        ['GET', '/ui?app=a'],
        ['GET', '/assets/a.js'],
      ] as const)
        expect([path, (await off.request(method, PATH + path, { headers: own.headers })).status]).toEqual([path, 404]);
      const openapi = await off.request('GET', '/svc/rest/openapi/v1', { headers: own.headers });
      expect(openapi.json()).not.toHaveProperty('x-apps');
    } finally {
      await off.stop();
    }
  });

  it('have their changes in the audit log', async () => {
    const own = await startService();
    try {
      const at = await setUpProject(own, []);
      await own.request('POST', PATH, { headers: { ...at.headers, ...YAML }, body: appOf('audited') });
      await own.request('DELETE', `${PATH}?app=audited`, { headers: at.headers });
      await expect
        .poll(() => own.logs().filter(({ action }) => String(action).startsWith('app.')))
        .toEqual([
          expect.objectContaining({ action: 'app.put', object: 'audited', status: 201, user_id: at.userId }),
          expect.objectContaining({ action: 'app.delete', object: 'audited', status: 200 }),
        ]);
    } finally {
      await own.stop();
    }
  });
});
