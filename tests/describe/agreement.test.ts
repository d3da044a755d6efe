// Parser, OpenAPI document and reference share one table of parameters and errors. The service must
// accept and return exactly what the document lists.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiOperation, PARAMETERS } from '../../src/auto/request/parameters.ts';
import { API_OPERATIONS, errorsOf, GENERAL_ERRORS, OPERATION_ROWS, statusesOf } from '../../src/describe/operations.ts';
import { AUTO_ERRORS } from '../../src/errors/auto.ts';
import { createShop, type Shop } from '../spec/shop-tables.ts';
import { type Response, type Service, setUpProject, startService, type TestProject } from '../support/service.ts';
import { type OpenApi, parametersOf } from './document.ts';

let service: Service;
let project: TestProject;
let shop: Shop;
let document: OpenApi;
let table: string;

beforeAll(async () => {
  service = await startService({ env: { MILLRACE_MAX_BODY_BYTES: '100000' } });
  shop = await createShop('postgres');
  await shop.database.run(`CREATE FUNCTION boom() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$`);
  await shop.database.run('CREATE VIEW wall AS SELECT boom() AS id');
  project = await setUpProject(service, [shop.entry]);
  table = project.autoPath('pg', shop.database.name, 'orders');
  document = (await service.request('GET', '/svc/rest/openapi/v1', { headers: project.headers })).json<OpenApi>();
});

afterAll(async () => {
  await service?.stop();
  await shop?.database.drop();
});

interface Sent {
  readonly at?: string;
  /** Replaces the valid query. */
  readonly query?: string;
  /** Appended to the query. */
  readonly more?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Row 4 has no references to it. */
const PATHS = { table: '', query: '/query', row: '/4' } as const;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** A valid request for each operation. */
const WORKING: Readonly<Record<ApiOperation, Sent>> = {
  read: { query: 'pg=0&ps=5' },
  query: { body: 'pg=0&ps=5', headers: FORM },
  insert: { query: '$dry_run=true', body: [{ id: 50, status: 'x', placed_at: '2026-01-01' }] },
  update: { query: 'id=eq.1&set=status.open' },
  patch: { query: 'id=eq.1', body: { status: 'open' } },
  delete: { query: 'id=eq.4&$dry_run=true' },
  'row.read': { query: '' },
  'row.update': { query: 'set=status.open' },
  'row.patch': { query: '', body: { status: 'open' } },
  'row.delete': { query: '$dry_run=true' },
};

function send(operation: ApiOperation, { at, query, more = '', body, headers }: Sent = {}): Promise<Response> {
  const { method, path } = OPERATION_ROWS[operation];
  const usual = WORKING[operation];
  const isForm = operation === 'query';
  const own = isForm
    ? { body: [body ?? usual.body, query ?? '', more].filter((part) => part !== '').join('&') }
    : { body: body ?? usual.body };
  const words = isForm ? '' : [query ?? usual.query, more].filter((part) => part !== '').join('&');
  return service.request(method.toUpperCase(), `${at ?? table + PATHS[path]}?${words}`, {
    headers: { ...project.headers, ...usual.headers, ...headers },
    ...own,
  });
}

describe('the parameters of an operation', () => {
  const answers = async (operation: ApiOperation, name: string): Promise<string> => {
    const sent = { more: `${encodeURIComponent(name)}=` };
    const { text } = await send(operation, sent);
    return text;
  };

  test.each(API_OPERATIONS)('%s accepts exactly the parameters that the document lists', async (operation) => {
    const { method, path } = OPERATION_ROWS[operation];
    const at = { table, query: `${table}/query`, row: `${table}/{key}` }[path];
    const { Query, [`pg.${shop.database.name}.orders.query`]: own } = document.components.schemas;
    const members = [Query, own].flatMap((schema) => Object.keys((schema?.['properties'] ?? {}) as object));
    const listed = new Set(path === 'query' ? members : parametersOf(document, at, method).map(({ name }) => name));
    const wrong: string[] = [];
    for (const name of [...Object.keys(PARAMETERS), '$nothing', '$Select']) {
      const text = await answers(operation, name);
      const isTaken = !/is unknown, or not for this method|Filters are not supported here|this method does not use it/.test(text);
      if (isTaken !== listed.has(name)) wrong.push(`${name}: ${text}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe('the errors of an operation', () => {
  test('include every error of the Auto API at least once', () => {
    const known = new Set(API_OPERATIONS.flatMap((operation) => [...errorsOf(operation)]));
    expect(Object.keys(AUTO_ERRORS).filter((key) => !known.has(key as keyof typeof AUTO_ERRORS))).toEqual([]);
    // General errors are the default response and are not listed by operation.
    expect(GENERAL_ERRORS.filter((key) => known.has(key))).toEqual([]);
  });

  /** Bad requests for any operation, by expected status. */
  const anyBad = (): Readonly<Record<number, Sent>> => ({
    400: { more: '$nothing=1' },
    401: { headers: { 'x-power-token': 'mr_x' } },
    403: { at: `${table.replace(project.orgAbbr, 'elsewhere')}` },
    404: { at: `${table.replace('/orders', '/nowhere')}` },
    406: { more: 'format=nothing' },
  });
  const LONG = 'x'.repeat(200_000);
  const badBody: Readonly<Record<number, Sent>> = { 413: { body: [LONG] }, 415: { headers: { 'content-type': 'text/plain' } } };
  const badKey = (): Readonly<Record<number, Sent>> => ({ 404: { at: `${table}/999` }, 412: { headers: { 'if-match': '"other"' } } });
  const BAD: Readonly<Record<ApiOperation, () => Readonly<Record<number, Sent>>>> = {
    read: () => ({ 417: { more: 'id=7' }, 422: { at: table.replace('/orders', '/wall') } }),
    query: () => ({
      ...badBody,
      417: { more: 'id=7' },
      404: { at: `${table.replace('/orders', '/nowhere')}/query` },
      422: { at: `${table.replace('/orders', '/wall')}/query` },
    }),
    insert: () => ({ ...badBody, 409: { body: [{ id: 1, status: 'x', placed_at: '2026-01-01' }] }, 422: { body: [{ nothing: 1 }] } }),
    update: () => ({ 417: { more: 'status=7' }, 422: { query: 'id=eq.1&set=total.x' } }),
    patch: () => ({ ...badBody, 417: { more: 'status=7' }, 422: { body: { total: 'x' } } }),
    delete: () => ({ 417: { more: 'status=7' }, 422: { query: 'id=eq.1&$max_affected=0' } }),
    'row.read': () => ({ 404: { at: `${table}/999` } }),
    'row.update': () => ({ ...badKey(), 422: { query: 'set=total.x' } }),
    'row.patch': () => ({ ...badKey(), ...badBody, 422: { body: { total: 'x' } } }),
    'row.delete': () => ({ ...badKey(), 422: { query: '$max_affected=0' } }),
  };
  /** Statuses that need an unreachable database, a slow client, or another engine. */
  const ELSEWHERE: Readonly<Partial<Record<ApiOperation, readonly number[]>>> = { 'row.read': [422] };
  const INFRASTRUCTURE = [424, 503, 504];

  test.each(API_OPERATIONS)('%s returns the statuses that the document lists', async (operation) => {
    const wanted = { ...anyBad(), ...BAD[operation]() };
    const seen: number[] = [];
    for (const [status, sent] of Object.entries(wanted)) {
      const answer = await send(operation, sent);
      expect([status, answer.status], answer.text).toEqual([status, Number(status)]);
      seen.push(answer.status);
    }
    const rest = [...INFRASTRUCTURE, ...(ELSEWHERE[operation] ?? [])];
    expect([...new Set([...seen, ...rest])].sort((a, b) => a - b)).toEqual(statusesOf(operation));
    const { method, path } = OPERATION_ROWS[operation];
    const listed = document.paths[{ table, query: `${table}/query`, row: `${table}/{key}` }[path]]?.[method]?.responses ?? {};
    expect(
      Object.keys(listed)
        .map(Number)
        .filter((status) => status >= 400),
    ).toEqual(statusesOf(operation));
    expect((await send(operation)).status).toBe(OPERATION_ROWS[operation].success);
  });
});
