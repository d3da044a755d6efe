// Secrets never leak: sends marked passwords, keys and tokens, then searches responses and logs.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Body, SystemClient } from '../spec/system-client.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, startService } from '../support/service.ts';

const MARK = 'markerXq7';
const SERVER_KEY = `${MARK}-server-key`;
const GATEWAY = `${MARK}-gateway`;
const PASSWORD = `${MARK}-password`;

let service: Service;
let database: TestDatabase;
let role: string;

beforeAll(async () => {
  database = await createDatabase('postgres');
  role = `r_${database.name}`;
  await database.run(
    `CREATE ROLE ${role} LOGIN PASSWORD '${PASSWORD}'; CREATE TABLE t (id int PRIMARY KEY, word text); GRANT ALL ON t TO ${role}`,
  );
  service = await startService({ env: { MILLRACE_SERVER_KEY: SERVER_KEY, MILLRACE_GATEWAY_SECRET: GATEWAY, MILLRACE_LOG_LEVEL: 'trace' } });
});
afterAll(async () => {
  await service?.stop();
  await database?.run(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await database?.drop();
});

test('no secret occurs in responses, logs and metrics', async () => {
  const said: string[] = [];
  const tokens: string[] = [];
  const client = new SystemClient(service);
  const note = (answer: Response): Response => {
    said.push(`${JSON.stringify(answer.headers)} ${answer.text}`);
    return answer;
  };
  const send = async (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    note(
      await service.request(method, path, {
        headers: { 'x-gateway-secret': GATEWAY, ...headers },
        ...(body === undefined ? {} : { body }),
      }),
    );

  const system = { 'x-server-key': SERVER_KEY, 'x-user-id': client.userId, 'x-user-roles': 'admin' };
  const org = (await send('POST', '/svc/system/api/v1/org', system, { name: 'x', abbreviation: 'marked' })).json<Body>();
  const withOrg = { ...system, 'x-org-id': String(org['org_id']) };
  const entries = [
    database.entry({ username: role, password: PASSWORD }),
    database.entry({ username: role, password: `${PASSWORD}-wrong`, db_name: 'wrong-password' }),
    database.entry({ username: role, password: PASSWORD, db_name: 'wrong-port', host_details: [{ host: '127.0.0.1', port: '1' }] }),
    { ...database.entry({ username: role, password: PASSWORD }), db_type: 'ms', db_name: 'wrong-engine', connect_timeout_secs: 1 },
    { ...database.entry({ username: role, password: PASSWORD }), db_type: 'ch', db_name: 'wrong-engine', connect_timeout_secs: 1 },
  ];
  const project = (
    await send('POST', '/svc/system/api/v1/project', withOrg, { name: 'x', abbreviation: 'marked', database: entries })
  ).json<Body>();
  const [space] = project['spaces'] as { space_id: string }[];
  const context = { ...withOrg, 'x-project-id': String(project['project_id']), 'x-space-id': space?.space_id ?? '' };
  for (const path of ['org/list', 'project/list', `project?project_id=${String(project['project_id'])}`])
    await send('GET', `/svc/system/api/v1/${path}`, context);
  await send('PUT', '/svc/system/api/v1/project/database', context, { ...entries[0], max_open_connections: 0 });
  await send('PUT', '/svc/system/api/v1/project/database', context, entries[0]);
  await send('POST', '/svc/system/api/v1/project/database', context, { ...entries[0], db_name: 5, password: { secret: PASSWORD } });
  await send('POST', '/svc/system/api/v1/project', withOrg, `{"password":"${PASSWORD}",`);
  for (const method of ['GET', 'POST']) {
    await send(method, '/svc/proof/v1/validate/server/key', context, SERVER_KEY);
    await send(method, '/svc/proof/v1/validate/server/key', context, `${SERVER_KEY}-wrong`);
  }
  for (const name of [database.name, 'wrong-password', 'wrong-port', 'nowhere'])
    for (const table of ['t', 'nothing']) {
      await send('GET', `/svc/api/rest/auto/v1/pg/${name}/${table}?pg=0&ps=1&word=eq.${MARK}-value`, context);
      await send('POST', `/svc/api/rest/auto/v1/pg/${name}/${table}`, context, [{ id: `${MARK}-value` }]);
    }
  for (const type of ['ms', 'ch']) await send('GET', `/svc/api/rest/auto/v1/${type}/wrong-engine/t?pg=0&ps=1`, context);
  await send('GET', '/svc/system/api/v1/org/list', {
    ...system,
    'x-gateway-secret': `${GATEWAY}-wrong`,
    'x-server-key': `${SERVER_KEY}-wrong`,
  });

  for (const key_type of ['r--', 'rwd']) {
    const made = await service.request('POST', '/svc/system/api/v1/token', {
      headers: { 'x-gateway-secret': GATEWAY, ...context },
      body: { name: key_type, key_type, roles: 'admin' },
    });
    const token = String(made.json<Body>()['power_token']);
    tokens.push(token);
    const both = { 'x-power-token': token };
    const auto = `/svc/api/rest/auto/v1/pg/${database.name}/t`;
    await send('GET', `${auto}?pg=0&ps=1&pwt=${token}`, both);
    await send('GET', `${auto}?pg=0&ps=1&pwt=${token}x`, both);
    await send('GET', `${auto}?pg=0&ps=1&pwt=${token}`, {});
    await send('GET', `${auto}?pg=0&pwt=${token}`, both);
    await send('GET', `${auto}?pg=0&ps=1&${token}=eq.1&pwt=${token}`, both);
    await send('DELETE', `${auto}?id=eq.1&pwt=${token}`, both);
    await send('GET', `/nowhere/${token}?pwt=${token}`, both);
    await send('GET', `/svc/%zz?pwt=${token}`, both);
    await send('PATCH', `${auto}?pwt=${token}`, both);
    await send('GET', `/svc/system/api/v1/token/list?pwt=${token}`, both);
    const id = String(made.json<Body>()['token_id']);
    await send('DELETE', `/svc/system/api/v1/token?token_id=${id}`, context);
    await send('GET', `${auto}?pg=0&ps=1&pwt=${token}`, both);
  }
  said.push((await service.request('GET', '/metrics')).text);
  await service.stop();
  said.push(service.output());

  expect(said.length).toBeGreaterThan(50);
  expect(service.output().split('\n').length).toBeGreaterThan(50);
  const hits = said
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.includes(MARK) || tokens.some((token) => line.includes(token)));
  expect(hits).toEqual([]);
});
