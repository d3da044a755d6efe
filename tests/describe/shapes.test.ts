// Shapes in the OpenAPI document that generators of clients depend on: schemas in all formats,
// required members, components of parameters, rights of a persona, and names that tools misread.
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bench } from '../custom/definitions.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { Judge, METHODS, type OpenApi, type Operation, resolve, type SchemaDoc } from './document.ts';

const PATH = '/svc/rest/openapi/v1';

let service: Service;
let database: TestDatabase;
let project: TestProject;
let document: OpenApi;

beforeAll(async () => {
  service = await sharedService();
  database = await createDatabase('postgres');
  await database.run('CREATE TABLE pairs (low int, high int, note text, amount numeric, price numeric(10,2), PRIMARY KEY (high, low))');
  await database.run(`INSERT INTO pairs VALUES (1, 2, NULL, 'NaN', 1.5)`);
  await database.run('CREATE TABLE refs (id int PRIMARY KEY, "$ref" text NOT NULL)');
  await database.run('CREATE TABLE a (id int PRIMARY KEY, note text)');
  await database.run('CREATE TABLE "a/insert" (id int PRIMARY KEY, note text)');
  project = await setUpProject(service, [database.entry()]);
  const bench = new Bench(service, project, database);
  await bench.deploy({
    uri: 'shapes/object',
    method: 'post',
    input: { filter: { type: 'object', example: { $ref: '#/nowhere' } } },
    logic: [{ sql: 'SELECT 1 AS n' }],
  });
  await bench.deploy({
    uri: 'shapes/file',
    logic: [{ expr: 'made', code: '"text"' }],
    response: { file: { name: '"a.txt"', type: '"text/plain"', data: 'made' } },
  });
  await bench.deploy({ uri: 'shapes/any', logic: [{ expr: 'made', code: '1' }] });
  document = await describeAs('admin');
});

afterAll(() => database?.drop());

async function describeAs(roles: string): Promise<OpenApi> {
  const answer = await service.request('GET', PATH, { headers: { ...project.headers, 'x-user-roles': roles } });
  expect(answer.status, answer.text).toBe(200);
  return answer.json<OpenApi>();
}

const operationsOf = ({ paths }: OpenApi): readonly Operation[] =>
  Object.values(paths).flatMap((item) => METHODS.flatMap((method) => item[method] ?? []));
const schemaOf = (name: string, of = document): SchemaDoc =>
  (of.components.schemas[`pg.${database.name}.${name}`] ?? expect.unreachable()) as SchemaDoc;

describe('a response', () => {
  it('has the schema of its JSON in all formats', () => {
    for (const { operationId, responses } of operationsOf(document)) {
      const contents = Object.values(responses).flatMap((response) => {
        const { content } = resolve<Operation['responses'][string]>(document, response);
        return content === undefined ? [] : [content];
      });
      for (const content of contents)
        for (const [type, { schema }] of Object.entries(content)) {
          expect(Object.keys(schema ?? {}), `${operationId} ${type}`).not.toEqual([]);
          if ('application/json' in content) expect(schema, `${operationId} ${type}`).toEqual(content['application/json']?.schema);
        }
    }
  });
});

describe('the schema of a row', () => {
  it('requires every column', () => {
    expect(schemaOf('pairs').required).toEqual(['low', 'high', 'note', 'amount', 'price']);
  });

  it('accepts NaN where the column can hold it', async () => {
    const path = project.autoPath('pg', database.name, 'pairs');
    const answer = await service.request('GET', `${path}?pg=0&ps=10`, { headers: project.headers });
    expect(answer.json()).toEqual([{ low: 1, high: 2, note: null, amount: 'NaN', price: 1.5 }]);
    const read = document.paths[path]?.['get'] ?? expect.unreachable();
    expect(new Judge(document).problem(read, answer)).toBeUndefined();
  });
});

describe('parameters', () => {
  it('of tables are references to components, set and the key among them', () => {
    const path = project.autoPath('pg', database.name, 'pairs');
    for (const item of [document.paths[path], document.paths[`${path}/{key}`]])
      for (const [method, operation] of Object.entries(item ?? {})) {
        const parameters = (method === 'parameters' ? operation : operation.parameters) as unknown as readonly { $ref?: string }[];
        for (const parameter of parameters) expect(parameter.$ref, JSON.stringify(parameter)).toMatch(/^#\/components\/parameters\//);
      }
    const names = document.paths[path]?.['put']?.parameters.map((parameter) => resolve<{ name: string }>(document, parameter).name);
    expect(names).toContain('set');
  });
});

describe('operation ids', () => {
  it('are unique and fit names of functions', () => {
    const ids = operationsOf(document).map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[A-Za-z_][A-Za-z0-9_.]*$/.test(id))).toEqual([]);
  });

  it('and components of a table a/insert differ from those of a table a', () => {
    expect(schemaOf('a.insert')).toMatchObject({ additionalProperties: false });
    expect(schemaOf('a-2f-insert')).toMatchObject({ 'x-table': `pg/${database.name}/a/insert` });
  });
});

describe('the PATCH of a persona', () => {
  it('has the columns that it may change, and the key only for rows in a list', async () => {
    const made = await service.request('POST', '/svc/persona/v1', {
      headers: project.headers,
      body: {
        persona: 'clerk',
        roles: ['clerk'],
        tables: { [`pg/${database.name}/pairs`]: { read: true, update: { columns: ['note'] } } },
      },
    });
    expect(made.status, made.text).toBe(201);
    const seen = await describeAs('clerk');
    expect(Object.keys(schemaOf('pairs.update', seen).properties ?? {})).toEqual(['note']);
    const changed = schemaOf('pairs.changed', seen);
    expect([changed.required, Object.keys(changed.properties ?? {})]).toEqual([
      ['high', 'low'],
      ['high', 'low', 'note'],
    ]);
    const path = `${project.autoPath('pg', database.name, 'pairs')}/1,2`;
    const patch = (body: object, at = path) =>
      service.request('PATCH', at, { headers: { ...project.headers, 'x-user-roles': 'clerk' }, body });
    expect((await patch([{ high: 2, low: 1, note: 'x' }], path.replace('/1,2', ''))).status).toBe(200);
    expect((await patch({ low: 3 }, path.replace('1,2', '2,1'))).status).toBeGreaterThanOrEqual(400);
  });
});

describe('a column $ref', () => {
  it('is described without examples that tools would resolve', async () => {
    const found: unknown[] = [];
    const visit = (value: unknown, isExample: boolean): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, member] of Object.entries(value)) {
        if (name === '$ref' && isExample) found.push(value);
        // Responses have a member `default`, too.
        visit(member, isExample || name.startsWith('example') || (name === 'default' && 'type' in value));
      }
    };
    visit(document, false);
    expect(found).toEqual([]);
    expect(schemaOf('refs')).toMatchObject({
      properties: { id: {} },
      patternProperties: { '^\\$ref$': { type: 'string' } },
      required: ['id', '$ref'],
    });
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'document.json', config });
    expect(problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([]);
    expect((await new Validator().validate(structuredClone(document) as unknown as Record<string, unknown>)).errors ?? []).toEqual([]);
  });
});

describe('llms.txt', () => {
  it('has a summary of every endpoint, however many inputs it has', async () => {
    const bench = new Bench(service, project, database);
    const input = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`a_rather_long_input_${index}`, { type: 'string' }]));
    for (let index = 0; index < 5; index++)
      await bench.deploy({ uri: `long/${index}`, about: { summary: `Summary number ${index}` }, input, logic: [{ sql: 'SELECT 1 AS n' }] });
    const names = Array.from(
      { length: 60 },
      (_, index) => `CREATE TABLE wide_${index} (${Array.from({ length: 30 }, (_, i) => `a_long_column_${i} text`).join(', ')})`,
    );
    await database.run(names.join(';'));
    const read = () => service.request('GET', '/svc/rest/llms.txt', { headers: project.headers });
    await expect.poll(async () => (await read()).text, PATIENCE).toContain('/wide_59 ');
    const { text, body } = await read();
    expect(body.length).toBeLessThan(16 * 1024);
    for (let index = 0; index < 5; index++) expect(text).toContain(`: Summary number ${index}\n`);
  });
});
