// Custom endpoints in the OpenAPI document: inputs, paths, responses and rejections. Every response
// is validated against the document.
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Bench } from '../custom/definitions.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { Judge, type OpenApi, type Operation, parametersOf, requestFrom } from './document.ts';

let service: Service;
let database: TestDatabase;
let project: TestProject;
let document: OpenApi;

beforeAll(async () => {
  service = await sharedService();
  database = await createDatabase('postgres');
  await database.run('CREATE TABLE things (id int PRIMARY KEY, name text)');
  await database.run("INSERT INTO things VALUES (1, 'one')");
  project = await setUpProject(service, [database.entry()]);
  const bench = new Bench(service, project, database);
  const id = { type: 'integer', required: true, example: 1 };
  await bench.deploy({
    uri: 'things/{id}',
    input: { id },
    logic: [{ sql: 'SELECT * FROM things WHERE id = ?:id' }],
    response: { status: 'len(step_0) == 0 ? 404 : 200', headers: { Location: '"/things"' } },
  });
  await bench.deploy({
    uri: 'things',
    method: 'post',
    input: {
      id: { ...id, example: 7 },
      name: { type: 'string', max_length: 10, pattern: '[a-z]+', example: 'seven' },
      tags: { type: 'array', items: { type: 'string' } },
    },
    logic: [{ sql: 'INSERT INTO things VALUES (?:id, ?:name)' }],
    response: { status: 201 },
  });
  await bench.deploy({
    uri: 'gone',
    method: 'delete',
    input: {},
    logic: [{ sql: 'DELETE FROM things WHERE id = 99' }],
    response: { status: 204 },
  });
  await bench.deploy({
    uri: 'file',
    input: {},
    logic: [{ sql: "SELECT 'aGk=' AS data" }],
    response: { file: { name: '"hi.txt"', type: '"text/plain"', data: 'step_0[0].data' } },
  });
  await bench.deploy({
    uri: 'form',
    method: 'put',
    input_type: 'form',
    input: { n: { type: 'integer', required: true, minimum: 1, maximum: 9, example: 5 } },
    logic: [{ lark: 'check', code: 'if input.n == 5:\n    refuse(418, "five")\nresult = {"n": input.n}' }],
  });
  await bench.deploy({ uri: 'open', logic: [{ expr: 'echo', code: 'input' }], response: { status: 'int(input.status ?? "202")' } });
  document = (await service.request('GET', '/svc/rest/openapi/v1', { headers: project.headers })).json<OpenApi>();
});

afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

const pathOf = (uri: string): string => `/${project.orgAbbr}/${project.projectAbbr}/${uri}`;
const operation = (uri: string, method: string): Operation => document.paths[pathOf(uri)]?.[method] ?? expect.unreachable();

test('a public validator accepts a document with Custom endpoints', async () => {
  const judged = await new Validator().validate(structuredClone(document) as unknown as Record<string, unknown>);
  expect(judged.errors ?? []).toEqual([]);
});

test('the document describes inputs, statuses, headers, files and rejections', () => {
  expect(parametersOf(document, pathOf('things/{id}'), 'get')[0]).toMatchObject({ name: 'id', in: 'path', schema: { type: 'integer' } });
  const read = operation('things/{id}', 'get').responses;
  expect(read['200']).toMatchObject({ headers: { Location: {}, 'X-Served-Version': {} }, content: { 'text/csv': {} } });
  expect(read['404']).toMatchObject({ content: { 'application/json': {} } });
  const made = operation('things', 'post');
  expect(Object.keys(made.responses)).not.toContain('200');
  expect(made.responses['201']?.content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/RowsAffected' });
  expect(made.requestBody?.content['application/json']).toMatchObject({
    example: { id: 7, name: 'seven' },
    schema: {
      required: ['id'],
      additionalProperties: false,
      properties: { name: { maxLength: 10, pattern: '^(?:[a-z]+)$' }, tags: { type: 'array', items: { type: 'string' } } },
    },
  });
  expect(operation('gone', 'delete').responses['204']).not.toHaveProperty('content');
  expect(Object.keys(operation('file', 'get').responses['200']?.content ?? {})).toEqual(['text/plain']);
  expect(parametersOf(document, pathOf('file'), 'get').map(({ name }) => name)).not.toContain('format');
  expect(operation('form', 'put').responses['418']).toMatchObject({ content: { 'application/json': {} } });
  expect(Object.keys(operation('form', 'put').requestBody?.content ?? {})).toEqual(['application/x-www-form-urlencoded']);
  expect(operation('open', 'get').responses['default']).toMatchObject({ headers: { 'X-Served-Version': {} } });
  for (const { responses } of [operation('things', 'post'), operation('open', 'get')])
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '401', '403', '404', '424', '503', '504']));
});

test.each([
  ['things/{id}', 'get', 200],
  ['things', 'post', 201],
  ['gone', 'delete', 204],
  ['file', 'get', 200],
  ['form', 'put', 418],
] as const)('%s %s answers as described', async (uri, method, status) => {
  const made = requestFrom(document, pathOf(uri), method) ?? expect.unreachable();
  const type = made.type === undefined ? {} : { 'content-type': made.type };
  const answer = await service.request(method.toUpperCase(), made.path, { headers: { ...project.headers, ...type }, body: made.body });
  expect(answer.status, answer.text).toBe(status);
  expect(new Judge(document).problem(operation(uri, method), answer)).toBeUndefined();
});
