// The check of Lark modules over HTTP, and the problems of modules that are rejected.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Response, type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';

const PATH = '/svc/code/v1/lark';

let service: Service;
let project: TestProject;
let ids = '';
beforeAll(async () => {
  service = await sharedService();
  project = await setUpProject(service, []);
  const { orgId, projectId, spaces, userId } = project;
  ids = `org_id: ${orgId}\nproject_id: ${projectId}\nspace_id: ${spaces.dev}\nuser_id: ${userId}\n`;
});
afterAll(() => service?.stop());

const send = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  service.request('POST', `${PATH}${path}`, { headers: { ...project.headers, 'content-type': 'application/x-yaml', ...headers }, body });

describe('POST …/lark/check', () => {
  it('finds a valid module valid, and stores nothing', async () => {
    const answer = await send('/check', `${ids}module: prices\ncode: |\n  def double(x):\n    return x * 2\n`);
    expect([answer.status, answer.json()]).toEqual([200, { valid: true, problems: [], warnings: [] }]);
    expect((await service.request('GET', `${PATH}/list`, { headers: project.headers })).json()).toEqual([]);
  });

  it.each([
    ['a block', 'module: m\ncode: |\n  def f(x):\n    return y\n  z = w\n', [8, 12, 9, 7], 422],
    ['a block after an empty line', 'module: m\ncode: |\n\n   x = y\n', [8, 8], 422],
    ['two documents', '---\nmodule: m\ncode: |-\n    x = y\n', [8, 9], 422],
    ['quotes', 'module: m\ncode: "x = y"\n', [6, 12], 422],
    ['no code', 'module: m\n', [1, 1], 400],
    ['an unknown field', 'module: m\ncode: x = 1\nmore: 1\n', [7, 1], 400],
    ['a name that is not one', 'module: 1 2\ncode: x = 1\n', [5, 1], 422],
    ['a field twice', '---\nmodule: m\nuser_id: x\ncode: x = 1\n', [7, 1], 400],
    ['text that does not parse', 'module: [\n', [5, 9], 400],
  ])('reports the line of a problem in %s, as a put does', async (_, text, places, status) => {
    const { problems, ...rest } = (await send('/check', ids + text)).json<{ valid: boolean; problems: Record<string, unknown>[] }>();
    expect(rest).toEqual({ valid: false, warnings: [] });
    expect(problems.flatMap(({ line, column }) => [line, column])).toEqual(places);
    for (const { message } of problems) expect(message).toEqual(expect.stringMatching(/\S/));
    const put = await send('', ids + text);
    expect([put.status, put.json()]).toEqual([status, expect.objectContaining({ code: status, problems })]);
  });

  it('reports ids of another project, and modules that load themselves', async () => {
    const foreign = await send('/check', `${ids.replace(project.userId, project.orgId)}module: m\ncode: x = 1\n`);
    expect(foreign.json()).toMatchObject({ valid: false, problems: [{ message: expect.stringContaining('user_id'), line: 4, column: 1 }] });
    const own = await send('/check', `${ids}module: m\ncode: |\n  load("m", "x")\n`);
    expect(own.json()).toMatchObject({ valid: false, problems: [{ message: expect.stringContaining('load itself') }] });
  });

  it('needs the role admin or power', async () => {
    expect((await send('/check', ids, { 'x-user-roles': 'viewer' })).status).toBe(403);
    expect((await send('/check', ids, { 'x-user-roles': 'power' })).status).toBe(200);
    expect((await send('/check', ids, { 'content-type': 'application/json' })).status).toBe(415);
  });
});
