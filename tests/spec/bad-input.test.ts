// Bad input in every position of an Auto request: only documented statuses, no 5xx, always the JSON
// error, no secrets and no SQL, and no changed row. Cases are generated from positions and classes:
// all of them on PostgreSQL, some on the other engines.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type RequestOptions, type Response, type Service, setUpProject, startService, type TestProject } from '../support/service.ts';
import { sampled } from '../support/times.ts';
import { type ErrorBody, TABLE, TableClient, USERS } from './users-table.ts';

/** As percent-encoded text, so that classes which no string can hold have a place too. */
const encoded = (text: string): string => encodeURIComponent(text);

const NUMBERS = [
  '-0',
  'NaN',
  'Infinity',
  '1e309',
  '2147483648',
  '-2147483649',
  '9007199254740993',
  '9223372036854775808',
  '18446744073709551616',
  '0x10',
  '1_000',
  '1e3',
  '+1',
  ' 1',
  '1 ',
  '٣',
  '1,000',
  '-',
  '.',
];
const DATES = [
  '0000-00-00',
  '2024-02-30',
  '99999-01-01',
  '0044-03-15 BC',
  '2016-12-31T23:59:60Z',
  'now',
  'infinity',
  '2024-13-01',
  '24:00:00',
];
const SQL = [
  "'",
  '"',
  '`',
  '\\',
  "\\'",
  "' OR '1'='1",
  '1; DROP TABLE users',
  "'; DELETE FROM users; --",
  '/*',
  '*/',
  '--',
  '#',
  '$1',
  '$$',
  '?',
  ':x',
  '{p1:String}',
  '%',
  '_',
  '%%',
  '\\%',
  '!',
  "\\' or 1=1 -- ",
  '") or ("1"="1',
  '(select password from pg_authid)',
  "||(select 'x')||",
];
const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'information_schema.tables',
  'pg_catalog.pg_authid',
  'system.users',
  '../..',
  'users;',
  'USERS',
  'x'.repeat(65),
  'ｕsers',
  'user\u0455',
];
const TEXTS = [
  '',
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\u0001',
  '\u001b[31m',
  '\u202e\u200b',
  '😀',
  '\ufffd',
  '\uffff',
  'x'.repeat(3000),
  '(',
  ')',
  '((((((((',
  ',',
  '.',
  '=',
  '&amp;',
  '[]',
  '{}',
  '"',
  '"a',
  '"a"b',
  '"\\',
  '[[[[1]]]]',
  'null',
  'true',
];
const RAW = ['%00', '%ff', '%c0%af', '%ed%a0%80', '%', '%zz', '%e2%82', 'a%00b', '%F0%9F%98'];

const CLASSES: readonly string[] = [...[...NUMBERS, ...DATES, ...SQL, ...NAMES, ...TEXTS].map(encoded), ...RAW];

interface Attempt {
  readonly method: string;
  readonly path?: (prefix: string, text: string) => string;
  readonly query?: (text: string) => string;
  readonly options?: (text: string) => RequestOptions;
}

/** Reads match nothing that matters, and writes name a row that is not there. */
const NOBODY = 'id=eq.-5';
const page = 'pg=0&ps=5';
const get = (query: (text: string) => string): Attempt => ({ method: 'GET', query });
const put = (query: (text: string) => string): Attempt => ({ method: 'PUT', query });
const remove = (query: (text: string) => string): Attempt => ({ method: 'DELETE', query });
const json = (body: string): RequestOptions => ({ body, headers: { 'content-type': 'application/json' } });
const plain = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
/** Header values are bytes; what no header can hold is sent as it was encoded. */
const headerText = (text: string): string => (/^[\t\x20-\x7e]*$/.test(plain(text)) ? plain(text) : text);

const POSITIONS: Readonly<Record<string, Attempt>> = {
  'the table': { method: 'GET', path: (prefix, text) => `${prefix}/${text}?${page}` },
  'the table of a DELETE': { method: 'DELETE', path: (prefix, text) => `${prefix}/${text}?${NOBODY}` },
  'the db_name': { method: 'GET', path: (prefix, text) => `${prefix.replace(/[^/]+$/, text)}/users?${page}` },
  'the db_type': { method: 'GET', path: (prefix, text) => `${prefix.replace(/[^/]+\/[^/]+$/, text)}/x/users?${page}` },
  pg: get((text) => `pg=${text}&ps=5`),
  ps: get((text) => `pg=0&ps=${text}`),
  format: get((text) => `${page}&format=${text}`),
  'a column': get((text) => `${page}&${text}=eq.1`),
  'a quoted column': get((text) => `${page}&%22${text}%22=eq.1`),
  'an operator': get((text) => `${page}&id=${text}.1`),
  'a filter without operator': get((text) => `${page}&id=${text}`),
  'a number': get((text) => `${page}&id=eq.${text}`),
  'a range of numbers': get((text) => `${page}&id=bw.${text}.${text}`),
  'a list of numbers': get((text) => `${page}&id=in.1,${text}`),
  'a text': get((text) => `${page}&name=eq.${text}`),
  'a pattern': get((text) => `${page}&name=li.${text}`),
  'a pattern without case': get((text) => `${page}&name=il.${text}`),
  'a list of texts': get((text) => `${page}&name=in.${text},x`),
  'a range of texts': get((text) => `${page}&name=bw.a.${text}`),
  'a moment': get((text) => `${page}&created_at=gt.${text}`),
  $select: get((text) => `${page}&$select=${text}`),
  $order: get((text) => `${page}&$order=${text}`),
  $count: get((text) => `${page}&$count=${text}`),
  $after: get((text) => `${page}&$after=${text}`),
  $or: get((text) => `${page}&$or=${text}`),
  'the inside of $or': get((text) => `${page}&$or=(${text})`),
  $null: get((text) => `${page}&$null=${text}`),
  'an unknown $': get((text) => `${page}&$${text}=1`),
  'the column of a DELETE': remove((text) => `${text}=eq.-5`),
  'the number of a DELETE': remove((text) => `id=eq.-5&id=eq.${text}`),
  'the text of a DELETE': remove((text) => `${NOBODY}&name=eq.${text}`),
  'the operator of a DELETE': remove((text) => `${NOBODY}&id=${text}.1`),
  $max_affected: remove((text) => `${NOBODY}&$max_affected=${text}`),
  $dry_run: remove((text) => `${NOBODY}&$dry_run=${text}`),
  'the group of a DELETE': remove((text) => `${NOBODY}&$or=(name=eq.${text})`),
  set: put((text) => `${NOBODY}&set=${text}`),
  'the column of set': put((text) => `${NOBODY}&set=${text}.x`),
  'the number of set': put((text) => `${NOBODY}&set=id.${text}`),
  'the text of set': put((text) => `${NOBODY}&set=name.${text}`),
  'the moment of set': put((text) => `${NOBODY}&set=created_at.${text}`),
  'the org header': { method: 'GET', query: () => page, options: (text) => ({ headers: { 'x-org-id': headerText(text) } }) },
  'the space header': { method: 'GET', query: () => page, options: (text) => ({ headers: { 'x-space-id': headerText(text) } }) },
  'the user header': { method: 'GET', query: () => page, options: (text) => ({ headers: { 'x-user-id': headerText(text) } }) },
  'the roles header': { method: 'GET', query: () => page, options: (text) => ({ headers: { 'x-user-roles': headerText(text) } }) },
  'the request id': { method: 'GET', query: () => page, options: (text) => ({ headers: { 'x-request-id': headerText(text) } }) },
  'the content type': { method: 'POST', options: (text) => ({ body: '[{}]', headers: { 'content-type': headerText(text) } }) },
  'a body': { method: 'POST', options: (text) => json(plain(text)) },
  'a list in a body': { method: 'POST', options: (text) => json(`[${plain(text)}]`) },
  'a key': { method: 'POST', options: (text) => json(`[{${JSON.stringify(plain(text))}:1}]`) },
  'a value that is no JSON': { method: 'POST', options: (text) => json(`[{"id":${plain(text)}}]`) },
  'a number in a body': { method: 'POST', options: (text) => json(`[{"id":${JSON.stringify(plain(text))},"name":"n"}]`) },
  'a moment in a body': { method: 'POST', options: (text) => json(`[{"id":1,"name":"n","created_at":${JSON.stringify(plain(text))}}]`) },
  'the filter of a POST': { method: 'POST', query: (text) => text, options: () => json('[{}]') },
};

const DOCUMENTED = new Set([200, 400, 403, 404, 406, 409, 413, 415, 417, 422, 431]);
const PATIENCE_MS = 5000;
/** Fragments of generated SQL, driver messages and stack traces. */
const LEAKS = /\bSELECT\b.*\bFROM\b|\bINSERT INTO\b|\bDELETE FROM "|\bUPDATE "|node_modules|\bat .*\.[jt]s:\d+|postgres:\/\/|mysql:\/\//;

const SHARE: Readonly<Record<EngineName, number>> = { postgres: 1, mysql: 5, mariadb: 5, clickhouse: 7 };

describe.each(ENGINE_NAMES)('bad input on %s', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let project: TestProject;
  let users: TableClient;

  beforeAll(async () => {
    database = await createDatabase(engine);
    await database.run(TABLE[engine]);
    service = await startService({ env: { MILLRACE_LOG_LEVEL: 'warn' } });
    project = await setUpProject(service, [database.entry()]);
    users = new TableClient(service, project, database, 'users');
    expect((await users.post(USERS)).status).toBe(201);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const send = async ({ method, path, query, options }: Attempt, text: string): Promise<Response> => {
    const prefix = users.path.replace(/\/[^/]+$/, '');
    const url = path?.(prefix, text) ?? `${users.path}?${query?.(text) ?? ''}`;
    const given = options?.(text) ?? {};
    return service.request(method, url, {
      ...given,
      headers: { ...project.headers, ...given.headers },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  };

  const wrongWith = (response: Response): string | undefined => {
    if (!DOCUMENTED.has(response.status)) return `status ${response.status}`;
    const { password } = database.address;
    // A message may quote what the caller sent, but must not contain anything else.
    if (password !== '' && response.text.includes(password)) return 'the password';
    if (response.status === 200 || response.status === 431) return undefined;
    const body = response.json<ErrorBody>();
    if (body.code !== response.status || typeof body.message !== 'string' || typeof body.status !== 'string') return 'no error body';
    return undefined;
  };

  it.each(Object.entries(POSITIONS))('in %s', async (name, attempt) => {
    const classes = sampled(
      8,
      CLASSES.filter((_, index) => (index + name.length) % SHARE[engine] === 0),
    );
    const problems: string[] = [];
    for (const text of classes) {
      const response = await send(attempt, text);
      const wrong = wrongWith(response) ?? (LEAKS.test(response.text) && !LEAKS.test(plain(text)) ? 'SQL or a stack' : undefined);
      if (wrong !== undefined) problems.push(`${text.slice(0, 80)}: ${wrong}: ${response.text.slice(0, 300)}`);
    }
    expect(problems).toEqual([]);
    expect(await users.rows()).toEqual(USERS);
  });

  it('in bodies that are too large, too deep or have repeated keys', async () => {
    const deep = (open: string, close: string): string => `[{"id":${open.repeat(100_000)}1${close.repeat(100_000)}}]`;
    const bodies: readonly (readonly [string, number])[] = [
      [`[{"id":1,"name":"${'x'.repeat(17_000_000)}"}]`, 413],
      [deep('[', ']'), 400],
      [deep('{"a":', '}'), 400],
      ['[{"id":1,"id":2,"name":"x","email":"y"}]', 400],
      [`[${'{},'.repeat(5)}{}]`, 422],
      ['[{"id":1e400,"name":"x","email":"y"}]', 422],
      [`[{"id":${'9'.repeat(5000)},"name":"x","email":"y"}]`, 422],
    ];
    for (const [body, status] of bodies) {
      const response = await users.send('POST', '', json(body));
      expect(response.status, `${body.slice(0, 60)}: ${response.text.slice(0, 200)}`).toBe(status);
    }
    expect(await users.rows()).toEqual(USERS);
  });

  it('in URLs and headers that are too large', async () => {
    const url = await users.get(`${page}&name=eq.${'x'.repeat(1_000_000)}`);
    expect([url.status, url.json<ErrorBody>().code]).toEqual([414, 414]);
    const header = await users.send('GET', page, { headers: { 'x-user-roles': 'x'.repeat(100_000) } });
    expect([header.status, header.json<ErrorBody>().code]).toEqual([431, 431]);
  });

  it('does not change the service', async () => {
    expect((await service.request('GET', '/healthz')).status).toBe(200);
    expect(service.logs().filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});
