// Apps compared with Custom endpoints: versions, parameters, forms; and copies to other spaces.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';

const PATH = '/svc/app/v1';
const YAML = { 'content-type': 'application/x-yaml' };

let service: Service;
let database: TestDatabase;
let project: TestProject;

const definition = (http: string, input: string): string =>
  `identifiers: {org_id: ${project.orgId}, project_id: ${project.projectId}, feature_id: ${project.userId}, space_id: ${project.spaces.dev}, user_id: ${project.userId}}
permission: [reader]
http: {${http}}
${input}logic: [{sql: SELECT 1 AS n}]
database: {ref: pg/${database.name}}
`;

const DEFINITIONS: readonly (readonly [http: string, input: string])[] = [
  ['uri: reports/sales, method: get, version: 1.0.0', 'input: {from: {type: date, required: true}}\n'],
  [
    'uri: reports/sales, method: get, version: 2.0.0',
    'input: {from: {type: date, required: true}, limit: {type: integer, default: 10, maximum: 20}, kind: {type: string, enum: [a, b]}}\n',
  ],
  ["uri: 'customers/{id}/orders', method: get, version: 1.0.0", 'input: {id: {type: integer, required: true}}\n'],
  ['uri: open, method: get, version: 1.0.0', ''],
  [
    'uri: orders, method: post, version: 1.0.0, input_type: json',
    'input: {customer: {type: integer, required: true}, kind: {type: string, enum: [a, b]}, note: {type: string, required: true, default: x}}\n',
  ],
];

beforeAll(async () => {
  service = await sharedService();
  database = await createDatabase('postgres');
  await database.run('CREATE TABLE orders (id int PRIMARY KEY)');
  project = await setUpProject(service, [{ ...database.entry(), spaces: ['dev'] } as ReturnType<typeof database.entry>]);
  for (const [http, input] of DEFINITIONS) {
    const made = await service.request('POST', '/svc/rest/definition/v1', {
      headers: { ...project.headers, ...YAML },
      body: definition(http, input),
    });
    expect(made.status, made.text).toBe(201);
  }
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

interface Problem {
  readonly app?: string;
  readonly path: string;
  readonly message: string;
}

const appOf = (blocks: string): string =>
  `app: a\ntitle: A\npermission: [reader]\ninputs: {day: {type: date}, n: {type: integer}}\nblocks:\n${blocks}`.replaceAll(
    '$db',
    `pg/${database.name}`,
  );

async function problemsOf(blocks: string): Promise<readonly string[]> {
  const body = appOf(blocks);
  const response = await service.request('POST', `${PATH}/check`, { headers: { ...project.headers, ...YAML }, body });
  return response.json<{ problems: Problem[] }>().problems.map(({ path, message }) => `${path}: ${message}`);
}

const chart = (data: string): string => `  - chart: {${data}, kind: bar, x: a, y: b}\n`;

describe('an app over endpoints', () => {
  it.each([
    chart("from: reports/sales, params: {from: '?:day', limit: 5, kind: a}"),
    chart('from: reports/sales, version: 1.0.0, params: {from: 2024-01-01}'),
    chart('from: customers/7/orders'),
    chart("from: 'customers/{id}/orders', params: {id: '?:n'}"),
    chart('from: open, params: {anything: 1}'),
    '  - form: {call: orders}\n',
    "  - form: {call: orders, fields: [{name: kind, enum: [a]}, note], values: {customer: '?:n'}}\n",
    "  - table: {from: open, actions: [{call: orders, values: {customer: '?:row.id'}, fields: []}]}\n",
  ])('is valid as %j', async (blocks) => {
    expect(await problemsOf(blocks)).toEqual([]);
  });

  it.each([
    [chart('from: reports/none'), ['blocks[0].chart.from: cannot be called']],
    [chart('from: orders'), ['blocks[0].chart.from: cannot be called']],
    [chart("from: reports/sales, version: 9.0.0, params: {from: '?:day'}"), ['blocks[0].chart.version: cannot be called']],
    [chart("from: reports/sales, version: 1.0.0, params: {from: '?:day', limit: 1}"), ['blocks[0].chart.params.limit: is not declared']],
    [chart('from: reports/sales'), ['blocks[0].chart.from: needs "from"']],
    [chart("from: 'customers/{id}/orders'"), ['blocks[0].chart.from: needs "id"']],
    [chart('from: reports/sales, params: {from: soon}'), ['blocks[0].chart.params.from: must be a date']],
    [chart('from: reports/sales, params: {from: 2024-01-01, limit: 21}'), ['blocks[0].chart.params.limit: must be at most 20']],
    ['  - form: {call: orders, method: put}\n', ['blocks[0].form.call: cannot be called']],
    ['  - form: {call: orders, fields: [note]}\n', ['blocks[0].form.call: needs "customer"']],
    ['  - form: {call: orders, fields: [customer, nope]}\n', ['blocks[0].form.fields[1]: names "nope"']],
    [
      '  - form: {call: orders, fields: [customer, {name: kind, enum: [a, c]}]}\n',
      ['blocks[0].form.fields[1].enum[1]: is not one of a, b'],
    ],
    ['  - form: {call: orders, fields: [{name: customer, required: false}]}\n', ['blocks[0].form.fields[0].required: is false']],
    ['  - form: {call: orders, fields: [{name: customer, type: string}]}\n', ['blocks[0].form.fields[0].type: is string']],
  ])('is rejected as %j', async (blocks, expected) => {
    expect(await problemsOf(blocks)).toEqual(expected.map((text) => expect.stringContaining(text)));
  });

  it('has neither forms nor actions on its public page', async () => {
    const body = appOf(
      "  - row: [{text: Kept}, {form: {call: orders, button: Send it}, id: gone}]\n  - table: {from: $db/orders, actions: [{delete: $db/orders, key: '?:row.id', button: Remove it}]}\n",
    );
    await service.request('POST', PATH, { headers: { ...project.headers, ...YAML }, body });
    const token = await service.request('POST', '/svc/system/api/v1/token', {
      headers: project.systemHeaders,
      body: { name: 'public', key_type: 'r--', roles: ['reader'] },
    });
    const { power_token: pwt } = token.json<{ power_token: string }>();
    const page = async (query: string, headers: Record<string, string>): Promise<string> =>
      (await service.request('GET', `${PATH}/render?app=a${query}`, { headers })).text;
    const member = await page('', { ...project.headers, 'x-user-roles': 'reader' });
    const open = await page(`&pwt=${pwt}`, {});
    for (const text of ['block-gone', 'Send it', 'Remove it'])
      expect([text, member.includes(text), open.includes(text)]).toEqual([text, true, false]);
    for (const text of ['Kept', 'block-b2']) expect([text, open.includes(text)]).toEqual([text, true]);
    await service.request('DELETE', `${PATH}?app=a`, { headers: project.headers });
  });

  it('is copied only if the target space has what it needs, or with force', async () => {
    const body = appOf(`  - table: {from: $db/orders}\n  - chart: {from: open, kind: bar, x: a, y: b}\n`);
    const send = (method: string, path: string, more: object) =>
      service.request(method, PATH + path, { headers: project.headers, ...more });
    expect((await send('POST', '', { headers: { ...project.headers, ...YAML }, body })).status).toBe(201);
    const copy = (force?: boolean) => send('PUT', '/space/copy', { body: { target_space_id: project.spaces.prod, apps: ['a'], force } });
    const refused = await copy();
    expect([refused.status, refused.json<{ problems: Problem[] }>().problems]).toEqual([
      409,
      [
        { app: 'a', path: 'blocks[0].table.from', line: 6, column: 13, message: expect.any(String) },
        { app: 'a', path: 'blocks[1].chart.from', line: 7, column: 13, message: expect.any(String) },
      ],
    ]);
    const there = { ...project.headers, 'x-space-id': project.spaces.prod };
    expect((await service.request('GET', `${PATH}/detail?app=a`, { headers: there })).status).toBe(404);
    const forced = await copy(true);
    expect([forced.status, forced.json()]).toEqual([
      200,
      { copied: ['a'], warnings: [expect.stringContaining('a: blocks[0].table.from'), expect.stringContaining('a: blocks[1].chart.from')] },
    ]);
    const revisions = await service.request('GET', `${PATH}/history?app=a`, { headers: there });
    const [{ revision_id } = { revision_id: '' }] = revisions.json<{ revision_id: string }[]>();
    const reverted = await service.request('PUT', `${PATH}/revert?app=a&revision_id=${revision_id}`, { headers: there });
    expect(reverted.status).toBe(422);
  });
});
